// Package state keeps what the signals of an agent add up to. It reads the
// events that scan writes, NDJSON, and has three commands on them:
//
//   - [RunSnapshot] prints the agent's state: the repositories, issues, pull
//     requests and links it gave, its status, its newest valid status block;
//   - [Repair] makes the event with which an operator corrects that state;
//   - [RunGate] passes the events through and decides, for a CI job, whether the
//     agent is done.
//
// Events are untrusted like everything else. A snapshot believes none of what a
// tag says beside its kind and value: the value is checked and normalised anew,
// host, repository and number are taken from it, and what would not have passed
// is left out and counted as refused. Only an event of the type override, which
// no transcript can produce, has the provenance operator.
//
// # Whose word counts
//
// An event with an agent key comes from a sub-agent. Its status blocks and its
// status tags never speak for the main agent, unless --agent asks for them. The
// lists hold what any agent gave: scan gives a value once, whoever gave it
// first, so that a pull request which a sub-agent opened and the main agent
// then named is the main agent's too. An item that only sub-agents gave has the
// key agent.
//
// # Overrides
//
// They stand anywhere in the stream, before or behind what they correct. Of a
// kind, the latest wins: set shows its value in place of all others; unset with
// a value hides that one, and takes away an operator's own; unset without shows
// none. What an agent says later does not undo them.
//
// # Shell variables and outputs
//
// The format env has a fixed set of names, each with the prefix TAGSCAN_ and in
// capitals; the format github has the same as they stand here. All are always
// there, empty for what there is not.
//
//	repo issue pr link             the newest value
//	issue_repo pr_repo             its owner and repository
//	issue_number pr_number         its number
//	repo_count issue_count …       how many there are
//	repos issues prs links         the newest 100, the newest last: one a line in
//	                               env, a JSON array in github
//	status                         the status tag
//	agent_status task confidence   of the newest valid status block; exit_ready is
//	exit_ready work_summary        true, false or empty
//	blockers next_steps tests_run
//	streak no_progress             its streaks
//
// # Memory
//
// The newest 10,000 values of a kind and at most 2 MiB of their text are kept,
// the newest block of 1,000 sessions and at most 2 MiB of those, and one line.
package state
