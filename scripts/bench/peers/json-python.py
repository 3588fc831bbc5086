# A stream of records, by a script.
import json, re, sys

tag = re.compile(r"<(jackin|multicode):([a-z][a-z0-9_-]*)>(.*?)</\1:\2>")
for line in sys.stdin:
    record = json.loads(line)
    if record["type"] != "assistant":
        continue
    for part in record["message"]["content"]:
        if part["type"] != "text":
            continue
        fenced = False
        for line in part["text"].split("\n"):
            if line.lstrip(" ").startswith(("```", "~~~")):
                fenced = not fenced
            elif not fenced and "<" in line:
                for ns, kind, value in tag.findall(line):
                    print(json.dumps({"namespace": ns, "kind": kind, "value": value}))
