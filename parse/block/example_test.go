package block_test

import (
	"fmt"
	"strings"

	"tagscan/parse/block"
)

func Example() {
	doc := "Run it:\n\n1. In a shell\n   ```sh\n   make\n\n2. > ~~~\n   > done\n\n       ```\n"
	var p block.Parser
	for line := range strings.Lines(doc) {
		line = strings.TrimSuffix(line, "\n")
		l := p.Line([]byte(line))
		switch {
		case l.Open:
			fmt.Printf("opens %q\n", line)
		case l.Fenced:
			fmt.Printf("code  %q\n", line)
		default:
			fmt.Printf("text  %q\n", line)
		}
	}
	// Output:
	// text  "Run it:"
	// text  ""
	// text  "1. In a shell"
	// opens "   ```sh"
	// code  "   make"
	// code  ""
	// opens "2. > ~~~"
	// code  "   > done"
	// text  ""
	// text  "       ```"
}

// Lines of which the first byte says enough need no look at the rest.
func ExampleParser_Plain() {
	var p block.Parser
	skipped := 0
	for line := range strings.Lines("some text\ngoes on\n```\nx := 1\ny := 2\n```\n<pr>\n") {
		marker, fence := p.InTopFence()
		switch b := line[0]; {
		case p.Plain() && !block.Starts[b]:
			p.Text()
			skipped++
		case fence && (b == '\n' || b != marker && b != ' ' && b != '\t'):
			p.Body()
			skipped++
		default:
			p.Line([]byte(strings.TrimSuffix(line, "\n")))
		}
	}
	fmt.Println(skipped, "of 7 lines skipped")
	// Output: 4 of 7 lines skipped
}
