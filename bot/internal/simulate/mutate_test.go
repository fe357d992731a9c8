package simulate_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

var mutate = flag.Bool("mutations", false, "break the runtime in each of the known ways, and see that it is noticed")

// mutation is a deliberate fault in the runtime: one place in one file that does something else.
type mutation struct {
	name string
	what string // the guarantee that it breaks, or the part of the runtime that it switches off
	at   string // the marker of the place
	do   change
	by   proof // what has to notice it
}

// proof is a test that has to fail.
type proof struct {
	pkg  string // below the root of the module
	run  string // a regular expression, as of go test
	args []string
}

// simulator notices within 200 seeds.
var simulator = proof{"bot/internal/simulate", "^TestSeeds$", []string{"-seeds", "200", "-shrink=false"}}

// root is where the module begins.
const root = "../../.."

// Each mutation still has its place, and makes a file of Go of it: one whose place is gone would prove nothing. A
// marker that no mutation needs is gone, too.
func TestMutationsApply(t *testing.T) {
	t.Parallel()
	sites, err := marked()
	if err != nil {
		t.Fatal(err)
	}
	idle, names := maps.Clone(sites), map[string]bool{}
	for _, m := range mutations() {
		if names[m.name] {
			t.Errorf("two mutations are called %q", m.name)
		}
		names[m.name] = true
		delete(idle, m.at)
		if _, _, err := m.apply(sites); err != nil {
			t.Errorf("%s: %v", m.name, err)
		}
	}
	for name, s := range idle {
		t.Errorf("no mutation is at the marker %s in %s", name, s.file)
	}
}

// apply returns the file that the mutation changes, and what it makes of it.
func (m *mutation) apply(sites map[string]site) (file string, changed []byte, err error) {
	s, ok := sites[m.at]
	if !ok {
		return "", nil, fmt.Errorf("there is no marker %s", m.at)
	}
	if changed, err = s.change(m.do); err != nil {
		return "", nil, fmt.Errorf("%s, at the marker %s: %w", s.file, m.at, err)
	}
	if _, err = parser.ParseFile(token.NewFileSet(), s.file, changed, parser.SkipObjectResolution); err != nil {
		return "", nil, fmt.Errorf("it is no Go any more: %w", err)
	}
	return s.file, changed, nil
}

// Each mutation is noticed. Whoever reads a green simulator can trust it as far as this goes.
func TestMutations(t *testing.T) {
	if !*mutate {
		t.Log("left out: it takes an hour and a half. Ask for it with -mutations")
		return
	}
	for _, m := range mutations() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			output, begun := m.try(t)
			if output == "" {
				t.Errorf("nobody noticed: %s", m.what)
				return
			}
			t.Logf("%s\nnoticed after %v: %s", m.what, time.Since(begun).Round(time.Second), digest(output))
		})
	}
}

// try builds the proof with the mutation, without touching the module, and runs it. It returns what
// the proof printed, nothing when it passed, and when it began.
func (m *mutation) try(t *testing.T) (output string, begun time.Time) {
	t.Helper()
	dir := t.TempDir()
	overlay, binary := m.overlay(t, dir), filepath.Join(dir, "proof.test")
	// Two thirds of the time are the compiler's and the linker's: they need not write what only a debugger reads.
	build := []string{"test", "-c", "-gcflags=all=-dwarf=false", "-ldflags=-s -w", "-overlay", overlay, "-o", binary, "./" + m.by.pkg}
	if out, err := command(t, root, "go", build...); err != nil {
		t.Fatalf("%s does not build: %v\n%s", m.name, err, out)
	}
	begun = time.Now()
	args := append([]string{"-test.run", m.by.run, "-test.failfast", "-test.timeout", "10m"}, m.by.args...)
	out, err := command(t, filepath.Join(root, m.by.pkg), binary, args...)
	if err == nil {
		return "", begun
	}
	if !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	switch {
	case strings.Contains(out, "panic: test timed out"): // nobody has noticed by then
		t.Fatalf("the proof of %s does not end in time", m.name)
	case out == "": // as by want of memory
		t.Fatalf("the proof of %s was ended: %v", m.name, err)
	}
	return out, begun
}

// overlay writes the changed file, and the file that tells the compiler about it.
func (m *mutation) overlay(t *testing.T, dir string) string {
	t.Helper()
	sites, err := marked()
	if err != nil {
		t.Fatal(err)
	}
	original, content, err := m.apply(sites)
	if err != nil {
		t.Fatal(err)
	}
	changed, list := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	entry, err := json.Marshal(map[string]any{"Replace": map[string]string{original: changed}})
	if err == nil {
		err = os.WriteFile(changed, content, 0o600)
	}
	if err == nil {
		err = os.WriteFile(list, entry, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func command(t *testing.T, dir, name string, args ...string) (string, error) {
	t.Helper()
	c := exec.CommandContext(context.WithoutCancel(t.Context()), name, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "NECTAR_TEST=all")
	out, err := c.CombinedOutput()
	return string(out), err
}

var verdictLine = regexp.MustCompile(`(?m)^.*(-seed \d+|not clear|FAIL: \S+/\S+|_test\.go:\d+|deadlock|still|panic:|asks for|its pace|takes shard|writes to).*$`)

// digest returns the lines of an output that tell what was noticed.
func digest(output string) string {
	lines := verdictLine.FindAllString(output, 5)
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, "\n")
}
