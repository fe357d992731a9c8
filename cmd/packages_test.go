package cmd

import (
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// systems are those that the program is for.
var systems = []string{"linux", "darwin", "windows"}

// heldPackage is a package that the program holds.
type heldPackage struct {
	path, dir string
	module    string // "" of the standard library
	moduleDir string
}

// heldPackages are the packages that the program holds, by systems. It reads what is on this machine alone.
var heldPackages = sync.OnceValues(func() (map[string][]heldPackage, error) {
	all := map[string][]heldPackage{}
	for _, system := range systems {
		list := exec.Command("go", "list", "-mod=readonly", "-deps", "-f", "{{.ImportPath}}\t{{.Dir}}\t{{with .Module}}{{.Path}}\t{{.Dir}}{{end}}", ".")
		list.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0", "GOPROXY=off")
		list.Stderr = os.Stderr
		out, err := list.Output()
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(out)) {
			f := append(strings.Split(strings.TrimRight(line, "\r\n"), "\t"), "")
			all[system] = append(all[system], heldPackage{path: f[0], dir: f[1], module: f[2], moduleDir: f[3]})
		}
	}
	return all, nil
})

// programHolds returns the packages that the program holds, by systems.
func programHolds(t *testing.T) map[string][]heldPackage {
	t.Helper()
	all, err := heldPackages()
	if err != nil {
		t.Fatal(err)
	}
	for system, packages := range all {
		if len(packages) < 100 {
			t.Errorf("%s: only %d packages were looked at", system, len(packages))
		}
	}
	return all
}

// The program holds one YAML reader, internal/textfile, and makes no schemas: what does either of them serves tests and
// generation alone (docs/decisions/0001-own-yaml-reader.md).
func TestPackagesOfTheProgram(t *testing.T) {
	for system, packages := range programHolds(t) {
		reader := false
		for _, pkg := range packages {
			name := strings.ToLower(pkg.path)
			reader = reader || strings.HasSuffix(name, "nectar/internal/textfile")
			if strings.Contains(name, "yaml") || strings.Contains(name, "jsonschema") || strings.HasSuffix(name, "handlers/rules/generate") ||
				strings.HasSuffix(name, "/pgtest") {
				t.Errorf("%s: the program holds %s", system, pkg.path)
			}
		}
		if !reader {
			t.Errorf("%s: the program does not hold the reader of rule files", system)
		}
	}
}
