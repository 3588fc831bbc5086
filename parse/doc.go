// Package parse finds the marks that coding agents leave in what they write:
// tags, status blocks and artifact calls.
//
// Three published protocols are read: the agent tag protocol
// (<jackin:KIND>VALUE</jackin:KIND>, compatible with multicode), the agent
// status protocol (---AGENT_STATUS--- blocks, and their ancestor
// ---RALPH_STATUS---), and calls of tools that create Cairn artifacts with
// client-asserted tags (ADR-0018).
//
// A [Scanner] is written to, in chunks of any size, and calls a [Handler]. On
// the way from bytes to marks:
//
//   - UTF-16 is decoded, a byte order mark removed (parse/clean);
//   - a physical line loses what a CI system put around it (parse/wrap);
//   - a line that is a record of an agent's transcript gives its text parts
//     (parse/transcript), each a document of its own; all other lines are one;
//     at the start of the input a record may be laid out over several lines;
//   - lines lose their escape sequences (parse/clean);
//   - a document knows which of its lines are fenced code (parse/block), and
//     looks for tags and status blocks in the others.
//
// Where lines end, and which of them can matter, is found out ahead of that by
// whoever reads the input (an [Index], of parse/masks): all others are passed over
// without being looked at.
//
// A mark is what the text says, no more: its value is checked by package
// normalize.
//
// # Bounds
//
// Time is linear in the input. What is held does not depend on its size: 64 KiB
// of a line of text, a value's 8 KiB, a block's 64 KiB, and one record, of at
// most Options.MaxRecord bytes.
package parse
