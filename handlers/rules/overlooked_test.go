package rules_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/handlers/rules"
)

// What people may take for a rule file, and is none, is told.
func TestOverlooked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{
		"10-faq.yaml", "10-faq.yaml.txt", "20-lead.yml", "30-a.yaml", "30-a.yml", "settings.yml", "Notes.txt", "40-B.YAML", ".hidden.yml",
		"old/50-c.yaml", "pictures/logo.png", "10-faq.yaml~", "README.md",
		"50-rules.docx", "prices.RTF",
	} {
		if err := put(dir, name); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]string{
		"10-faq.yaml.txt": "this is not read: call it 10-faq.yaml, without .txt",
		"20-lead.yml":     "this is read, like .yaml: call it 20-lead.yaml, so that nobody looks for it",
		"30-a.yml":        "this is read as well as 30-a.yaml: keep one of the two",
		"40-B.YAML":       "this is not read: call it 40-B.yaml, in small letters",
		"old":             "folders in the folder are not read: put the files of this one beside the others",
		"50-rules.docx":   "this is not read: rules stand in plain text, in a file that ends in .yaml; nectar init writes some to begin with",
		"prices.RTF":      "this is not read: rules stand in plain text, in a file that ends in .yaml; nectar init writes some to begin with",
		"settings.yml":    "this is read as a rule file: call it settings.yaml when it is for all of them",
	}
	got := map[string]string{}
	for _, p := range rules.Overlooked(nil, dir, filepath.Join(dir, "10-faq.yaml"), filepath.Join(dir, "nowhere")) {
		got[p.File] = p.Text
		if !p.Hint {
			t.Errorf("%s is no hint", p.File)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func put(dir, name string) error {
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, nil, 0o600)
}

// A folder in the folder that accounts act by is read, and no hint.
func TestFolderOfAnotherAccount(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "cafe"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "cafe", "10-faq.yaml"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if found := rules.Overlooked([]string{dir}, dir); len(found) != 1 {
		t.Errorf("%v", found)
	}
	if found := rules.Overlooked([]string{dir, dir + "/./cafe"}, dir); len(found) != 0 {
		t.Errorf("%v", found)
	}
}
