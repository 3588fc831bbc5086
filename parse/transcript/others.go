package transcript

// SkipOthers ends the delivery of text of the roles that were not asked for
// (Options.WantOther).
func (d *Decoder) SkipOthers() { d.o.WantOther = false }

// Records is how many records of known formats there were.
func (d *Decoder) Records() int { return int(d.row) }

// Events reports whether the input has server-sent events, so that lines which
// are no data may belong to them.
func (d *Decoder) Events() bool { return d.sse.seen }
