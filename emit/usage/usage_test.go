package usage

import (
	"errors"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"tagscan/emit/exit"
)

type cmd struct {
	Read struct {
		Files []string `arg:"" optional:"" name:"FILE" help:"Files."`
		Mode  string   `enum:"fast,slow" default:"fast" placeholder:"HOW" help:"How."`
		Max   *int     `placeholder:"N" help:"How many."`
		Name  []string `short:"n" placeholder:"NAME" help:"Which."`
		Quiet bool     `help:"No hints."`
		Into  string   `placeholder:"DIR" help:"Where to, [or] not: that's the question."`
		Size  uint     `group:"other" help:"Explained elsewhere."`
	} `cmd:"" default:"withargs" help:"Read files."`
	Stream struct {
		Scan  bool `help:"Read text."`
		Force bool `help:"Whatever comes."`
	} `cmd:"" help:"Read a stream."`
	Store struct {
		Put struct {
			Kind  string `arg:"" name:"KIND" enum:"pr,issue" help:"What."`
			Value string `arg:"" name:"VALUE" help:"How much."`
		} `cmd:"" help:"Put it."`
		Get struct {
			Force bool `help:"Whatever it is."`
		} `cmd:"" help:"Get it."`
	} `cmd:"" help:"Keep things."`
}

func parser(t *testing.T) *kong.Kong {
	p, err := kong.New(new(cmd), kong.Name("prog"), kong.Description("Do things."), kong.NoDefaultHelp())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestExplain has a row for each shape of message that kong gives.
func TestExplain(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--scan", "unknown flag --scan (it is a flag of stream)"},
		{"stream --max=1", "unknown flag --max (it is a flag of read)"},
		{"stream -n x", "unknown flag -n (it is a flag of read)"},
		{"store put --force", "unknown flag --force (it is a flag of stream or store get)"},
		{"--quite", "unknown flag --quite, did you mean --quiet?"},
		{"--xyzzy", "unknown flag --xyzzy (see prog read --help)"},
		{"-z", "unknown flag -z (see prog read --help)"},
		{"stream --scna", "unknown flag --scna, did you mean --scan?"},
		{"--mode", "--mode: a value is missing: --mode=HOW"},
		{"--mode --quiet", "--mode: a value is missing: --mode=HOW"},
		{"--name", "--name: a value is missing: --name=NAME"},
		{"--max", "--max: a value is missing: --max=N"},
		{"--size", "--size: a value is missing: --size=SIZE"},
		{"--mode=medium", "--mode=medium: want fast or slow"},
		{"--max=many", "--max=many: want a whole number"},
		{"--max=1.5", "--max=1.5: want a whole number"},
		{"--max=9999999999999999999", "--max=9999999999999999999: want a whole number"},
		{"--size=-1", "--size=-1: want a whole number"},
		{"--quiet=maybe", "--quiet=maybe: want true or false, or no value"},
		{"stream file", "stream: unexpected argument file: it reads standard input, as in prog stream < FILE"},
		{"store", "store: a command is missing: say put or get"},
		{"store pit", "store: no command pit, did you mean prog store put?"},
		{"store elsewhere", "store: no command elsewhere: say put or get"},
		{"store put", "store put: KIND and VALUE are missing: the usage is prog store put KIND VALUE"},
		{"store put pr", "store put: VALUE is missing: the usage is prog store put KIND VALUE"},
		{"store put car 1", "store put: KIND car: want pr or issue"},
		{"store put pr 1 2", "store put: unexpected argument 2: the usage is prog store put KIND VALUE"},
		{"--" + strings.Repeat("long", 99), "unknown flag --" + strings.Repeat("long", 14) + "lo… (see prog read --help)"},
	} {
		_, err := parser(t).Parse(strings.Fields(c.args))
		if err == nil {
			t.Errorf("%s: no error", c.args)
			continue
		}
		err = Explain(err, parser(t).Model.Node)
		if got := err.Error(); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.args, got, c.want)
		}
		if s := exit.Status(err); s != exit.Usage {
			t.Errorf("%s: status %d", c.args, s)
		}
	}
	_, err := parser(t).Parse([]string{"--a\n    b\x1b"})
	if got, want := Explain(err, parser(t).Model.Node).Error(), `unknown flag --a\n    b\x1b (see prog read --help)`; got != want {
		t.Errorf("control characters: got %q, want %q", got, want)
	}
	if err := Explain(errors.New("as it is"), nil); err.Error() != "as it is" || exit.Status(err) != exit.Usage {
		t.Errorf("an error that is not kong's: %v", err)
	}
}

func TestNearest(t *testing.T) {
	commands := []string{"scan", "validate", "route", "gate", "man"}
	for _, c := range []struct{ word, want string }{
		{"rout", "route"}, {"routes", "route"}, {"ruote", "route"}, {"rte", "route"},
		{"scna", "scan"}, {"gaet", "gate"}, {"vaildate", "validate"}, {"valdat", "validate"},
		{"mna", "man"}, {"man", "man"},
		{"val", "validate"}, {"va", ""}, {"valid.txt", ""},
		{"", ""}, {"a", ""}, {"in", ""}, {"log", ""}, {"missing.txt", ""}, {"SCAN", ""}, {"validation.log", ""},
		{strings.Repeat("scan", 1<<20), ""},
	} {
		if got := Nearest(c.word, commands); got != c.want {
			t.Errorf("%.40q: got %q, want %q", c.word, got, c.want)
		}
	}
}

