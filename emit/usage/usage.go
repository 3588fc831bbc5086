// Package usage is what the command line says about itself, out of kong's model
// of it: the help, the manual page, the completion of shells, and errors in
// words that name the mend.
//
// The libraries that complete kong's commands (kongplete, kong-completion) run
// the program at each press of the key and bring half a dozen modules along; a
// script that knows the flags needs neither.
package usage

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"tagscan/emit/exit"
	"tagscan/emit/term"
)

// Errorf is an error with the status [exit.Usage].
func Errorf(format string, args ...any) error {
	return exit.With(exit.Usage, fmt.Errorf(format, args...))
}

// Explain says an error of kong's parser in a line that names the flag or
// argument and the mend. Whole is the program with all its commands, of which the
// parser may know one. Its status is [exit.Usage].
func Explain(err error, whole *kong.Node) error {
	var p *kong.ParseError
	if !errors.As(err, &p) || p.Context == nil {
		return exit.With(exit.Usage, err)
	}
	node := selected(p.Context)
	command := node.FullPath()
	name := strings.TrimPrefix(command, p.Context.Model.Name+" ")
	see := fmt.Sprintf("(see %s --help)", command)
	msg := p.Error()
	// The messages are all that kong tells of an error; a test has each shape.
	flag, rest, _ := strings.Cut(msg, ": ")
	got := between(rest, `but got "`, `"`)
	switch {
	case strings.HasPrefix(msg, "unknown flag "):
		flag, _, _ := strings.Cut(strings.TrimPrefix(msg, "unknown flag "), ", did you mean")
		if of := owners(whole, flag); len(of) > 0 {
			return Errorf("unknown flag %s (it is a flag of %s)", flag, or(of))
		}
		if like := Nearest(flag, flags(node)); like != "" {
			return Errorf("unknown flag %s, did you mean %s?", clip(flag), like)
		}
		return Errorf("unknown flag %s %s", clip(flag), see)

	case strings.HasPrefix(msg, "unexpected argument "):
		arg, _, _ := strings.Cut(strings.TrimPrefix(msg, "unexpected argument "), ", did you mean")
		switch like := Nearest(arg, names(node.Children)); {
		case like != "":
			return Errorf("%s: no command %s, did you mean %s %s?", name, clip(arg), command, like)
		case len(node.Children) > 0:
			return Errorf("%s: no command %s: say %s", name, clip(arg), or(names(node.Children)))
		case has(node, "scan"): // it reads a stream
			return Errorf("%s: unexpected argument %s: it reads standard input, as in %s < FILE", name, clip(arg), command)
		}
		return Errorf("%s: unexpected argument %s: the usage is %s", name, clip(arg), synopsis(node))

	case strings.HasPrefix(msg, "expected ") && len(node.Children) > 0:
		return Errorf("%s: a command is missing: say %s", name, or(names(node.Children)))
	case strings.HasPrefix(msg, "expected "):
		missing := strings.NewReplacer(`"`, "", "<", "", ">", "").Replace(strings.TrimPrefix(msg, "expected "))
		is := " is"
		if strings.Contains(missing, " ") {
			is = " are"
		}
		return Errorf("%s: %s missing: the usage is %s", name, strings.ReplaceAll(missing, " ", " and ")+is, synopsis(node))

	case strings.Contains(rest, `but got "EOL"`), strings.HasPrefix(rest, "missing value"), strings.Contains(rest, "; perhaps try "):
		if f := find(node, flag); f != nil {
			return Errorf("%s: a value is missing: %s", flag, long(f))
		}
	case strings.Contains(msg, " must be one of "):
		flag, rest, _ := strings.Cut(msg, " must be one of ")
		values, got, _ := strings.Cut(rest, " but got ")
		got, values = clip(strings.Trim(got, `"`)), or(strings.Split(strings.ReplaceAll(values, `"`, ""), ","))
		if arg, ok := strings.CutPrefix(flag, "<"); ok {
			return Errorf("%s: %s %s: want %s", name, strings.TrimSuffix(arg, ">"), got, values)
		}
		return Errorf("%s=%s: want %s", flag, got, values)
	case strings.HasPrefix(rest, "expected a valid "):
		return Errorf("%s=%s: want a whole number", flag, clip(got))
	case strings.HasPrefix(rest, "bool value "):
		return Errorf("%s=%s: want true or false, or no value", flag, clip(got))
	}
	return Errorf("%s %s", term.Safe(msg), see)
}

// selected is the command that was parsed, the program itself when none was.
func selected(ctx *kong.Context) *kong.Node {
	if node := ctx.Selected(); node != nil {
		return node
	}
	if node := ctx.Model.Node; node.DefaultCmd != nil {
		return node.DefaultCmd
	}
	return ctx.Model.Node
}

func between(s, from, to string) string {
	_, s, _ = strings.Cut(s, from)
	s, _, _ = strings.Cut(s, to)
	return s
}

