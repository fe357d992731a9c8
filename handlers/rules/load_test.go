package rules_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// folderOf makes a folder with these files; a name that ends in / is a folder.
func folderOf(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(path, 0o700); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.WriteFile(path, []byte("# "+name+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestReadSources(t *testing.T) {
	dir := folderOf(t, "10-faq.yaml", "20-more.yml", "settings.yaml", "replies.yaml", "notes.txt", ".10-faq.yaml.swp", ".#10-faq.yaml",
		"10-faq.yaml~", "#10-faq.yaml#", "10-faq.yaml.bak", ".hidden.yaml", "old/30-old.yaml", "folder.yaml/")
	everything := []string{"10-faq.yaml", "20-more.yml", "replies.yaml", "settings.yaml"}
	for name, tc := range map[string]struct {
		paths []string
		want  []string
	}{
		"a folder":              {[]string{dir}, everything},
		"a file":                {[]string{filepath.Join(dir, "10-faq.yaml")}, []string{"10-faq.yaml", "replies.yaml", "settings.yaml"}},
		"the settings":          {[]string{filepath.Join(dir, "settings.yaml")}, []string{"replies.yaml", "settings.yaml"}},
		"two files":             {[]string{filepath.Join(dir, "10-faq.yaml"), filepath.Join(dir, "20-more.yml")}, everything},
		"a folder and its file": {[]string{dir, filepath.Join(dir, "10-faq.yaml")}, everything},
		"two folders":           {[]string{dir, filepath.Join(dir, "old")}, append([]string{"10-faq.yaml", "20-more.yml", "30-old.yaml"}, everything[2:]...)},
	} {
		t.Run(name, func(t *testing.T) {
			src, err := rules.ReadSources(tc.paths...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, src.Names()); diff != "" {
				t.Error(diff)
			}
			for name, content := range src {
				if !strings.Contains(string(content), name) {
					t.Errorf("%s contains %q", name, content)
				}
			}
		})
	}
}

func TestReadSourcesInTheWorkingDirectory(t *testing.T) {
	t.Chdir(folderOf(t, "10-faq.yaml"))
	for _, path := range []string{".", "10-faq.yaml", "./10-faq.yaml"} {
		if src, err := rules.ReadSources(path); err != nil || len(src) != 1 {
			t.Errorf("%s: %v, %v", path, src, err)
		}
	}
}

func TestReadSourcesSaysWhatToDo(t *testing.T) {
	dir := folderOf(t, "a/10-faq.yaml", "a/settings.yaml", "b/10-faq.yaml", "notes/notes.txt", "shared/settings.yaml", "shared/replies.yaml", "word/settings.yaml", "word/10-faq.docx")
	in := func(name string) string { return filepath.Join(dir, name) }
	for name, tc := range map[string]struct {
		paths []string
		want  string
	}{
		"nothing":      {nil, "no rule files are named: write a folder or a file"},
		"not there":    {[]string{in("none")}, "there is no file or folder " + in("none") + ": write the folder your rule files are in, or make one with nectar init"},
		"no rule file": {[]string{in("notes")}, "there is no rule file in " + in("notes") + ": they end in .yaml; nectar init writes some to begin with"},
		"only settings": {[]string{in("shared")}, "there is no rule file in " + in("shared") +
			" beside replies.yaml and settings.yaml; nectar init writes some to begin with"},
		"a document": {[]string{in("word")}, "there is no rule file in " + in("word") +
			": 10-faq.docx: this is not read: rules stand in plain text, in a file that ends in .yaml; nectar init writes some to begin with"},
		"something else": {[]string{in("notes/notes.txt")}, in("notes/notes.txt") + " is no rule file: they end in .yaml"},
		"one name twice": {
			[]string{in("a"), in("b")},
			"two files have the name 10-faq.yaml: " + in("a/10-faq.yaml") + " and " + in("b/10-faq.yaml") + ". Give one of them another name, or check them one after the other",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := rules.ReadSources(tc.paths...)
			if err == nil || err.Error() != tc.want {
				t.Errorf("got  %v\nwant %s", err, tc.want)
			}
		})
	}
}

// A container gets its configuration as links within a folder; a link out of it is not followed.
func TestReadSourcesFollowsLinksWithinTheFolder(t *testing.T) {
	dir := folderOf(t, "..2026_11_20/10-faq.yaml", "../outside.yaml")
	if err := os.Symlink("..2026_11_20", filepath.Join(dir, "..data")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("..data/10-faq.yaml", filepath.Join(dir, "10-faq.yaml")); err != nil {
		t.Fatal(err)
	}
	src, err := rules.ReadSources(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"10-faq.yaml"}, src.Names()); diff != "" {
		t.Error(diff)
	}
	for name, to := range map[string]string{"out.yaml": "../outside.yaml", "folder.yaml": "..data", "nothing.yaml": "..data/none"} {
		link := filepath.Join(dir, name)
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
		if _, err := rules.ReadSources(dir); err == nil || !strings.HasPrefix(err.Error(), link+" cannot be read: ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v", name, err)
		}
		if err := os.Remove(link); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAFileThatIsTooLargeIsReported(t *testing.T) {
	dir := folderOf(t, "10-faq.yaml")
	if err := os.WriteFile(filepath.Join(dir, "20-large.yaml"), make([]byte, textfile.MaxFile+1000), 0o600); err != nil {
		t.Fatal(err)
	}
	src, err := rules.ReadSources(dir)
	if err != nil {
		t.Fatal(err)
	}
	if said := rules.ReadAndCheck(src).Problems.Error(); !strings.Contains(said, "20-large.yaml: the file is larger than 8 MB") {
		t.Errorf("got %s", said)
	}
}
