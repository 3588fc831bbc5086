# The script that one would write: a line loop, fences, a regular expression.
import json, re, sys

tag = re.compile(r"<(jackin|multicode):([a-z][a-z0-9_-]*)>(.*?)</\1:\2>")
fenced = False
for line in sys.stdin:
    if line.lstrip(" ").startswith(("```", "~~~")):
        fenced = not fenced
    elif not fenced and "<" in line:
        for ns, kind, value in tag.findall(line):
            print(json.dumps({"namespace": ns, "kind": kind, "value": value}))
