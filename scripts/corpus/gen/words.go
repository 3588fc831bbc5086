package gen

import "strings"

// The vocabulary of the prose.
var words = strings.Fields(`
I we you it they this that these those there here the a an one each every some any no both most
looked found changed moved renamed deleted added kept wrote read ran tried checked fixed split merged
is are was were has have had does did will would can could should must may might needs wants
parser lexer reader writer socket cursor ledger mailbox account invoice basket session token bucket
shard replica index column row table schema migration cache page query planner worker job queue retry
timeout deadline header footer payload field flag option default value limit quota error warning trace
metric counter gauge alert dashboard release rollback hotfix branch commit patch review comment thread
test case fixture snapshot golden suite runner build artifact image registry mirror proxy gateway route
because although while unless until before after when where which whose with without within behind
first second third last next previous other same different small large slow quick stale fresh empty full
only also again still already never always often rarely twice together apart instead anyway now then`)

// What stands between the words here and there. No backtick in it is without
// its like.
var marks = []string{
	"`readLine()`", "`pkg/ledger/store.go`", "`Result<T, E>`", "`make check`", "`a < b && c > d`", "`-race`",
	"**not**", "*maybe*", "(#318)", "[the docs](https://docs.example.net/guide#limits)", "p99 < 40 ms", "n > 1",
	"\"as is\"", "doesn't", "naïve", "→", "…", "完了", "``a ` b``", "50%", "`$TMPDIR`", `D:\build\out`, "<br>",
	"https://example.net/a?b=1&c=2", "R&D", "e.g.", "x := <-ch",
}

// Code as it stands in fences and in what tools print, by its info string. No
// line of it is a fence or a marker, whatever stands before or behind.
var sources = []struct {
	info  string
	lines []string
}{
	{"go", strings.Split(`package ledger

import (
	"context"
	"errors"
)

// ErrStale says that an entry was changed meanwhile.
var ErrStale = errors.New("ledger: stale entry")

type Entry struct {
	ID     uint64            `+"`json:\"id\"`"+`
	Labels map[string]string `+"`json:\"labels,omitempty\"`"+`
}

func (s *Store) Apply(ctx context.Context, in <-chan Entry) (n int, err error) {
	for {
		select {
		case e, ok := <-in:
			if !ok {
				return n, nil
			}
			if cur := s.rows[e.ID]; cur != nil && cur.Version >= e.Version {
				return n, fmt.Errorf("entry %d: %w", e.ID, ErrStale)
			}
			s.rows[e.ID] = &e
			n++
		case <-ctx.Done():
			return n, ctx.Err()
		}
	}
}

func min3(a, b, c int) int {
	if a <= b && a <= c {
		return a
	}
	return min(b, c)
}`, "\n")},
	{"rust", strings.Split(`use std::collections::BTreeMap;

#[derive(Debug, Clone, Default)]
pub struct Basket<'a, T: Into<u64>> {
    items: Vec<(&'a str, T)>,
    totals: BTreeMap<&'a str, u64>,
}

impl<'a, T: Into<u64> + Copy> Basket<'a, T> {
    pub fn push(&mut self, name: &'a str, price: T) -> Result<u64, String> {
        let entry = self.totals.entry(name).or_insert(0);
        *entry = entry.checked_add(price.into()).ok_or_else(|| format!("{name}: overflow"))?;
        self.items.push((name, price));
        Ok(*entry)
    }
}

fn main() {
    let mut b = Basket::<u32>::default();
    assert_eq!(b.push("tea", 3), Ok(3));
    println!("{:#?}", b);
}`, "\n")},
	{"tsx", strings.Split(`import { useMemo, type ReactNode } from "react";

type Props<T> = { rows: T[]; render: (row: T) => ReactNode };

export function Table<T extends { id: string }>({ rows, render }: Props<T>) {
  const sorted = useMemo(() => [...rows].sort((a, b) => (a.id < b.id ? -1 : 1)), [rows]);
  if (sorted.length === 0) return <p className="empty">Nothing here &mdash; yet.</p>;
  return (
    <table>
      <tbody>
        {sorted.map((row) => (
          <tr key={row.id}>
            <td>{render(row)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}`, "\n")},
	{"python", strings.Split(`from __future__ import annotations

import dataclasses
import itertools


@dataclasses.dataclass(slots=True)
class Window:
    size: int
    step: int = 1

    def over(self, rows: list[int]) -> list[list[int]]:
        """Every window of rows that is full."""
        out = []
        for at in itertools.count(0, self.step):
            if at + self.size > len(rows):
                return out
            out.append(rows[at : at + self.size])


def test_over() -> None:
    assert Window(2).over([1, 2, 3]) == [[1, 2], [2, 3]]
    assert Window(4).over([1]) == [], "too few rows"`, "\n")},
	{"sql", strings.Split(`SELECT a.id, count(*) AS n, max(i.paid_at) AS newest
  FROM account AS a
  JOIN invoice AS i ON i.account_id = a.id AND i.total <> 0
 WHERE a.created_at < now() - interval '30 days'
   AND i.state IN ('open', 'late')
 GROUP BY a.id
HAVING count(*) > 3
 ORDER BY n DESC
 LIMIT 50;
UPDATE account SET note = 'see <ledger>' WHERE id = 7;`, "\n")},
	{"diff", strings.Split(`diff --git a/store.go b/store.go
index 31f0c2a..9d3e7b1 100644
--- a/store.go
+++ b/store.go
@@ -41,7 +41,9 @@ func (s *Store) Apply(
 	for e := range in {
-		s.rows[e.ID] = &e
+		if cur := s.rows[e.ID]; cur == nil || cur.Version < e.Version {
+			s.rows[e.ID] = &e
+		}
 	}`, "\n")},
	{"", strings.Split(`$ make check
go vet ./...
ok  	example.net/ledger	0.318s
ok  	example.net/ledger/store	1.204s
--- FAIL: TestApply (0.02s)
    store_test.go:58: Apply: got 3 entries, want 4
FAIL
exit status 1
$ git diff --stat
 store.go      | 14 ++++++++------
 store_test.go |  3 +++
 2 files changed, 11 insertions(+), 6 deletions(-)
drwxr-xr-x 4 ci ci    4096 Feb  3 09:12 store
-rw-r--r-- 1 ci ci   20514 Feb  3 09:12 go.sum
warning: field <code>total</code> is never read
  |
8 |     total: u64,
  |     ^^^^^
npm notice New minor version of npm available! 10.8.1 -> 10.9.0
 73% [==================>       ] 18.4MB/25.1MB eta 00:04
{"level":"info","msg":"listening","addr":"127.0.0.1:8080"}
error[E0308]: expected Vec<u8>, found &str
PASS`, "\n")},
}
