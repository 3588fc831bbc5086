#!/usr/bin/env node
// reference.js < docs.jsonl > states.jsonl
//
// For each JSON string, the blocks that commonmark.js has open after each line
// of it, in the words of Parser.String in export_test.go, joined by "|".
// Needs commonmark 0.31.2, found by NODE_PATH.
const { Parser } = require("commonmark");

const state = (doc) => {
  let s = "";
  for (let n = doc; n && n._open; n = n._lastChild) {
    const d = n._listData;
    if (n.type === "block_quote") s += ">";
    if (n.type === "item") s += d.markerOffset + d.padding + (n._firstChild ? "." : "e");
    if (n.type === "paragraph") s += "p";
    if (n.type === "html_block") s += "h" + n._htmlBlockType;
    if (n.type === "code_block" && n._isFenced) s += n._fenceChar + n._fenceLength;
  }
  return s;
};

const rl = require("readline").createInterface({ input: process.stdin, crlfDelay: Infinity });
rl.on("line", (l) => {
  const p = new Parser();
  const { incorporateLine } = p;
  const states = [];
  p.incorporateLine = function (line) {
    incorporateLine.call(this, line);
    states.push(state(this.doc));
  };
  try {
    p.parse(JSON.parse(l));
  } catch (e) {
    states.push("error " + e);
  }
  process.stdout.write(JSON.stringify(states.join("|")) + "\n");
});
