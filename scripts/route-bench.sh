#!/bin/sh
# Compare `tagscan route` to gojq and jq on one stream of tag events and twenty
# conditions: rules for tagscan, one if-elif expression for the others.
#
#   scripts/route-bench.sh [EVENTS]     (1000000 by default)
#
# A peer that is not there is left out. gojq is installed for the run, at the
# version that tagscan is built with, when the module is in reach.
set -eu
cd "$(dirname "$0")/.."
events=${1:-1000000}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM

go build -o "$dir/tagscan" .
version=$(go list -m -f '{{.Version}}' github.com/itchyny/gojq)
GOBIN=$dir go install "github.com/itchyny/gojq/cmd/gojq@$version" 2>/dev/null || echo "gojq $version: not in reach" >&2

awk -v n="$events" 'BEGIN {
	split("pr issue link repo status note", kind)
	srand(1)
	for (i = 0; i < n; i++) {
		k = kind[int(rand() * 6) + 1]
		printf "{\"type\":\"tag\",\"namespace\":\"jackin\",\"kind\":\"%s\",\"value\":\"https://github.com/acme/core%d/pull/%d\",\"host\":\"github.com\",\"repo\":\"acme/core%d\",\"number\":%d,\"provenance\":\"agent\",\"line\":%d}\n", k, i % 97, i, i % 97, i, i
	}
}' >"$dir/events"

cat >"$dir/conditions" <<'END'
.kind == "pr" and (.repo // "" | startswith("acme/core1"))
.kind == "status" and .value == "done"
.type == "status" and (.valid | not)
.kind == "issue" and .number > 999000
(.repo // "") | endswith("core42")
.kind == "link" and (.value | startswith("https://example.com/"))
.provenance == "operator"
.namespace == "multicode" and .kind == "pr"
any(.tags[]?; . == "lane:m")
.type == "artifact" and (.valid | not)
.kind == "repo" and (.host // "" | . != "github.com")
.number != null and .number < 10
.repeat == true
.extension == true and .kind == "todo"
.kind == "pr" and (.value | test("/pull/1[0-9]{5}$"))
.role == "tool" or .role == "user"
.session != null
(.value | length) > 100
.kind == "link"
.kind == "note" and .line % 1000 == 0
END
awk 'BEGIN { printf "{\"rules\":[" }
	{ gsub(/"/, "\\\""); printf "%s{\"id\":\"r%d\",\"expr\":\"%s\",\"action\":{\"queue\":\"q%d\"}}", (NR > 1 ? ",\n" : ""), NR - 1, $0, NR - 1 }
	END { print "]}" }' "$dir/conditions" >"$dir/rules.json"
awk '{ printf "%s (%s) then %d\n", (NR > 1 ? "elif" : "if"), $0, NR - 1 } END { print "else -1 end" }' "$dir/conditions" >"$dir/one.jq"

run() { # label, command
	/bin/sh -c "$2" >"$dir/out" # once to warm the file up
	start=$(date +%s.%N)
	/bin/sh -c "$2" >"$dir/out"
	end=$(date +%s.%N)
	awk -v l="$1" -v s="$start" -v e="$end" -v n="$events" 'BEGIN { printf "%-14s %6.2f s  %8.0f events/s\n", l, e - s, n / (e - s) }'
}

# Which rule it was for each event, to compare the answers.
digest() { cksum <"$1" | cut -d' ' -f1; }
run "tagscan route" "'$dir/tagscan' route -r '$dir/rules.json' <'$dir/events'"
sed 's/.*"route":{"stage":"default".*/-1/; s/.*"rule_index":\([0-9]*\).*/\1/' "$dir/out" >"$dir/ours"
for peer in gojq jq; do
	path=$(PATH=$dir:$PATH command -v $peer) || { echo "$peer: not there" >&2; continue; }
	run "$peer" "'$path' -c -f '$dir/one.jq' '$dir/events'"
	[ "$(digest "$dir/out")" = "$(digest "$dir/ours")" ] || echo "$peer: the answers differ" >&2
done
