// Package normalize turns marks into checked values: the third of tagscan's
// rooms, between parse, which finds them, and emit, which writes them.
//
// A [Normalizer] is a parse.Handler. For every mark it decides whether it is a
// signal, gives it one canonical form, drops what was said before, types the
// fields of status blocks, checks artifact tags, and hands the result to a sink
// as an [Event]. [Value] and [Literal] are the check of a single tag's value, for
// whoever has one that no transcript holds, such as a manual repair.
//
// All input is untrusted. What is remembered is bounded (see [Normalizer]),
// every check is linear in its input, and nothing here panics.
package normalize