// clip makes of an argument what a line of a message can hold.
func clip(s string) string {
	const most = 60
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most]) + "…"
	}
	return term.Safe(s)
}

// or is "a, b or c".
func or(s []string) string {
	if len(s) < 2 {
		return strings.Join(s, "")
	}
	return strings.Join(s[:len(s)-1], ", ") + " or " + s[len(s)-1]
}

// Nearest is the name that is meant by a misspelled word: the closest at an
// edit distance of at most two, and of at most half its letters; else the only
// one that begins with it, if it has three letters. "" is none.
func Nearest(word string, names []string) (name string) {
	best := 3
	for _, n := range names {
		letters := len(strings.TrimLeft(n, "-"))
		if len(word) > len(n)+2 { // and no quadratic work on a long one
			continue
		}
		if d := distance(word, n); d < best && 2*d <= letters {
			best, name = d, n
		}
	}
	if name != "" || len(strings.TrimLeft(word, "-")) < 3 {
		return name
	}
	for _, n := range names {
		switch {
		case !strings.HasPrefix(n, word):
		case name != "":
			return ""
		default:
			name = n
		}
	}
	return name
}

// distance is Levenshtein's, with neighbours that changed places for one edit.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			d := last[j]
			if a[i] != b[j] {
				d++
			}
			row[j+1] = min(d, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

func names(nodes []*kong.Node) (s []string) {
	for _, n := range nodes {
		s = append(s, n.Name)
	}
	return s
}

// all are the flags that a command takes, its own first.
func all(node *kong.Node) (s []*kong.Flag) {
	for ; node != nil; node = node.Parent {
		s = append(s, node.Flags...)
	}
	return s
}

// flags are the spellings of the flags that a command takes.
func flags(node *kong.Node) (s []string) {
	for _, f := range all(node) {
		s = append(s, "--"+f.Name)
	}
	return s
}

// owners are the commands below node that have a flag of their own.
func owners(node *kong.Node, flag string) (s []string) {
	for _, n := range node.Children {
		if slices.ContainsFunc(n.Flags, func(f *kong.Flag) bool { return flag == "--"+f.Name || flag == "-"+string(f.Short) }) {
			s = append(s, n.Path())
		}
		s = append(s, owners(n, flag)...)
	}
	return s
}

func has(node *kong.Node, flag string) bool { return find(node, "--"+flag) != nil }

func find(node *kong.Node, flag string) *kong.Flag {
	list := all(node)
	if i := slices.IndexFunc(list, func(f *kong.Flag) bool { return "--"+f.Name == flag }); i >= 0 {
		return list[i]
	}
	return nil
}

// synopsis is how a command is called, its flags aside.
func synopsis(node *kong.Node) string {
	s := node.FullPath()
	if node.Parent != nil && node.Parent.DefaultCmd == node {
		s = node.Parent.FullPath() + " [" + node.Name + "]"
	}
	if len(node.Children) > 0 {
		s += " COMMAND"
	}
	for _, p := range node.Positional {
		name := p.Name
		if p.IsCumulative() {
			name += " ..."
		}
		if !p.Required {
			name = "[" + name + "]"
		}
		s += " " + name
	}
	return s
}

// long is a flag as it is written: --role=ROLE.
func long(f *kong.Flag) string {
	if f.IsBool() {
		return "--" + f.Name
	}
	return "--" + f.Name + "=" + placeholder(f)
}

func placeholder(f *kong.Flag) string {
	if f.PlaceHolder != "" {
		return f.PlaceHolder
	}
	return strings.ToUpper(f.Name)
}

// Permute moves the flags of a command's arguments before the others, as GNU's
// getopt does: kong takes no flag between two FILEs, and no -- behind one. What
// follows -- is no flag.
func Permute(node *kong.Node, args []string) []string {
	var flags, others []string
	mixed := false
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			others = append(others, args[i+1:]...)
			mixed = true
			break
		}
		if len(arg) < 2 || arg[0] != '-' {
			others = append(others, arg)
			continue
		}
		mixed = mixed || len(others) > 0
		flags = append(flags, arg)
		if takesNext(node, arg) && i+1 < len(args) {
			i++
			flags = append(flags, args[i])
		}
	}
	if !mixed {
		return args
	}
	return append(append(flags, "--"), others...)
}

// takesNext tells whether the argument after a flag is its value.
func takesNext(node *kong.Node, arg string) bool {
	if strings.HasPrefix(arg, "--") {
		f := find(node, arg)
		return f != nil && !f.IsBool()
	}
	// Of several short flags in one, the first with a value takes the rest.
	for i, short := range arg[1:] {
		for _, f := range all(node) {
			if f.Short == short && !f.IsBool() {
				return 1+i+len(string(short)) == len(arg)
			}
		}
	}
	return false
}
