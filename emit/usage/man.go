package usage

import (
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// A Section is one of the manual page that the model does not hold.
type Section struct {
	Title string
	Text  string      // a paragraph before the rows
	Rows  [][2]string // names and what they mean
}

// Man writes the manual page of the program in the macros of man(7). The date
// is when the version was made, as year-month-day.
func Man(w io.Writer, app *kong.Node, version, date string, sections ...Section) error {
	var b strings.Builder
	line := func(macro string, args ...string) {
		b.WriteString(macro)
		for _, a := range args {
			b.WriteString(` "` + strings.ReplaceAll(roff(a), `"`, `\(dq`) + `"`)
		}
		b.WriteByte('\n')
	}
	text := func(s string) { b.WriteString(roff(strings.Join(wrap(s, 72), "\n")) + "\n") }
	example := func(node *kong.Node) {
		if node.Detail != "" {
			line(".PP")
			line(".nf")
			line(".RS", "4")
			b.WriteString(roff(node.Detail) + "\n")
			line(".RE")
			line(".fi")
		}
	}
	flag := func(f *kong.Flag) {
		line(".TP")
		b.WriteString(`\fB` + roff(strings.TrimSpace(spelling(f))) + `\fR` + "\n")
		text(f.Help)
	}

	line(".TH", strings.ToUpper(app.Name), "1", date, version, "")
	line(".SH", "NAME")
	summary := strings.TrimSuffix(app.Help, ".")
	b.WriteString(roff(app.Name) + ` \- ` + roff(strings.ToLower(summary[:1])+summary[1:]) + "\n")
	line(".SH", "SYNOPSIS")
	for i, n := range app.Children {
		if i > 0 {
			line(".br")
		}
		b.WriteString(`\fB` + roff(synopsis(n)) + `\fR`)
		if len(n.Flags) > 0 {
			b.WriteString(` [\fIflags\fR]`)
		}
		b.WriteByte('\n')
	}
	line(".SH", "DESCRIPTION")
	text(app.Help)
	example(app)
	line(".SH", "COMMANDS")
	var command func(n *kong.Node)
	command = func(n *kong.Node) {
		line(".SS", synopsis(n))
		text(n.Help)
		example(n)
		for _, p := range n.Positional {
			line(".TP")
			b.WriteString(`\fI` + roff(p.Name) + `\fR` + "\n")
			text(p.Help)
		}
		own, others := parts(n)
		for _, f := range own {
			flag(f)
		}
		if others != "" {
			line(".PP")
			text(others)
		}
		for _, c := range n.Children {
			command(c)
		}
	}
	for _, n := range app.Children {
		command(n)
	}
	line(".SS", "Everywhere")
	for _, f := range app.Flags {
		flag(f)
	}
	for _, s := range sections {
		line(".SH", s.Title)
		if s.Text != "" {
			text(s.Text)
		}
		for _, r := range s.Rows {
			line(".TP")
			b.WriteString(`\fB` + roff(r[0]) + `\fR` + "\n")
			text(r[1])
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// roff writes text so that troff shows it as it is.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
