package jq

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"unicode/utf8"
)

// An encoder writes values in gojq's own form: compact, keys sorted, numbers
// with the digits they came with. gojq.Marshal does the same without a bound,
// and a value of a few shared arrays can have a text that fills the memory.
type encoder struct {
	b    []byte
	max  int  // bytes
	over bool // the text would be longer than max
}

// encode appends the text of v to b; false when it would pass maxValue bytes.
func encode(b []byte, v any) ([]byte, bool) {
	e := encoder{b: b, max: len(b) + maxValue}
	e.value(v)
	return e.b, !e.over && len(e.b) <= e.max
}

func (e *encoder) value(v any) {
	if e.over = e.over || len(e.b) > e.max; e.over {
		return
	}
	switch v := v.(type) {
	case nil:
		e.b = append(e.b, "null"...)
	case bool:
		e.b = strconv.AppendBool(e.b, v)
	case int:
		e.b = strconv.AppendInt(e.b, int64(v), 10)
	case float64:
		e.float(v)
	case *big.Int:
		e.b = v.Append(e.b, 10)
	case json.Number:
		e.b = append(e.b, v...)
	case string:
		e.string(v)
	case []any:
		e.b = append(e.b, '[')
		for i, x := range v {
			if i > 0 {
				e.b = append(e.b, ',')
			}
			if e.value(x); e.over {
				return
			}
		}
		e.b = append(e.b, ']')
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		e.b = append(e.b, '{')
		for i, k := range keys {
			if i > 0 {
				e.b = append(e.b, ',')
			}
			e.string(k)
			e.b = append(e.b, ':')
			if e.value(v[k]); e.over {
				return
			}
		}
		e.b = append(e.b, '}')
	default:
		panic(fmt.Sprintf("no JSON value: %T", v))
	}
}

// float follows gojq: NaN is null, infinities are the largest numbers.
func (e *encoder) float(f float64) {
	if math.IsNaN(f) {
		e.b = append(e.b, "null"...)
		return
	}
	f = min(max(f, -math.MaxFloat64), math.MaxFloat64)
	format := byte('f')
	if x := math.Abs(f); x != 0 && x < 1e-6 || x >= 1e21 {
		format = 'e'
	}
	e.b = strconv.AppendFloat(e.b, f, format, -1, 64)
	if n := len(e.b); format == 'e' && n >= 4 && string(e.b[n-4:n-1]) == "e-0" {
		e.b[n-2] = e.b[n-1] // e-09 is e-9
		e.b = e.b[:n-1]
	}
}

func (e *encoder) string(s string) {
	if len(e.b)+len(s)+2 > e.max {
		e.over = true
		return
	}
	b := append(slices.Grow(e.b, len(s)+2), '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if ' ' <= c && c <= '~' && c != '"' && c != '\\' {
				i++
				continue
			}
			b = append(b, s[from:i]...)
			switch c {
			case '"', '\\':
				b = append(b, '\\', c)
			case '\b':
				b = append(b, `\b`...)
			case '\f':
				b = append(b, `\f`...)
			case '\n':
				b = append(b, `\n`...)
			case '\r':
				b = append(b, `\r`...)
			case '\t':
				b = append(b, `\t`...)
			default:
				const hex = "0123456789abcdef"
				b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			}
			i++
			from = i
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			b = append(b, s[from:i]...)
			b = append(b, `\ufffd`...)
			from = i + 1
		}
		i += n
	}
	b = append(b, s[from:]...)
	e.b = append(b, '"')
}
