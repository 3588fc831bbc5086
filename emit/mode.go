package emit

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/mattn/go-isatty"

	"tagscan/emit/exit"
)

// A View is how output is to look.
type View struct {
	Text  bool // lines for people, not NDJSON
	Color bool
	Links bool // the terminal takes OSC 8 hyperlinks
	ASCII bool // the locale is known not to be UTF-8: no ornaments beyond ASCII
	Width int  // in columns
}

// The widths a terminal is taken to have when it does not say, and at least.
const (
	defaultWidth = 80
	minWidth     = 20
)

// Mode decides how output to out looks, from the values of --format (auto,
// ndjson or text) and --color (auto, always or never) and the environment.
// An empty value is auto; any other is an error with the status [exit.Usage].
//
//   - auto is text on a terminal, NDJSON on a pipe or file. NDJSON has no
//     colour, whatever is asked for.
//   - --color decides before the environment does. Then NO_COLOR, not empty,
//     turns colour off (https://no-color.org); CLICOLOR_FORCE, not empty and
//     not 0, turns it on; else there is colour on a terminal that is not dumb,
//     unless CLICOLOR is 0 (https://bixense.com/clicolors).
//   - Links are for terminals only, and not for the Linux console, which
//     shows them as litter.
//   - The width is the terminal's own, else COLUMNS, else 80.
func Mode(format, color string, out *os.File, getenv func(string) string) (View, error) {
	fd := out.Fd()
	tty := isatty.IsTerminal(fd) || isatty.IsCygwinTerminal(fd)
	width := 0
	if tty {
		width = terminalWidth(fd)
	}
	return mode(format, color, tty, width, getenv)
}

func mode(format, color string, tty bool, width int, getenv func(string) string) (v View, err error) {
	switch format {
	case "auto", "":
		v.Text = tty
	case "text":
		v.Text = true
	case "ndjson":
	default:
		return v, exit.With(exit.Usage, fmt.Errorf("--format=%q: want auto, ndjson or text", format))
	}
	term := getenv("TERM")
	// A Windows console that takes escape sequences says so.
	ansi := term != "dumb" && (runtime.GOOS != "windows" || term != "" || getenv("WT_SESSION") != "" || getenv("ConEmuANSI") == "ON")
	switch color {
	case "always":
		v.Color = true
	case "never":
	case "auto", "":
		switch force := getenv("CLICOLOR_FORCE"); {
		case getenv("NO_COLOR") != "":
		case force != "" && force != "0":
			v.Color = true
		default:
			v.Color = tty && ansi && getenv("CLICOLOR") != "0"
		}
	default:
		return v, exit.With(exit.Usage, fmt.Errorf("--color=%q: want auto, always or never", color))
	}
	v.Color = v.Color && v.Text
	v.Links = v.Text && tty && ansi && term != "linux"
	v.ASCII = otherCharset(getenv)
	if width <= 0 {
		width, _ = strconv.Atoi(getenv("COLUMNS"))
	}
	if width <= 0 {
		width = defaultWidth
	}
	v.Width = max(width, minWidth)
	return v, nil
}

// otherCharset tells whether the locale names a charset, or is one, that is
// not UTF-8. No locale at all is no such word: containers have none, and the
// terminals they are looked at through are UTF-8.
func otherCharset(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToLower(getenv(name)); locale != "" {
			return !strings.Contains(locale, "utf-8") && !strings.Contains(locale, "utf8")
		}
	}
	return false
}
