// Command embed prints the pull requests that a transcript names.
package main

import (
	"fmt"
	"io"
	"log"
	"os"

	"tagscan/emit/scan"
	"tagscan/normalize"
)

type printer struct{}

// Event gets each event as soon as it is complete; it may not keep it.
func (printer) Event(e normalize.Event) error {
	if tag, ok := e.(*normalize.Tag); ok && tag.Kind == "pr" {
		fmt.Println(tag.Line, tag.Value)
	}
	return nil
}

func (printer) Flush() error { return nil }

func main() {
	c := scan.New("", printer{}, scan.Options{})
	if _, err := io.Copy(c, os.Stdin); err != nil {
		log.Fatal(err)
	}
	if err := c.Close(); err != nil { // the end of the input ends blocks too
		log.Fatal(err)
	}
}