func TestHelp(t *testing.T) {
	p := parser(t)
	p.Model.Children[0].Detail = "prog --max 3 a b\nprog < c"
	for _, c := range []struct {
		node *kong.Node
		want string
	}{
		{p.Model.Node, `Usage: prog [FILE ...] [flags]
       prog COMMAND [ARG ...] [flags]

Do things.

  read    Read files.
  stream  Read a stream.
  store   Keep things.

The flags of prog alone are those of read: see prog read --help.
`},
		{p.Model.Children[0], `Usage: prog [read] [FILE ...] [flags]

Read files.

  prog --max 3 a b
  prog < c

      FILE          Files.
      --mode=HOW    How.
      --max=N       How many.
  -n, --name=NAME...  Which.
      --quiet       No hints.
      --into=DIR    Where to, [or] not: that's the question.

With --other, the flags of prog other too: --size
`},
		{p.Model.Children[2], `Usage: prog store COMMAND

Keep things.

  put KIND VALUE  Put it.
  get             Get it.
`},
	} {
		var b strings.Builder
		if err := Help(&b, c.node); err != nil {
			t.Fatal(err)
		}
		if got := squeeze(b.String()); got != squeeze(c.want) {
			t.Errorf("got\n%s\nwant\n%s", b.String(), c.want)
		}
		for _, line := range strings.Split(b.String(), "\n") {
			if len(line) > width {
				t.Errorf("a line of %d columns: %s", len(line), line)
			}
		}
	}
}

// squeeze makes one blank of several, so that columns are not counted by hand.
func squeeze(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString(strings.Join(strings.Fields(line), " ") + "\n")
	}
	return b.String()
}

func TestRoff(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`a-b \n`, `a\-b \en`},
		{".TH is a macro", `\&.TH is a macro`},
		{"a\n'b' `c` ^~", "a\n\\(aqb\\(aq \\(gac\\(ga \\(ha\\(ti"},
	} {
		if got := roff(c.in); got != c.want {
			t.Errorf("%q: got %q, want %q", c.in, got, c.want)
		}
	}
}

func TestComplete(t *testing.T) {
	app := parser(t).Model.Node
	if err := Complete(new(strings.Builder), "csh", app, nil); err == nil || err.Error() != "completion: no shell csh: say bash, zsh or fish" {
		t.Errorf("csh: %v", err)
	}
	for shell, wants := range map[string][]string{
		"bash": {
			`"read --mode") words=$'fast\nslow' ;;`,
			`"read --into") files=$'dir' ;;`,
			`"store put") words=$'pr\nissue' ;;`,
			`"read") flags=$'--mode\n--max\n--name\n--quiet\n--into\n--size' files=$'file' ;;`,
			`"read --name"|"read -n") words=$'Ann\nBob' ;;`,
		},
		"zsh": {
			`'--mode=[How.]:HOW:(fast slow)'`,
			`'(-n --name)'{-n+,--name=}'[Which.]:NAME:(Ann Bob)'`,
			`'--into=[Where to, \[or\] not\: that'\''s the question.]:DIR:_files -/'`,
			`'1:KIND:(pr issue)'`, `'*:FILE:_files'`,
		},
		"fish": {
			`complete -c prog -n '__prog_at read' -l mode -x -a 'fast slow' -d 'How.'`,
			`complete -c prog -n '__prog_at read' -l into -x -a '(__fish_complete_directories)' -d 'Where to, [or] not: that'\''s the question.'`,
			`complete -c prog -n '__prog_is store put' -x -a 'pr issue'`,
		},
	} {
		var b strings.Builder
		if err := Complete(&b, shell, app, Values{"read --name": {"Ann", "Bob"}}); err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: no %s in\n%s", shell, want, b.String())
			}
		}
	}
}

func TestPermute(t *testing.T) {
	node := parser(t).Model.Children[0]
	for _, c := range []struct{ args, want string }{
		{"", ""},
		{"a b", "a b"},
		{"--quiet a", "--quiet a"},
		{"a --quiet b", "--quiet -- a b"},
		{"a --mode slow b", "--mode slow -- a b"},
		{"a --mode=slow b", "--mode=slow -- a b"},
		{"a -n Ann b", "-n Ann -- a b"},
		{"a -nAnn b", "-nAnn -- a b"},
		{"a - --max 3", "--max 3 -- a -"},
		{"a --mode", "--mode -- a"},
		{"a --unknown b", "--unknown -- a b"},
		{"a --quiet -- --mode -n", "--quiet -- a --mode -n"},
		{"a -- --quiet", "-- a --quiet"},
		{"-- a --quiet", "-- a --quiet"},
		{"--quiet -- -- a", "--quiet -- -- a"},
		{"a --", "-- a"},
	} {
		if got := strings.Join(Permute(node, strings.Fields(c.args)), " "); got != c.want {
			t.Errorf("%s: got %s, want %s", c.args, got, c.want)
		}
	}
}
