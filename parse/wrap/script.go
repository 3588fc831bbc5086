package wrap

import "bytes"

// The most that is held of a step's group before it is decided what it is.
const (
	MaxHeldLines = 256
	MaxHeldBytes = 64 << 10
	// MaxOddLines is how many of them may be lines that a runner does not write
	// into such a group: it colours the script.
	MaxOddLines = 64
)

// maxScript is how much the script and the inputs of one step may take up. The
// workflow file that they stand in is smaller.
const maxScript = 1 << 20

// A Verdict says what a line of a GitHub log is.
type Verdict uint8

const (
	// Hold means that it is not known yet: hold the line, or go on holding.
	Hold Verdict = iota
	// Text is what the step wrote.
	Text
	// OwnScript is the step's own script, its inputs and environment, which the
	// runner shows between ##[group]Run and ##[endgroup] before the step runs.
	OwnScript
)

// A Script tells a GitHub step's own script from what the step wrote. The runner
// always closes the group that it shows the script in; where a log has only the
// group's first line, what follows is the step's output, and must not be lost. So
// the lines of a group are held until it is decided.
//
// The zero value is ready to use, for one input.
type Script struct {
	open  bool
	sure  bool // it is a group of the runner's: it has what only that has
	keys  bool // behind with: or env:
	odd   int  // how many lines are held that need not be script
	lines int  // held
	bytes int  // held
	total int  // of the group
}

var (
	group    = []byte("##[group]")
	groupRun = []byte("##[group]Run ")
	endGroup = []byte("##[endgroup]")
	command  = []byte("\x1b[36;1m") // the runner's colour for a script
	shell    = []byte("shell: ")
)

// Line takes the next line, stripped but with its escape sequences, and whether
// GitHub's timestamp stood before it. It returns what the lines held are, and
// then what this one is. When that is Hold it returns Hold for both.
func (s *Script) Line(raw []byte, github bool) (held, line Verdict) {
	if github && len(raw) > 0 && raw[0] == '#' {
		switch {
		case bytes.HasPrefix(raw, group):
			held = s.End()
			if !bytes.HasPrefix(raw, groupRun) {
				return held, Text
			}
			s.open = true
			return held, OwnScript
		case s.open && bytes.HasPrefix(raw, endGroup):
			*s = Script{}
			return OwnScript, OwnScript
		}
	}
	if !s.open {
		return Hold, Text
	}
	typical := s.typical(raw)
	s.total += len(raw) + 1
	// A message of several lines, an input such as a prompt, has a timestamp on
	// its first line only.
	if s.sure && s.odd == 0 && (typical || !github) {
		if s.total > maxScript {
			*s = Script{}
			return Hold, Text
		}
		s.lines, s.bytes = 0, 0
		return OwnScript, OwnScript
	}
	if !typical {
		s.odd++
	}
	s.lines++
	s.bytes += len(raw) + 1
	if s.lines <= MaxHeldLines && s.bytes <= MaxHeldBytes && s.odd <= MaxOddLines {
		return Hold, Hold
	}
	if s.odd == 0 {
		// A long script: nothing else goes on in that colour.
		s.sure, s.lines, s.bytes = true, 0, 0
		return OwnScript, OwnScript
	}
	*s = Script{}
	return Text, Text
}

// End says what the lines held are at the end of the input: Text, unless all of
// them look like script, and Hold when there are none. It ends the group.
func (s *Script) End() Verdict {
	v := Text
	switch {
	case s.lines == 0:
		v = Hold // nothing is held
	case s.odd == 0:
		v = OwnScript
	}
	*s = Script{}
	return v
}

// typical reports whether a line of a group has one of the shapes that the runner
// gives to them: the script coloured, then the shell, then inputs and environment
// indented by two.
func (s *Script) typical(raw []byte) bool {
	if bytes.HasPrefix(raw, command) {
		return true
	}
	if s.keys && bytes.HasPrefix(raw, []byte("  ")) {
		return true
	}
	switch key := bytes.TrimRight(raw, " \t\r"); {
	case string(key) == "with:", string(key) == "env:":
		s.keys = true
	case bytes.HasPrefix(raw, shell):
	default:
		return false
	}
	if s.odd == 0 {
		s.sure = true
	}
	return true
}
