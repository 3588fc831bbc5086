# A CI log, by a script.
import json, re, sys

tag = re.compile(r"<(jackin|multicode):([a-z][a-z0-9_-]*)>(.*?)</\1:\2>")
wrapper = re.compile(r"^\d{4}-\d\d-\d\dT[\d:.]+Z |\x1b\[[\d;]*[A-Za-z]")
fenced = False
for line in sys.stdin:
    line = wrapper.sub("", line)
    if line.lstrip(" ").startswith(("```", "~~~")):
        fenced = not fenced
    elif not fenced and "<" in line:
        for ns, kind, value in tag.findall(line):
            print(json.dumps({"namespace": ns, "kind": kind, "value": value}))
