package transcript

import (
	"bytes"

	"tagscan/parse/jsonrec"
)

// A TagList is a list of artifact tags as given, as far as it is looked at: at
// most 4096 tags or 256 KiB, and 4096 bytes of each. ADR-0018 allows 32 tags of 64
// bytes.
type TagList struct {
	Tags []string
	// NotStrings are the indices in Tags of what is no string in the JSON.
	NotStrings []int
	More       bool // the list goes on
	size       int
}

const (
	maxTags     = 4096
	maxTagBytes = 256 << 10 // of all of them, but for the last
	maxTag      = 4096      // bytes, of each
)

// Add adds a tag, and tells whether there was room for it.
func (l *TagList) Add(tag []byte) bool {
	if l.More = len(l.Tags) == maxTags || l.size > maxTagBytes; l.More {
		return false
	}
	if len(tag) > maxTag {
		tag = bytes.ToValidUTF8(tag[:maxTag], []byte("\ufffd"))
	}
	l.Tags, l.size = append(l.Tags, string(tag)), l.size+len(tag)
	return true
}

// AddArray adds the elements of a JSON array: what a string says, and anything else
// as it is written.
func (l *TagList) AddArray(v jsonrec.Value) {
	for e := v.Elements(); e.Next() && l.addJSON(e.Value); {
	}
}

func (l *TagList) addJSON(v jsonrec.Value) bool {
	if !v.IsString() {
		ok := l.Add(v)
		if ok {
			l.NotStrings = append(l.NotStrings, len(l.Tags)-1)
		}
		return ok
	}
	var tag []byte
	var room [256]byte
	for t := v.Text(); len(tag) <= maxTag; {
		piece := t.Next(room[:])
		if piece == nil {
			break
		}
		tag = append(tag, piece[:min(len(piece), maxTag+1)]...)
	}
	return l.Add(tag)
}
