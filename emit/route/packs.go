package route

import (
	"embed"
	"fmt"
	"strings"
)

// packFiles are the packs, each in the shape in which a user writes a file.
//
//go:embed packs/*.json
var packFiles embed.FS

// A PackInfo names an embedded pack.
type PackInfo struct{ Name, Summary string }

var packs = []PackInfo{
	{"handoff", "handoff artifacts to lane-s, lane-m, lane-l, lane-vision, hold and triage"},
	{"status", "status blocks to done, working, blocked, failed and review"},
	{"circuit-breaker", "agents that get nowhere to open, half-open and watch"},
	{"links", "tags to prs, issues, repos and links"},
	{"todo", "status blocks to todo-complete, todo-blocked and todo-retry"},
}

// ListPacks lists the embedded packs.
func ListPacks() []PackInfo { return append([]PackInfo(nil), packs...) }

// ShowPack returns the file of a pack. The error names the packs there are.
func ShowPack(name string) ([]byte, error) {
	var names []string
	for _, p := range packs {
		if p.Name == name {
			return packFiles.ReadFile("packs/" + name + ".json")
		}
		names = append(names, p.Name)
	}
	return nil, fmt.Errorf("no pack %q, there are %s", name, strings.Join(names, ", "))
}
