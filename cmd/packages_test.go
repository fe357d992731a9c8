package cmd

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The program holds one YAML reader, handlers/text, and makes no schemas: what does either of them serves tests and
// generation alone (docs/decisions/0001-own-yaml-reader.md).
func TestPackagesOfTheProgram(t *testing.T) {
	for _, system := range []string{"linux", "darwin", "windows"} {
		list := exec.CommandContext(t.Context(), "go", "list", "-deps", ".")
		list.Env = append(os.Environ(), "GOOS="+system)
		out, err := list.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		packages := strings.Fields(string(out))
		if len(packages) < 100 {
			t.Errorf("%s: only %d packages were looked at", system, len(packages))
		}
		reader := false
		for _, pkg := range packages {
			name := strings.ToLower(pkg)
			reader = reader || strings.HasSuffix(name, "nectar/handlers/text")
			if strings.Contains(name, "yaml") || strings.Contains(name, "jsonschema") || strings.HasSuffix(name, "handlers/rules/generate") ||
				strings.HasSuffix(name, "/pgtest") {
				t.Errorf("%s: the program holds %s", system, pkg)
			}
		}
		if !reader {
			t.Errorf("%s: the program does not hold the reader of rule files", system)
		}
	}
}
