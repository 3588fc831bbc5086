// As the published reference parsers do: everything in one string, one expression.
const text = require("fs").readFileSync(0, "utf8");
const out = [];
for (const [, namespace, kind, value] of text.matchAll(/<(jackin|multicode):([a-z][a-z0-9_-]*)>(.*?)<\/\1:\2>/g)) {
  out.push(JSON.stringify({ namespace, kind, value }));
}
for (const [, block] of text.matchAll(/---(?:AGENT|RALPH)_STATUS---\n([^]*?)\n---/g)) {
  out.push(JSON.stringify({ block }));
}
process.stdout.write(out.join("\n") + "\n");
