package block

import (
	"bufio"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// TestReference compares random documents with the reference implementation,
// all blocks that are open after each of their lines. It runs when
// COMMONMARK_JS names a node_modules folder with commonmark 0.31.2 in it;
// BLOCK_DOCS and BLOCK_SEED say how many documents and which.
func TestReference(t *testing.T) {
	modules := os.Getenv("COMMONMARK_JS")
	if modules == "" {
		t.Skip("COMMONMARK_JS is not set")
	}
	docs, seed := 20000, uint64(1)
	if n, err := strconv.Atoi(os.Getenv("BLOCK_DOCS")); err == nil {
		docs = n
	}
	if n, err := strconv.ParseUint(os.Getenv("BLOCK_SEED"), 10, 64); err == nil {
		seed = n
	}

	cmd := exec.Command("node", "testdata/reference.js")
	cmd.Env = append(os.Environ(), "NODE_PATH="+modules)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer in.Close()
		w := bufio.NewWriter(in)
		defer w.Flush()
		send := func(doc string) {
			enc, _ := json.Marshal(doc)
			w.Write(append(enc, '\n'))
		}
		for _, tt := range structures {
			send(tt.doc)
		}
		r := rand.New(rand.NewPCG(seed, 0))
		for range docs {
			send(randomDocument(r))
		}
	}()

	var p Parser
	r := rand.New(rand.NewPCG(seed, 0))
	answers := bufio.NewReader(out)
	bad := 0
	for i := range len(structures) + docs {
		var doc string
		if i < len(structures) {
			doc = structures[i].doc
		} else {
			doc = randomDocument(r)
		}
		answer, err := answers.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		var want string
		if err := json.Unmarshal(answer, &want); err != nil {
			t.Fatal(err)
		}
		p.Reset()
		var states []string
		for _, line := range splitLines(doc) {
			p.Line([]byte(line))
			states = append(states, p.String())
		}
		if got := strings.Join(states, "|"); got != want {
			t.Errorf("%q\n got %s\nwant %s", doc, got, want)
			if bad++; bad == 10 {
				cmd.Process.Kill()
				break
			}
		}
	}
	cmd.Wait()
}

// splitLines splits a document as the reference implementation does.
func splitLines(doc string) []string {
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(doc), "\n")
	if strings.HasSuffix(doc, "\n") {
		lines = lines[:len(lines)-1]
	}
	return lines
}

