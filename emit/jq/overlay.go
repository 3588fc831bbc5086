package jq

import "strings"

// The keys that are laid over an event before a rule sees it. Nothing in the
// event can forge them.
const (
	keySource   = "source"
	keyVerified = "verified"
	keyPayload  = "payload"
	keyArtifact = "artifact"
	keyIssue    = "issue"
)

// The values of source.
const (
	sourceCairn   = "cairn"   // an artifact.created body
	sourceTagscan = "tagscan" // one of tagscan's own events
	sourceGeneric = "generic" // any other JSON object
	cairnKind     = "artifact.created"
)

// ownTypes are the types of tagscan's own events.
var ownTypes = map[string]bool{
	"tag": true, "status": true, "artifact": true, "skipped": true,
	"validation": true, "snapshot": true, "override": true,
}

// sourceOf tells what kind of event this is, by its shape.
func sourceOf(event map[string]any) string {
	if t, ok := event["type"].(string); ok && ownTypes[t] {
		return sourceTagscan
	}
	if event["kind"] == cairnKind {
		if s, ok := event["source"]; !ok || s == sourceCairn {
			if _, ok := event["data"].(map[string]any); ok {
				return sourceCairn
			}
		}
	}
	return sourceGeneric
}

// The keys that sourceOf and artifactOf look at.
var (
	sourceNeeds   = []string{"type", "kind", "source", "data"}
	artifactNeeds = []string{"event_id", "created_at", "tags", "title"}
)

// artifactData are the keys of an artifact that come from a Cairn event's data.
var artifactData = []string{
	"id", "handle", "url", "title", "share_type", "channel", "model", "actor_id",
	"on_behalf_of", "expires_at", "tags", "metadata",
}

// artifactOf is the artifact an event is about, or nil.
func artifactOf(event map[string]any, source string) any {
	switch source {
	case sourceCairn:
		a := map[string]any{
			"event_id":   event["event_id"],
			"kind":       event["kind"],
			"created_at": event["created_at"],
		}
		data, _ := event["data"].(map[string]any)
		for _, k := range artifactData {
			a[k] = data[k]
		}
		return a
	case sourceTagscan:
		if event["type"] == "artifact" {
			return map[string]any{"tags": event["tags"], "title": event["title"]}
		}
	}
	return nil
}

// subjectOf names what an event is about, for actions that are done once: an
// artifact, an issue or a pull request. "" when it is about none of them.
func subjectOf(event map[string]any) string {
	switch sourceOf(event) {
	case sourceCairn:
		data, _ := event["data"].(map[string]any)
		if id, _ := data["id"].(string); id != "" {
			return "artifact " + id
		}
	case sourceTagscan:
		if kind := event["kind"]; event["type"] == "tag" && (kind == "issue" || kind == "pr") {
			url, _ := event["value"].(string)
			// As for duplicates, owner and repository compare without case.
			if l := strings.ToLower(url); strings.HasPrefix(l, "https://github.com/") || strings.HasPrefix(l, "http://github.com/") {
				return l
			}
			return url
		}
	}
	return ""
}

// A view makes what rules see out of events. Only what some rule can look at is
// decoded and laid over: most rules look at two or three keys of the event.
type view struct {
	all      bool            // rules look at everything
	want     map[string]bool // the event's keys to decode; nil: all
	seen     map[string]bool // the keys that rules look at
	verified bool

	raw  map[string]any // the event as it came, as far as it is wanted
	root map[string]any // what rules see; reused from event to event
}

// newView makes a view for rules that use these keys; subject tells whether
// subjectOf is needed.
func newView(u usage, verified, subject bool) *view {
	v := &view{all: u.all || u.keys[keyPayload], seen: u.keys, verified: verified,
		raw: make(map[string]any), root: make(map[string]any)}
	if v.all {
		return v
	}
	v.want = make(map[string]bool)
	add := func(keys ...string) {
		for _, k := range keys {
			v.want[k] = true
		}
	}
	for k := range u.keys {
		switch k {
		case keySource:
			add(sourceNeeds...)
		case keyArtifact:
			add(sourceNeeds...)
			add(artifactNeeds...)
		case keyVerified, keyIssue:
		default:
			add(k)
		}
	}
	if subject {
		add(sourceNeeds...)
		add("value")
	}
	return v
}

// decode reads an event and lays the keys over it. What it returns is valid
// until the next call.
func (v *view) decode(d *decoder, line []byte) (root map[string]any, route, ok bool) {
	if v.all {
		// The payload is the event itself: the maps may not be shared.
		v.raw = make(map[string]any)
		v.root = make(map[string]any)
	} else {
		clear(v.raw)
		clear(v.root)
	}
	if route, ok = d.event(line, v.want, v.raw); !ok {
		return nil, false, false
	}
	if v.all {
		source := sourceOf(v.raw)
		for k, x := range v.raw {
			v.root[k] = x
		}
		v.root[keySource] = source
		v.root[keyVerified] = v.verified
		v.root[keyPayload] = v.raw
		v.root[keyArtifact] = artifactOf(v.raw, source)
		v.root[keyIssue] = nil
		return v.root, route, true
	}
	for k := range v.seen {
		switch k {
		case keySource:
			v.root[k] = sourceOf(v.raw)
		case keyVerified:
			v.root[k] = v.verified
		case keyArtifact:
			v.root[k] = artifactOf(v.raw, sourceOf(v.raw))
		case keyIssue:
			v.root[k] = nil
		default:
			if x, ok := v.raw[k]; ok {
				v.root[k] = x
			}
		}
	}
	return v.root, route, true
}
