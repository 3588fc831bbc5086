package usage

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// Values tells the values that a flag or an argument takes beyond those of its
// enumeration, by the command's path and the name: "route --pack", "skill show
// NAME".
type Values map[string][]string

// Shells are those that can be completed.
var Shells = []string{"bash", "zsh", "fish"}

// Complete writes the script that completes the program's commands, flags,
// values and files in a shell. The script does not run the program.
func Complete(w io.Writer, shell string, app *kong.Node, values Values) error {
	c := &completion{app: app, values: values}
	c.add(app.DefaultCmd, "")
	for _, n := range app.Children {
		c.add(n, n.Name)
	}
	switch shell {
	case "bash":
		c.bash()
	case "zsh":
		c.zsh()
	case "fish":
		c.fish()
	default:
		return Errorf("completion: no shell %s: say %s", clip(shell), or(Shells))
	}
	_, err := io.WriteString(w, c.b.String())
	return err
}

// A completion is a script being made.
type completion struct {
	app    *kong.Node
	values Values
	paths  []path
	b      strings.Builder
}

// A path is a command as it is typed: "", "gate", "repair set".
type path struct {
	typed string
	node  *kong.Node
}

func (c *completion) add(node *kong.Node, typed string) {
	c.paths = append(c.paths, path{typed, node})
	for _, n := range node.Children {
		c.add(n, typed+" "+n.Name)
	}
}

func (c *completion) printf(format string, args ...any) { fmt.Fprintf(&c.b, format, args...) }

// of are the words that a value can be, and whether it is a file or directory.
func (c *completion) of(n *kong.Node, name, holder string, v *kong.Value) (words []string, what string) {
	words = c.values[strings.TrimPrefix(n.FullPath(), c.app.Name+" ")+" "+name]
	if v.Enum != "" {
		words = strings.Split(v.Enum, ",")
	}
	switch {
	case words != nil:
		return words, ""
	case holder == "FILE":
		return nil, "file"
	case holder == "DIR":
		return nil, "dir"
	}
	return nil, ""
}

// argument is what can follow a command at the position i: its words, or what
// kind of name it is.
func (c *completion) argument(n *kong.Node, i int) (words []string, what string) {
	if len(n.Children) > 0 {
		return names(n.Children), ""
	}
	if len(n.Positional) == 0 {
		return nil, ""
	}
	v := n.Positional[min(i, len(n.Positional)-1)]
	return c.of(n, v.Name, v.Name, v)
}

// bash needs no bash-completion, and takes the 3.2 of macOS.
func (c *completion) bash() {
	c.printf(`# bash completion for %[1]s: source it, or save it as
# ~/.local/share/bash-completion/completions/%[1]s

_%[1]s() {
    local IFS=$'\n' cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command= flags= words= files=
    # --flag=value is three words to bash
    if [[ $cur == = ]]; then cur=
    elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
    if ((COMP_CWORD > 1)); then case ${COMP_WORDS[1]} in
`, c.app.Name)
	for _, n := range c.app.Children {
		if len(n.Children) == 0 {
			c.printf("    %s) command=%[1]s ;;\n", n.Name)
			continue
		}
		c.printf("    %s) command=%[1]s\n        if ((COMP_CWORD > 2)); then case ${COMP_WORDS[2]} in %s) command+=\" ${COMP_WORDS[2]}\" ;; esac; fi ;;\n",
			n.Name, strings.Join(names(n.Children), "|"))
	}
	c.printf("    esac; fi\n    case \"$command $prev\" in\n")
	for _, p := range c.paths {
		for _, f := range all(p.node) {
			if f.IsBool() {
				continue
			}
			words, what := c.of(p.node, "--"+f.Name, placeholder(f), f.Value)
			c.printf("    %q", p.typed+" --"+f.Name)
			if f.Short != 0 {
				c.printf("|%q", p.typed+" -"+string(f.Short))
			}
			c.printf(")%s ;;\n", assign("words", words)+assign("files", []string{what}))
		}
	}
	c.printf("    *) case $command in\n")
	for _, p := range c.paths {
		var flags []string
		for _, f := range all(p.node) {
			flags = append(flags, "--"+f.Name)
		}
		words, what := c.argument(p.node, 0)
		if p.typed == "" {
			words = names(c.app.Children)
		}
		c.printf("        %q)%s ;;\n", p.typed, assign("flags", flags)+assign("words", words)+assign("files", []string{what}))
		if p.typed == "" {
			c.printf("        esac\n        ((COMP_CWORD == 1)) || [[ $command ]] || words=\n        case $command in\n")
		}
	}
	c.printf(`        esac ;;
    esac
    [[ $cur == -* && $flags ]] && words=$flags files=
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    case $files in
    file) COMPREPLY+=($(compgen -f -- "$cur")) ;;
    dir) COMPREPLY+=($(compgen -d -- "$cur")) ;;
    *) return ;;
    esac
    compopt -o filenames 2>/dev/null
}
complete -F _%[1]s %[1]s
`, c.app.Name)
}

// assign is the assignment of lines to a variable of bash that is empty so far.
func assign(name string, lines []string) string {
	if s := strings.Join(lines, `\n`); s != "" {
		return " " + name + "=$'" + s + "'"
	}
	return ""
}

