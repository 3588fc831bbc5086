// A stream of records, line by line.
const tag = /<(jackin|multicode):([a-z][a-z0-9_-]*)>(.*?)<\/\1:\2>/g;
const out = [];
const lines = require("readline").createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const record = JSON.parse(line);
  if (record.type !== "assistant") return;
  for (const part of record.message.content) {
    if (part.type !== "text") continue;
    for (const [, namespace, kind, value] of part.text.matchAll(tag)) {
      out.push(JSON.stringify({ namespace, kind, value }));
    }
  }
});
lines.on("close", () => process.stdout.write(out.join("\n") + "\n"));
