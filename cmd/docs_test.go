package cmd

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	docLink  = regexp.MustCompile(`\]\(([^):#]+)(?:#[^)]*)?\)`)
	docPlace = regexp.MustCompile(`\]\(([^):#]*)#([^)]+)\)`)
	docPath  = regexp.MustCompile("`((?:bot|handlers|platform|plugins|cmd|examples|docs)/[A-Za-z0-9_./*-]+)`")
	// What a command is given begins at the top, and a file may be named without its folder.
	docPackage = regexp.MustCompile(`(?:^|\s)\./([a-z][a-z0-9/-]*)`)
	docFile    = regexp.MustCompile("`([a-z0-9_]+\\.go)`")
	docCommit  = regexp.MustCompile(`--grep=(?:'([^']+)'|"([^"]+)")`)
	docTest    = regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9_]+)`")
	// A path may end with a name of the package, and have a part in capitals that stands for anything.
	docName   = regexp.MustCompile(`\.[A-Z][A-Za-z]*$`)
	docNumber = regexp.MustCompile(`[A-Z]{3,}|_000\d\d`)
	// The slug of a heading, by which links name it, is the heading in lower case, without signs, with a hyphen for each space.
	docHeading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	docFence   = regexp.MustCompile("(?ms)^```.*?^```$")
	docNoSlug  = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// Pages that lead nowhere are worse than none: links, files and tests that docs/ and README.md name are there.
func TestDocsLeadSomewhere(t *testing.T) {
	pages := pagesOfDocs(t)
	tests, files := testsBelow(t, ".."), filesBelow(t, "..")
	for _, page := range pages {
		content, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range docLink.FindAllStringSubmatch(docFence.ReplaceAllString(string(content), ""), -1) { // Go has brackets of its own
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
		for _, m := range docPackage.FindAllStringSubmatch(string(content), -1) {
			if _, err := os.Stat(filepath.Join("..", strings.TrimSuffix(m[1], "/..."))); err != nil && filepath.Base(page) == "contributing.md" {
				t.Errorf("%s: there is no ./%s", page, m[1])
			}
		}
		for _, m := range docFile.FindAllStringSubmatch(string(content), -1) {
			if !files[m[1]] {
				t.Errorf("%s: there is no file %s", page, m[1])
			}
		}
		for _, m := range docTest.FindAllStringSubmatch(string(content), -1) {
			if !tests[m[1]] {
				t.Errorf("%s: there is no test %s", page, m[1])
			}
		}
	}
}

// A link into a page leads to a heading that is there.
func TestDocsLeadToHeadings(t *testing.T) {
	pages := pagesOfDocs(t)
	slugs := map[string][]string{}
	for _, page := range pages {
		content, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range docHeading.FindAllStringSubmatch(docFence.ReplaceAllString(string(content), ""), -1) {
			slugs[page] = append(slugs[page], strings.ReplaceAll(docNoSlug.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
		}
	}
	for _, page := range pages {
		content, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range docPlace.FindAllStringSubmatch(string(content), -1) {
			target := page
			if m[1] != "" {
				target = filepath.Join(filepath.Dir(page), m[1])
			}
			if !slices.Contains(slugs[target], m[2]) {
				t.Errorf("%s: %s has no heading #%s", page, target, m[2])
			}
		}
	}
}

// A page that is one of several stays one that somebody reads to its end.
func TestPagesStayShort(t *testing.T) {
	const mostWords = 4000
	for _, page := range pagesOfDocs(t) {
		if filepath.Dir(page) == "../docs" {
			continue
		}
		content, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if words := len(strings.Fields(string(content))); words > mostWords {
			t.Errorf("%s has %d words, want %d at most: is a part of it a page of its own?", page, words, mostWords)
		}
	}
}

// pagesOfDocs returns the paths of README.md and of all pages in docs/ and its folders.
func pagesOfDocs(t *testing.T) []string {
	t.Helper()
	pages := []string{"../README.md"}
	for _, pattern := range []string{"../docs/*.md", "../docs/*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	if len(pages) < 40 {
		t.Errorf("only %d pages were looked at", len(pages))
	}
	return pages
}

// filesBelow returns the names of all files below a folder.
func filesBelow(t *testing.T, root string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	if err := filepath.WalkDir(root, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Name() == ".git" && entry.IsDir() {
			return fs.SkipDir
		}
		if err == nil {
			names[entry.Name()] = true
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return names
}

// Commits that are shown as examples are there, and so is each file that they show, at the same place.
func TestExampleCommitsShowWhatThereIs(t *testing.T) {
	git := func(args ...string) string {
		out, err := exec.CommandContext(t.Context(), "git", args...).CombinedOutput()
		if err != nil {
			t.Skipf("there is no history here: git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	if git("rev-parse", "--is-shallow-repository") != "false" {
		t.Skip("only a part of the history is here")
	}
	content, err := os.ReadFile("../docs/contributing.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := docCommit.FindAllStringSubmatch(string(content), -1)
	if len(examples) < 3 {
		t.Errorf("only %d commits were looked at", len(examples))
	}
	for _, m := range examples {
		shown := git("log", "-1", "--diff-filter=d", "--name-only", "--format=", "--grep="+m[1]+m[2])
		if shown == "" {
			t.Errorf("no commit says %q", m[1]+m[2])
		}
		for file := range strings.Lines(shown) {
			if _, err := os.Stat(filepath.Join("..", strings.TrimSpace(file))); err != nil {
				t.Errorf("the commit that says %q shows %s, which is there no more: name another one", m[1]+m[2], strings.TrimSpace(file))
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
