package cmd

import (
	"path"
	"regexp"
	"strings"
	"testing"
)

var (
	declared = regexp.MustCompile(`(?m)^(type|field|func|const|var|method) \(?\*?(\w+)\.(\w+)(?:\[[^\]]*\])?\)?(?:\.(\w+))?( =)?`)
	// mentioned is TYPE.MEMBER, or PACKAGE.NAME with or without .MEMBER behind it.
	mentioned = regexp.MustCompile(`(^|[^.\w/-])(?:([a-z]\w*)\.)?([A-Z]\w*)(?:\.([A-Z]\w*))?\b`)
)

// What comments of public packages call by its name is there under that name.
func TestDocsNameWhatThereIs(t *testing.T) {
	face := apiText(importablePackages(t))
	there, packages, whole := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, m := range declared.FindAllStringSubmatch(face, -1) {
		kind, pkg, name, member := m[1], m[2], m[3], m[4]
		packages[pkg], there[pkg+"."+name] = true, true
		if member != "" {
			there[pkg+"."+name+"."+member] = true
			whole[pkg+"."+name] = true // its members are written down
		} else if kind == "type" && m[5] != "" {
			there[pkg+"."+name+".="] = true
		}
	}
	looked := 0
	for name, file := range sourceFiles(t) {
		own := file.syntax.Name.Name
		if strings.HasSuffix(name, "_test.go") || strings.Contains(path.Dir(name)+"/", "internal/") || !packages[own] {
			continue
		}
		for _, group := range file.syntax.Comments {
			for _, m := range mentioned.FindAllStringSubmatch(group.Text(), -1) {
				pkg, word, member := m[2], m[3], m[4]
				if pkg == "" {
					pkg = own
				} else if packages[pkg] && !there[pkg+"."+word] {
					t.Errorf("%s: a comment names %s.%s, which there is not", name, pkg, word)
				}
				if at := pkg + "." + word; member != "" && whole[at] && !there[at+".="] {
					looked++
					if !there[at+"."+member] {
						t.Errorf("%s: a comment names %s.%s, which there is not", name, at, member)
					}
				}
			}
		}
	}
	if looked < 50 {
		t.Errorf("only %d names were looked at", looked)
	}
}
