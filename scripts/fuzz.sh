#!/bin/sh
# Runs every fuzz target of every package, one after another, and writes a row for
# each to testdata/fuzz-log.md:
#
#     scripts/fuzz.sh [-t 1h] [-p PROCS] [-k REGEX] [PACKAGE ...]
#
#     -t TIME    how long each target runs (1h)
#     -p PROCS   how many workers it has (one for each processor)
#     -k REGEX   only targets whose package and name match
#
# An input that makes a target fail stays where go puts it, in testdata/fuzz of
# its package, and is a row of its regression tests from then on. What else it
# found worth keeping stays in go's build cache, for the next time. The exit
# status is 1 when a target failed.
set -u
cd "$(dirname "$0")/.." || exit 2

time=1h procs= only=.
while getopts t:p:k: o; do
	case $o in
	t) time=$OPTARG ;;
	p) procs=$OPTARG ;;
	k) only=$OPTARG ;;
	*) echo "usage: scripts/fuzz.sh [-t 1h] [-p PROCS] [-k REGEX] [PACKAGE ...]" >&2; exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- ./...

log=testdata/fuzz-log.md
if [ ! -e $log ]; then
	cat >$log <<-'END'
		# Fuzzing

		What `scripts/fuzz.sh` ran. New inputs are those that reached code or values that
		no input before them had; a target that failed names the file of its input.

		| date | commit | target | time | executions | new inputs | findings |
		|---|---|---|---|---:|---:|---|
	END
fi

commit=$(git rev-parse --short HEAD 2>/dev/null || echo none)
out=$(mktemp) || exit 2
trap 'rm -f "$out"' EXIT
trap 'exit 130' INT TERM
status=0
module=$(go list -m) || exit 2

for pkg in $(go list "$@"); do
	names=$(go test -list '^Fuzz' "$pkg" 2>"$out") || {
		cat "$out" >&2
		echo "fuzz.sh: $pkg does not compile" >&2
		status=1
		continue
	}
	for name in $(echo "$names" | grep '^Fuzz'); do
		target=${pkg#"$module"/}.$name
		echo "$target" | grep -Eq -e "$only" || continue
		echo "== $target for $time"
		if go test -run '^$' -fuzz "^$name\$" -fuzztime "$time" ${procs:+-parallel="$procs"} "$pkg" >"$out" 2>&1; then
			findings=none
		else
			status=1
			findings=$(sed -n 's|.*Failing input written to \(testdata/fuzz/[^ ]*\).*|`\1`|p' "$out" | head -n 1)
			# Not an input then: what go says first, such as a failing seed.
			[ -n "$findings" ] || findings="failed: $(sed -n 's/|/\\|/g; s/^ *//; /FAIL:/{p;q;}' "$out")"
		fi
		tail -n 40 "$out"
		# fuzz: elapsed: 30s, execs: 814162 (26943/sec), new interesting: 12 (total: 57)
		last=$(grep 'elapsed:.*execs:' "$out" | tail -n 1)
		execs=$(echo "$last" | sed -n 's/.*execs: \([0-9]*\).*/\1/p')
		new=$(echo "$last" | sed -n 's/.*new interesting: \([0-9]*\).*/\1/p')
		took=$(echo "$last" | sed -n 's/.*elapsed: \([^,]*\),.*/\1/p')
		echo "| $(date -u +%Y-%m-%d) | $commit | $target | ${took:--} | ${execs:-0} | ${new:-0} | $findings |" >>$log
	done
done
exit $status
