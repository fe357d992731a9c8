package cmd

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mostHelloLines is how many lines of ours the program of README.md holds, with all that it imports. Lower it when it has become fewer; to raise it is a
// decision of its own, with its reason in the commit.
const mostHelloLines = 71_100

// A bot that keeps all in a file holds nothing that speaks to a server, whatever else the package bot gets: that comes with bot/postgres.
func TestHelloHoldsNoServer(t *testing.T) {
	const ours = "github.com/nectar-bot/nectar/"
	list := exec.CommandContext(t.Context(), "go", "list", "-mod=readonly", "-deps", "-f", "{{.ImportPath}}\t{{.Dir}}\t{{join .GoFiles \"\t\"}}", "../examples/00-hello")
	list.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "GOPROXY=off")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines, packages := 0, 0
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		switch path := f[0]; {
		case strings.HasPrefix(path, "github.com/jackc/"), path == ours+"bot/postgres", path == ours+"bot/internal/postgres", path == ours+"bot/internal/board":
			t.Errorf("examples/00-hello holds %s: what speaks to a server belongs behind bot/internal/remote, and is brought by bot/postgres", path)
		case strings.HasPrefix(path, ours):
			packages++
			for _, name := range f[2:] {
				text, err := os.ReadFile(filepath.Join(f[1], name))
				if err != nil {
					t.Fatal(err)
				}
				lines += bytes.Count(text, []byte("\n"))
			}
		}
	}
	if packages < 10 {
		t.Errorf("only %d packages of ours were looked at", packages)
	}
	if lines > mostHelloLines {
		t.Errorf("examples/00-hello holds %d lines of ours, at most %d are allowed: let what few bots need be a package that these import", lines, mostHelloLines)
	}
}
