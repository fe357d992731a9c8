package cmd

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// ofTestsAlone begins the modules of go.mod that the program does not hold.
const ofTestsAlone = "// What only tests and generation need: the program holds none of it.\nrequire ("

var requiredModule = regexp.MustCompile(`(?m)^\t(\S+) v\S+$`) // what is indirect has a comment behind it

// What only tests need comes with no binary; what it holds is not listed as if only tests needed it.
func TestModulesOfTestsAreNotInTheProgram(t *testing.T) {
	content, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	held := map[string]bool{}
	for _, packages := range programHolds(t) {
		for _, pkg := range packages {
			held[pkg.module] = true
		}
	}
	before, rest, found := strings.Cut(string(content), ofTestsAlone)
	block, behind, closed := strings.Cut(rest, "\n)")
	if !found || !closed {
		t.Fatalf("go.mod has no block that begins with %q", ofTestsAlone)
	}
	of := func(text string) (modules []string) {
		for _, m := range requiredModule.FindAllStringSubmatch(text, -1) {
			modules = append(modules, m[1])
		}
		return modules
	}
	needed, tests := of(before+behind), of(block)
	if len(needed) < 20 || len(tests) < 5 {
		t.Errorf("only %d and %d modules were looked at", len(needed), len(tests))
	}
	for _, module := range tests {
		if held[module] {
			t.Errorf("the program holds %s, which go.mod has for tests alone", module)
		}
	}
	for _, module := range needed {
		if !held[module] {
			t.Errorf("the program holds nothing of %s: if only tests or generation need it, it belongs to that block of go.mod", module)
		}
	}
}