var (
	randomPrefixes = strings.Split("| |  |   |    |     |\t| \t|  \t|   \t|\t\t|>|> |>  |>\t| > |   > |> > |>> |>\t\t|"+
		"- |-  |-   |-    |-     |-\t|-\t\t|- \t|* |+ |+\t| - |  - |   - |    - |-\f|- - |- > |> - |> -\t|"+
		"1. |1) |2. |01. |1.\t|10. |123456789. |1234567890. |0. |1.  | 1. |   1) |1.     |> 1. |1. > |- 1. |"+
		"\f|\v|\u00a0|#|    - |      |       |        |\t\t\t| \t \t| >\t- |-\t>\t", "|")
	randomBodies = strings.Split("|text|more words|a|-|*|+|1.|2.|1)|_|=|-- |==|===|=== |===x|---|--- |- - -|* * *|** *|***\t|___|_ _ _|"+
		"__ __x|- * -|-\t-\t-|*\t*\t*|#|# head|###### h|####### h|#\th|#x|## |"+
		"```|````|`````|~~~|~~~~|~~~~~~|```go|``` go|``` a`b|```` `|~~~ a`b|~~~ x ~~~|``|~~|```\t|``` \t |~~~\t|```\u2028`|```\u2029 x`|``` \u00a0|"+
		"~~~\u00a0|```\f|~~~\v|``` ```|``` x|~~~~ |``~|~~`|```~~~|```\x00|"+
		"<script>|<script|<script x>|<SCRIPT>|<pre>|<pre>x</pre>|</pre>|<pre/>|<style>|<textarea\u00a0|</textarea>|</style>x|</script >|<scripts>|</ script>|"+
		"<!-- c|<!-->|<!--->|-->|x-->y|<!- x|<?php|<?|?>|x ?> y|<!doctype html>|<!D|<!d|>|<![CDATA[|<![cdata[|]]>|]] >|<!|<!1|<![|<|</|"+
		"<div>|<div|</div>|<DIV/>|<div/ >|<div\u2003x|<h1>|<h7>|<hr/>|<li>x|<search>|<divx>|<blockquote>|<blockquotes>|<div.|<center|"+
		"<b>|<b> |</b>|</b >|</b x>|<b/>|<b / >|<b x>|<b x=y>|<b x = 'y'>|<b x=\"y>\">|<b x=\"y\"z>|<b x=y/>|<b x=>|<b\u00a0x=y>|<b x=\u00a0>|"+
		"<b x=y\u00a0z=\"w\">|<b x=\u3000'y'>|<b x=a\u00a0b\"c>|<b x=`>|<b x='y>|<custom-x>|<x:y>|<b :a _b c.d-e>|<b 1>|<b>\u2028|<b>x|<b x\ty>|<b x=\x00>|<b \x00>|<a/b>|<b  x  =  y  z>|"+
		"[a]: /b|[a]: /b 'c'|[a]: /b \"c|d\"|c'|(t)|'t'|[a]:|/url|[a]: <b>|[a]: <b c> 'd'|[a]: <b|[b]: /c d|[c]: /d \"e\" f|[a] : /b|[ ]: /b|[|]: /x|a]: /y|[\\]]: /z|[a\\: /b|"+
		"[a[]: /b|[a]: /b(c|[a]: /b(c)|[a]: )|[a]:)|[a]: /b\t|[a]: /b\t't'|[a]: /b \t|[a]: \\(|[a]: <\\>>|[a]: /b (c(d)|[a]: /b (c\\)d)|[a]: <>|[a]: <>x|[a](b)|[ ] task|[x]|[\u00a0]: /b|[a]: /b 'c\\|"+
		"\\[a]: /b|\x00|\f|\v|\u00a0|\ufeff|\u2028|\u0085|`code`|&amp;|:|.|)", "|")
	randomTails     = strings.Split(" |  |\t| x|\u00a0|\f|`|>| -->|</pre>|?>|]]>|-|=|~|#| #|\\", "|")
	randomAlphabets = []string{
		"[]: /b\n\n'\"()\\<>=", "[]:a\n=-'( ", " \n>-```~", " \t\n>-~a", " \n-*_\t>", " \n1.)-+`a", "\n <>!-?/[]DCATA",
		"\n<b /=\"'c>> ", "\n #-=> a", "\t\n- 1.>`", " \n>[]:a=-1.", "\n\r >`-", "\n>- <!--x>",
	}
	randomEnds = []string{"\n", "\n", "\n", "\n", "\n", "\n", "\n", "\r\n", "\r"}
)

// randomDocument is a few lines that have much to do with one another: markers
// in front of what begins or ends a block, and often what stood in front of
// the line before.
func randomDocument(r *rand.Rand) string {
	pick := func(s []string) string { return s[r.IntN(len(s))] }
	var doc strings.Builder
	if r.IntN(5) == 0 {
		// Few characters, in any order.
		alphabet := pick(randomAlphabets)
		for n := r.IntN(60); n > 0; n-- {
			c := alphabet[r.IntN(len(alphabet))]
			doc.WriteString(strings.Repeat(string(c), 1+r.IntN(8)/5*r.IntN(4)))
		}
		return doc.String()
	}
	prefix, body := "", ""
	alphabet := 3 + r.IntN(60)
	few := make([]string, alphabet)
	for i := range few {
		few[i] = pick(randomBodies)
	}
	end := pick(randomEnds)
	for n := 1 + r.IntN(12); n > 0; n-- {
		switch r.IntN(8) {
		case 0: // as before
		case 1:
			prefix = ""
		case 2: // the containers go on
			prefix = strings.Map(func(x rune) rune {
				if x == '>' || x == ' ' || x == '\t' {
					return x
				}
				return ' '
			}, prefix)
		case 3:
			prefix = strings.Map(func(x rune) rune {
				if x == '>' || x == '\t' {
					return x
				}
				return ' '
			}, prefix) + pick(randomPrefixes)
		case 4:
			prefix += pick(randomPrefixes)
		case 5:
			prefix = prefix[:r.IntN(len(prefix)+1)]
		default:
			prefix = ""
			for k := r.IntN(4); k > 0; k-- {
				prefix += pick(randomPrefixes)
			}
		}
		if len(prefix) > 60 {
			prefix = prefix[:20]
		}
		prefix = strings.ToValidUTF8(prefix, "")
		if r.IntN(6) != 0 {
			body = pick(few)
		}
		doc.WriteString(prefix)
		if r.IntN(6) != 0 {
			doc.WriteString(body)
			if r.IntN(8) == 0 {
				doc.WriteString(pick(randomTails))
			}
		}
		if r.IntN(10) == 0 {
			doc.WriteString(pick(randomBodies))
		}
		doc.WriteString(end)
	}
	return doc.String()
}
