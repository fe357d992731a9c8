package cli

import (
	"runtime"
	"runtime/debug"
)

// BuildInfo says where this binary comes from.
type BuildInfo struct {
	Version  string `json:"version"`            // "(devel)" when it was not built from a release
	Commit   string `json:"commit,omitempty"`   // empty when the build did not know
	Time     string `json:"time,omitempty"`     // of the commit, RFC 3339
	Modified bool   `json:"modified,omitempty"` // built from files that differ from the commit
	Go       string `json:"go"`
	System   string `json:"system"` // "linux/amd64"
}

// ReadBuild reads what the Go tool wrote into the binary.
func ReadBuild() BuildInfo {
	b := BuildInfo{Version: "(devel)", Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// String returns one line for people.
func (b BuildInfo) String() string {
	text := "nectar " + b.Version
	if b.Commit != "" {
		text += ", commit " + b.Commit[:min(12, len(b.Commit))]
	}
	if b.Modified {
		text += " with changes"
	}
	return text + ", " + b.Go + ", " + b.System
}
