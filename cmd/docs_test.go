package cmd

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

var (
	docLink = regexp.MustCompile(`\]\(([^):#]+)(?:#[^)]*)?\)`)
	docPath = regexp.MustCompile("`((?:bot|handlers|platform|plugins|cmd|examples|docs)/[A-Za-z0-9_./*-]+)`")
	docTest = regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9_]+)`")
	// A path may end with a name of the package, and have a part in capitals that stands for anything.
	docName   = regexp.MustCompile(`\.[A-Z][A-Za-z]*$`)
	docNumber = regexp.MustCompile(`[A-Z]{3,}|_000\d\d`)
)

// Pages that lead nowhere are worse than none: links, files and tests that docs/ and README.md name are there.
func TestDocsLeadSomewhere(t *testing.T) {
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	decisions, err := filepath.Glob("../docs/decisions/*.md")
	if err != nil {
		t.Fatal(err)
	}
	pages = append(append(pages, decisions...), "../README.md")
	if len(pages) < 20 {
		t.Errorf("only %d pages were looked at", len(pages))
	}
	tests := testsBelow(t, "..")
	for _, page := range pages {
		content, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range docLink.FindAllStringSubmatch(string(content), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", page, m[1])
			}
		}
		for _, m := range docPath.FindAllStringSubmatch(string(content), -1) {
			path := docName.ReplaceAllString(m[1], "")
			if docNumber.MatchString(path) {
				path = filepath.Dir(path) // of what is to be made there
			}
			if found, err := filepath.Glob(filepath.Join("..", path)); err != nil || len(found) == 0 && !docNumber.MatchString(path) {
				t.Errorf("%s: there is no %s: if it has moved, say where", page, m[1])
			}
		}
		for _, m := range docTest.FindAllStringSubmatch(string(content), -1) {
			if !tests[m[1]] {
				t.Errorf("%s: there is no test %s", page, m[1])
			}
		}
	}
}

// The way of one event is listed in the docs of bot: files that are there, and no more than somebody reads in an afternoon.
func TestWayOfOneEvent(t *testing.T) {
	content, err := os.ReadFile("../bot/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	way := regexp.MustCompile(`(?m)^//\t(\S+\.go) +\S`).FindAllStringSubmatch(string(content), -1)
	if len(way) < 10 || len(way) > 20 {
		t.Errorf("the way of one event has %d files, want 10 to 20", len(way))
	}
	for _, m := range way {
		if _, err := os.Stat(filepath.Join("..", m[1])); err != nil {
			t.Errorf("bot/doc.go: there is no %s: where does the way of an event go now?", m[1])
		}
	}
}
