//go:build unix

package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// toolThatSays stands in for Go, and so for the tool that looks for holes: the real one needs its database.
const toolThatSays = `#!/bin/sh
case "$*" in *"-scan symbol"*) cat "$SAYS.symbol" 2>/dev/null && exit 1; exit 0;; esac
cat "$SAYS.package" 2>/dev/null && exit 1
exit 0
`

// The step that looks for known holes fails over one that we call, says when nobody could look, and takes no other failure for that.
func TestVulnerabilitiesAreLookedFor(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(toolThatSays), 0o700); err != nil {
		t.Fatal(err)
	}
	const found = "Vulnerability #1: GO-2099-0001\nexit status 3"
	for name, c := range map[string]struct {
		packages, symbols string
		fails             bool
		says              string
	}{
		"nothing is known":      {says: "All of it holds"},
		"a hole that we call":   {packages: found, symbols: found, fails: true, says: "GO-2099-0001"},
		"a hole that we do not": {packages: found, says: "All of it holds"},
		"no database":           {packages: "govulncheck: fetching vulnerabilities: dial tcp: no such host\nexit status 1", says: "cannot be reached: dial tcp: no such host"},
		"on a new machine":      {packages: "go: downloading golang.org/x/vuln v1.9.0\ngovulncheck: fetching vulnerabilities: EOF\nexit status 1", says: "cannot be reached: EOF"},
		"it goes away after":    {packages: found, symbols: "govulncheck: fetching vulnerabilities: EOF\nexit status 1", says: "cannot be reached: EOF"},
		"it does not build":     {packages: "no required module provides package\nexit status 1", fails: true, says: "no required module"},
		"a name of that kind":   {packages: "a.go:1: fetching vulnerabilities: undefined\nexit status 2", fails: true, says: "undefined"},
	} {
		t.Run(name, func(t *testing.T) {
			says := filepath.Join(t.TempDir(), "says")
			for scan, text := range map[string]string{"package": c.packages, "symbol": c.symbols} {
				if text != "" {
					if err := os.WriteFile(says+"."+scan, []byte(text+"\n"), 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}
			step := exec.CommandContext(t.Context(), "bash", "../.ci/run", "vulnerabilities")
			step.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "SAYS="+says)
			out, err := step.CombinedOutput()
			if failed := err != nil; failed != c.fails || !strings.Contains(string(out), c.says) {
				t.Errorf("it failed: %v, want %v and %q; it said:\n%s", failed, c.fails, c.says, out)
			}
		})
	}
}
