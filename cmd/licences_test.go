package cmd

import (
	"bytes"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const licencesFile = "licences.txt"

// licenceName is what a file is called that says what may be done with what lies beside it.
var licenceName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|unlicense)([-._][\w.-]*)?$`)

// The licences of all that the program holds stand in one file, which comes with it. No versions are named, so that an update that changes no
// licence changes nothing there.
func TestLicencesAreWrittenDown(t *testing.T) {
	got := licencesText(t, licencesOf(t))
	if *update {
		if err := os.WriteFile(licencesFile, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(licencesFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("cmd/%s is not what the licences of the modules say now; read what has changed after: go test ./cmd -run TestLicences -update\n%s",
			licencesFile, changedLines(string(want), got))
	}
	if said := nectar(t, "version", "--licences"); said.status != 0 || said.stdout != string(want) {
		t.Errorf("nectar version --licences: status %d, and %d bytes, want the %d of the file", said.status, len(said.stdout), len(want))
	}
}

// licencesOf returns the files that the program's modules have with licences, by whose they are.
func licencesOf(t *testing.T) map[string][]string {
	t.Helper()
	files, looked := map[string][]string{}, map[string]bool{}
	for _, packages := range programHolds(t) {
		for _, pkg := range packages {
			// What a module has taken over from others lies with its own licence in a folder of it.
			for dir := pkg.dir; pkg.module != "" && !looked[dir]; dir = filepath.Dir(dir) {
				looked[dir] = true
				files[pkg.module] = append(files[pkg.module], licencesIn(t, dir)...)
				if dir == pkg.moduleDir {
					files[pkg.module] = append(files[pkg.module], licencesIn(t, filepath.Join(dir, "LICENSES"))...)
					break
				}
			}
		}
	}
	// Not every installation of Go has its licence; this is by the same authors, word for word.
	files["the standard library of Go"] = files["golang.org/x/sys"]
	return files
}

// licencesIn returns the files with licences in a folder; all files of one that is for them.
func licencesIn(t *testing.T, dir string) (files []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Type().IsRegular() && path.Ext(e.Name()) != ".go" && (licenceName.MatchString(e.Name()) || filepath.Base(dir) == "LICENSES") {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files
}

// licencesText writes licences down: each text once, below the names of all whose it is.
func licencesText(t *testing.T, files map[string][]string) string {
	t.Helper()
	whose := map[string][]string{}
	for name, paths := range files {
		if len(paths) == 0 {
			t.Errorf("%s has no licence", name)
		}
		for _, file := range paths {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text := strings.TrimSpace(string(bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))))
			if !slices.Contains(whose[text], name) {
				whose[text] = append(whose[text], name)
			}
		}
	}
	for _, names := range whose {
		slices.Sort(names)
	}
	texts := slices.SortedFunc(maps.Keys(whose), func(a, b string) int {
		if by := slices.Compare(whose[a], whose[b]); by != 0 {
			return by
		}
		return strings.Compare(a, b)
	})
	var b strings.Builder
	b.WriteString("The licences of what the program nectar holds, each text below the names of those whose it is.\n")
	for _, text := range texts {
		b.WriteString("\n" + strings.Repeat("=", 80) + "\n" + strings.Join(whose[text], "\n") + "\n" + strings.Repeat("-", 80) + "\n\n" + text + "\n")
	}
	return b.String()
}
