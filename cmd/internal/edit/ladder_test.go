package edit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/cmd/internal/edit"
	"github.com/nectar-bot/nectar/handlers/rules"
	ruledecision "github.com/nectar-bot/nectar/handlers/rules/decision"
)

// A new status is one word in one line: everything else stays byte by byte.
func TestStatusOfAFile(t *testing.T) {
	t.Parallel()
	for before, want := range map[string]string{
		"version: 1\nstatus: watch # for now\nrules: []\n":          "version: 1\nstatus: live # for now\nrules: []\n",
		"version: 1\r\nstatus:   'ask'\r\nrules: []\r\n":            "version: 1\r\nstatus:   'live'\r\nrules: []\r\n",
		"# A file\nversion: 1\nname: 'a status: ask'\nrules: []\n":  "# A file\nversion: 1\nname: 'a status: ask'\nstatus: live\nrules: []\n",
		"version: 1\nstatus: live\n":                                "version: 1\nstatus: live\n",
		"version: 1":                                                "version: 1\nstatus: live\n",
		"version: 1\nrules:\n  - id: a\n    status: watch\n":        "version: 1\nstatus: live\nrules:\n  - id: a\n    status: watch\n",
		"version: 1\nname: watch\nstatus: watch\nlanguage: watch\n": "version: 1\nname: watch\nstatus: live\nlanguage: watch\n",
	} {
		got, err := edit.WithStatus("10-a.yaml", []byte(before), ruledecision.Live)
		if err != nil || string(got) != want {
			t.Errorf("%q becomes %q (%v), want %q", before, got, err, want)
		}
	}
	for before, want := range map[string]string{
		"version: 1\nstatus:\n  watch\n": "in one line",
		"rules: []\n":                    "no line with version",
	} {
		if got, err := edit.WithStatus("10-a.yaml", []byte(before), ruledecision.Live); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q becomes %q (%v), want an error with %q", before, got, err, want)
		}
	}
}

// A file is named by its path, or by its name where one folder alone has it. What it will be is seen before anything is written.
func TestPlacesOnTheLadder(t *testing.T) {
	t.Parallel()
	const watched = "version: 1\nstatus: watch\nrules: []\n"
	all := []edit.Climb{
		{RuleFolder: config.RuleFolder{Path: "rules"}, Src: rules.Sources{"10-faq.yaml": []byte(watched), "20-shop.yaml": []byte(watched)}},
		{RuleFolder: config.RuleFolder{Path: "cafe"}, Src: rules.Sources{"10-faq.yaml": []byte(watched), "settings.yaml": []byte("version: 1\n")}},
	}
	for file, want := range map[string]string{
		"20-shop.yaml":       "0 20-shop.yaml",
		"cafe/10-faq.yaml":   "1 10-faq.yaml",
		"10-faq.yaml":        "several folders have a file 10-faq.yaml: write which one, for example rules/10-faq.yaml",
		"20-shpo.yaml":       "there is no file \"20-shpo.yaml\" in rules, cafe; did you mean \"20-shop.yaml\"?",
		"cafe/20-shop.yaml":  "there is no file \"20-shop.yaml\" in cafe",
		"cafe/settings.yaml": "settings.yaml has no status: it is shared by all files",
	} {
		got := ""
		at, err := edit.PlaceOf(all, file)
		if err == nil {
			got, err = all[at].FileName(file)
			got = fmt.Sprint(at, " ", got)
		}
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}

	shop := &all[0]
	if moved, err := shop.SetStatus("20-shop.yaml", ruledecision.Watch); moved || err != nil {
		t.Errorf("it is watched already, and moves: %v, %v", moved, err)
	}
	if moved, err := shop.SetStatus("20-shop.yaml", ruledecision.Live); !moved || err != nil {
		t.Errorf("it does not move: %v", err)
	}
	after := shop.MovedFiles()
	if got := string(after["20-shop.yaml"]); got != strings.Replace(watched, "watch", "live", 1) || string(after["10-faq.yaml"]) != watched {
		t.Errorf("it will be\n%s", got)
	}
	if string(shop.Src["20-shop.yaml"]) != watched || len(shop.Rungs) != 1 || edit.QuestionFor(shop.Rungs, ruledecision.Live) != "Set 20-shop.yaml to live?" {
		t.Errorf("it was\n%s\n%v", shop.Src["20-shop.yaml"], shop.Rungs)
	}
}
