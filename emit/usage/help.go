package usage

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// width is what help is wrapped to, in columns: every terminal has them.
const width = 80

// Help writes the help of a command, or of the program: how it is called, what
// it does, examples (the node's Detail), and its commands and flags.
func Help(w io.Writer, node *kong.Node) error {
	var b strings.Builder
	app := node.Parent == nil
	switch {
	case app:
		fmt.Fprintf(&b, "Usage: %s [FILE ...] [flags]\n       %[1]s COMMAND [ARG ...] [flags]\n", node.Name)
	case len(node.Flags) > 0:
		fmt.Fprintf(&b, "Usage: %s [flags]\n", synopsis(node))
	default:
		fmt.Fprintf(&b, "Usage: %s\n", synopsis(node))
	}
	fmt.Fprintf(&b, "\n%s\n", strings.Join(wrap(node.Help, width), "\n"))
	if node.Detail != "" {
		b.WriteByte('\n')
		for line := range strings.Lines(node.Detail) {
			b.WriteString("  " + line)
		}
		b.WriteByte('\n')
	}
	if len(node.Children) > 0 {
		b.WriteByte('\n')
		var rows [][2]string
		for _, c := range node.Children {
			name := strings.TrimPrefix(synopsis(c), node.FullPath()+" ")
			if app {
				name = c.Name
			}
			rows = append(rows, [2]string{name, c.Help})
		}
		columns(&b, rows)
	}
	var rows [][2]string
	for _, p := range node.Positional {
		rows = append(rows, [2]string{"    " + p.Name, p.Help})
	}
	own, others := parts(node)
	for _, f := range own {
		rows = append(rows, [2]string{spelling(f), f.Help})
	}
	if len(rows) > 0 {
		b.WriteByte('\n')
		columns(&b, rows)
	}
	if others != "" {
		fmt.Fprintf(&b, "\n%s\n", strings.Join(wrap(others, width), "\n"))
	}
	if app && node.DefaultCmd != nil {
		fmt.Fprintf(&b, "\nThe flags of %s alone are those of %s: see %[1]s %[2]s --help.\n", node.Name, node.DefaultCmd.Name)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// parts are the flags of a command that its help explains, and a sentence about
// the others: those whose group names the command that explains them.
func parts(node *kong.Node) (own []*kong.Flag, others string) {
	for _, f := range node.Flags {
		switch {
		case f.Group == nil || f.Group.Key == node.Name:
			own = append(own, f)
		case others == "":
			program, _, _ := strings.Cut(node.FullPath(), " ")
			others = fmt.Sprintf("With --%s, the flags of %[2]s %[1]s too: --%[3]s", f.Group.Key, program, f.Name)
		default:
			others += " --" + f.Name
		}
	}
	return own, others
}

// spelling is a flag in both its forms: -r, --rules=FILE.
func spelling(f *kong.Flag) string {
	s := "    "
	if f.Short != 0 {
		s = "-" + string(f.Short) + ", "
	}
	s += long(f)
	if f.IsSlice() {
		s += "..."
	}
	return s
}

// columns writes names and what they mean side by side.
func columns(b *strings.Builder, rows [][2]string) {
	left := 0
	for _, r := range rows {
		left = max(left, len(r[0]))
	}
	for _, r := range rows {
		for i, line := range wrap(r[1], width-left-4) {
			if i > 0 {
				r[0] = ""
			}
			fmt.Fprintf(b, "  %-*s  %s\n", left, r[0], line)
		}
	}
}

// wrap breaks text into lines of at most n columns, a longer word aside.
func wrap(text string, n int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case len(line)+1+len(word) > n:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}
