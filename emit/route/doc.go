// Package route decides for each event of a stream where it goes: first-match
// jq rules in Switchboard's shape, from a file or one of the embedded packs, or
// a single expression.
//
// Expressions are evaluated by package emit/jq, in a worker process with hard
// bounds; a program that routes calls jq.WorkerMain first thing in main. Faults
// fail closed: an event whose rules could not be evaluated never gets a queue.
//
// See section 7 of the specification. Limits are those of [Load].
package route
