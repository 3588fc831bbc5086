package emit

import (
	"fmt"
	"os"
	"testing"

	"tagscan/emit/exit"
)

func TestMode(t *testing.T) {
	type env map[string]string
	text, plain := View{Text: true, Color: true, Links: true, Width: 80}, View{Width: 80}
	with := func(v View, change func(*View)) View { change(&v); return v }
	noColor := func(v *View) { v.Color = false }
	for _, tt := range []struct {
		name          string
		format, color string
		tty           bool
		width         int
		env           env
		want          View
	}{
		{name: "terminal", tty: true, want: text},
		{name: "pipe", want: plain},
		{name: "auto said aloud", format: "auto", color: "auto", tty: true, want: text},
		{name: "ndjson on a terminal", format: "ndjson", color: "always", tty: true, want: plain},
		{name: "text on a pipe", format: "text", want: View{Text: true, Width: 80}},
		{name: "coloured text on a pipe", format: "text", color: "always", want: View{Text: true, Color: true, Width: 80}},
		{name: "color cannot make text", color: "always", want: plain},
		{name: "never", color: "never", tty: true, want: with(text, noColor)},
		{name: "NO_COLOR", tty: true, env: env{"NO_COLOR": "1"}, want: with(text, noColor)},
		{name: "NO_COLOR empty", tty: true, env: env{"NO_COLOR": ""}, want: text},
		{name: "NO_COLOR beats CLICOLOR_FORCE", tty: true, env: env{"NO_COLOR": "1", "CLICOLOR_FORCE": "1"}, want: with(text, noColor)},
		{name: "the flag beats NO_COLOR", color: "always", tty: true, env: env{"NO_COLOR": "1"}, want: text},
		{name: "the flag beats CLICOLOR_FORCE", color: "never", tty: true, env: env{"CLICOLOR_FORCE": "1"}, want: with(text, noColor)},
		{name: "CLICOLOR_FORCE on a pipe", format: "text", env: env{"CLICOLOR_FORCE": "1"}, want: View{Text: true, Color: true, Width: 80}},
		{name: "CLICOLOR_FORCE cannot make text", env: env{"CLICOLOR_FORCE": "1"}, want: plain},
		{name: "CLICOLOR_FORCE=0", format: "text", env: env{"CLICOLOR_FORCE": "0"}, want: View{Text: true, Width: 80}},
		{name: "CLICOLOR=0", tty: true, env: env{"CLICOLOR": "0"}, want: with(text, noColor)},
		{name: "dumb", tty: true, env: env{"TERM": "dumb"}, want: View{Text: true, Width: 80}},
		{name: "dumb, but always", color: "always", tty: true, env: env{"TERM": "dumb"}, want: View{Text: true, Color: true, Width: 80}},
		{name: "console", tty: true, env: env{"TERM": "linux"}, want: View{Text: true, Color: true, Width: 80}},
		{name: "the terminal's width", tty: true, width: 200, env: env{"COLUMNS": "90"}, want: with(text, func(v *View) { v.Width = 200 })},
		{name: "COLUMNS", env: env{"COLUMNS": "90"}, want: View{Width: 90}},
		{name: "COLUMNS is nonsense", env: env{"COLUMNS": "wide"}, want: plain},
		{name: "COLUMNS is negative", env: env{"COLUMNS": "-5"}, want: plain},
		{name: "too narrow", tty: true, width: 3, want: with(text, func(v *View) { v.Width = 20 })},
		{name: "UTF-8 locale", env: env{"LANG": "de_DE.UTF-8"}, want: plain},
		{name: "other locale", env: env{"LANG": "de_DE.ISO-8859-1"}, want: View{ASCII: true, Width: 80}},
		{name: "LC_ALL goes first", env: env{"LC_ALL": "C.utf8", "LANG": "C"}, want: plain},
	} {
		t.Run(tt.name, func(t *testing.T) {
			getenv := func(name string) string {
				if value, ok := tt.env[name]; ok || name != "TERM" {
					return value
				}
				return "xterm"
			}
			got, err := mode(tt.format, tt.color, tt.tty, tt.width, getenv)
			if err != nil || got != tt.want {
				t.Errorf("got %+v, %v\nwant %+v", got, err, tt.want)
			}
		})
	}
	for _, bad := range [][2]string{{"json", ""}, {"", "yes"}} {
		if _, err := mode(bad[0], bad[1], true, 0, os.Getenv); exit.Status(err) != exit.Usage {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func ExampleMode() {
	out, err := os.CreateTemp("", "")
	if err != nil {
		return
	}
	defer os.Remove(out.Name())
	view, _ := Mode("auto", "auto", out, func(string) string { return "" })
	fmt.Printf("%+v\n", view)
	_, err = Mode("auto", "sometimes", out, os.Getenv)
	fmt.Println(err)
	// Output:
	// {Text:false Color:false Links:false ASCII:false Width:80}
	// --color="sometimes": want auto, always or never
}