// quoted is s within single quotes.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func (c *completion) zsh() {
	c.printf("#compdef %[1]s\n# zsh completion for %[1]s: save it as _%[1]s in a directory of $fpath, or source it\n\n_%[1]s() {\n    local -a commands\n    case \"$words[2] $words[3]\" in\n", c.app.Name)
	escape := strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, ":", `\:`)
	action := func(words []string, what string) string {
		switch what {
		case "file":
			return "_files"
		case "dir":
			return "_files -/"
		}
		if words == nil {
			return " "
		}
		return "(" + strings.Join(words, " ") + ")"
	}
	// The longest paths come first: "repair set" before "repair", "" last.
	for i := len(c.paths) - 1; i >= 0; i-- {
		p := c.paths[i]
		n := p.node
		words := strings.Fields(p.typed)
		switch len(words) {
		case 0:
			c.printf("    *)\n        if ((CURRENT == 2)) && [[ $PREFIX != -* ]]; then\n            commands=(")
			for _, n := range c.app.Children {
				c.printf(" %s", quoted(n.Name+":"+escape.Replace(n.Help)))
			}
			c.printf(")\n            _describe command commands\n        fi\n")
		case 1:
			c.printf("    %q*)\n        shift words; ((CURRENT--))\n", words[0]+" ")
		case 2:
			c.printf("    %q)\n        shift 2 words; ((CURRENT -= 2))\n", words[0]+" "+words[1])
		}
		c.printf("        _arguments -s -S")
		for _, f := range all(n) {
			star := ""
			if f.IsSlice() {
				star = "*"
			}
			spec := "[" + escape.Replace(f.Help) + "]"
			eq := ""
			if !f.IsBool() {
				eq = "="
				spec += ":" + placeholder(f) + ":" + action(c.of(n, "--"+f.Name, placeholder(f), f.Value))
			}
			if f.Short == 0 {
				c.printf(" \\\n            %s", quoted(star+"--"+f.Name+eq+spec))
				continue
			}
			c.printf(" \\\n            '(-%[1]c --%[2]s)'{-%[1]c%[3]s,--%[2]s%[4]s}%[5]s", f.Short, f.Name, strings.ReplaceAll(eq, "=", "+"), eq, quoted(spec))
		}
		if len(n.Children) > 0 {
			c.printf(" \\\n            %s", quoted("1:command:("+strings.Join(names(n.Children), " ")+")"))
		}
		for i, a := range n.Positional {
			at := fmt.Sprint(i + 1)
			if a.IsCumulative() {
				at = "*"
			}
			if !a.Required && at != "*" {
				at += ":"
			}
			c.printf(" \\\n            %s", quoted(at+":"+a.Name+":"+action(c.argument(n, i))))
		}
		c.printf(" ;;\n")
	}
	c.printf("    esac\n}\n\nif [[ $funcstack[1] == _%[1]s ]]; then _%[1]s \"$@\"; else compdef _%[1]s %[1]s; fi\n", c.app.Name)
}

func (c *completion) fish() {
	name := c.app.Name
	c.printf("# fish completion for %[1]s: save it as ~/.config/fish/completions/%[1]s.fish, or source it\n\n", name)
	c.printf("function __%s_at --description 'is the command this one?'\n    set -l words (commandline -opc)[2..-1]\n    set -l n (count $argv)\n    test \"$words[1..$n]\" = \"$argv\"\nend\n", name)
	c.printf("function __%s_is --description 'is the command this one, and all so far?'\n    test (commandline -opc | string join ' ') = \"%[1]s $argv\"\nend\n", name)
	c.printf("function __%s_alone --description 'is there no command?'\n    set -l words (commandline -opc)[2..-1]\n    not contains -- \"$words[1]\" %s\nend\n", name, strings.Join(names(c.app.Children), " "))
	c.printf("function __%s_first --description 'is it the first word?'\n    test (count (commandline -opc)) -eq 1\nend\n\ncomplete -c %[1]s -f\n", name)
	for _, n := range c.app.Children {
		c.printf("complete -c %s -n __%[1]s_first -a %s -d %s\n", name, n.Name, quoted(n.Help))
	}
	value := func(words []string, what string) {
		switch {
		case what == "file":
			c.printf(" -r -F")
		case what == "dir":
			c.printf(" -x -a '(__fish_complete_directories)'")
		default:
			c.printf(" -x -a %s", quoted(strings.Join(words, " ")))
		}
	}
	for _, p := range c.paths {
		when := "__" + name + "_at " + p.typed
		if p.typed == "" {
			when = "__" + name + "_alone"
		}
		c.printf("\n")
		for _, f := range all(p.node) {
			c.printf("complete -c %s -n %s -l %s", name, quoted(when), f.Name)
			if f.Short != 0 {
				c.printf(" -s %c", f.Short)
			}
			if !f.IsBool() {
				value(c.of(p.node, "--"+f.Name, placeholder(f), f.Value))
			}
			c.printf(" -d %s\n", quoted(f.Help))
		}
		if words, what := c.argument(p.node, 0); words != nil || what != "" {
			if words != nil {
				when = "__" + name + "_is " + p.typed
			}
			c.printf("complete -c %s -n %s", name, quoted(when))
			value(words, what)
			c.printf("\n")
		}
	}
}
