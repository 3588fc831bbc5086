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
	More bool // the list goes on
	size int
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

// AddJSON is Add for a JSON value: for what a string says, and anything else as it
// is written.
func (l *TagList) AddJSON(v jsonrec.Value) bool {
	if !v.IsString() {
		return l.Add(v)
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
