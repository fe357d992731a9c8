package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/cmd/internal/starter"
)

// A campaign to begin with has one problem, the link to fill in, and none once that is done; a bot's other files stay as they are.
func TestInitCampaign(t *testing.T) {
	t.Parallel()
	inEnglish := ""
	for _, l := range allLanguages() {
		dir := t.TempDir()
		if got := begins(t, dir, "--language", l, "--timezone", "Asia/Tokyo"); got.status != 0 {
			t.Fatal(got.stderr)
		}
		got := nectarIn(t, nil, "init", "--campaign", "--dir", dir)
		path := filepath.Join(dir, "rules", starter.CampaignName)
		want := starter.CampaignName + "\n  line 14  link: https://social.example/thread/NUMBER is not the address of a post: open the post and copy its address\n7 files read, 1 problem; nothing was changed.\n"
		if got.status != 0 || !strings.Contains(got.stdout, want) || !strings.Contains(got.stdout, "nectar plan") || !strings.Contains(got.stdout, path) {
			t.Fatalf("%s: status %d\n%s%s", l, got.status, got.stdout, got.stderr)
		}
		content, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(content), "timezone: Asia/Tokyo") || !strings.Contains(string(content), "status: watch") || strings.Contains(string(content), "%") {
			t.Errorf("%s: %v\n%s", l, err, content)
		}
		if l == "en" {
			inEnglish = string(content)
		} else if strings.Contains(string(content), "the last day") {
			t.Errorf("%s is not translated", l)
		}
		if diff := cmp.Diff(withoutComments(inEnglish), withoutComments(string(content))); diff != "" {
			t.Errorf("%s is built otherwise than the English one:\n%s", l, diff)
		}
		filled := strings.Replace(string(content), "thread/NUMBER", "thread/48121", 1)
		if err := os.WriteFile(path, []byte(filled), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := nectarIn(t, nil, "check", filepath.Join(dir, "rules")); got.stdout != "7 files read, no problems.\n" {
			t.Errorf("%s, filled in:\n%s%s", l, got.stdout, got.stderr)
		}
		if got := nectarIn(t, nil, "init", "--campaign", "--dir", dir); got.status != 1 || !strings.Contains(got.stderr, "already there, and nothing was written") {
			t.Errorf("again: status %d\n%s%s", got.status, got.stdout, got.stderr)
		}
		if now, err := os.ReadFile(path); err != nil || string(now) != filled {
			t.Errorf("it was written over: %v", err)
		}
	}
}

var comment = regexp.MustCompile(`(?m) *#.*$|name: .*$`)

func withoutComments(content string) string { return comment.ReplaceAllString(content, "") }

// The file goes to the folder that the settings name, and says whose campaign it is where accounts share that.
func TestInitCampaignElsewhere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	shared, own := filepath.Join(dir, "shared"), filepath.Join(dir, "own")
	accounts := filepath.Join(dir, "accounts.yaml")
	text := fmt.Sprintf("accounts:\n  cafe: { rules: %s }\n  shop: { rules: %s }\n  bar: { rules: %s }\n", shared, shared, own)
	if err := os.WriteFile(accounts, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	environ := []string{"NECTAR_ACCOUNTS=" + accounts}
	if got := nectarIn(t, environ, "init", "--campaign"); got.status != 2 || !strings.Contains(got.stderr, "name one of") {
		t.Errorf("two folders: %+v", got)
	}
	got := nectarIn(t, environ, "init", "--campaign", "--account", "shop", "--language", "de")
	content, err := os.ReadFile(filepath.Join(shared, starter.CampaignName))
	if got.status != 0 || err != nil || !strings.Contains(string(content), "    account: shop\n") || !strings.Contains(got.stdout, "1 file read, 1 problem") {
		t.Errorf("%+v: %v\n%s", got, err, content)
	}
	if got := nectarIn(t, environ, "init", "--campaign", "--account", "shpo"); got.status != 2 || !strings.Contains(got.stderr, "did you mean \"shop\"?") {
		t.Errorf("no such account: %+v", got)
	}
	if got := nectarIn(t, environ, "init", "--account", "shop"); got.status != 2 || !strings.Contains(got.stderr, "write --campaign, too") {
		t.Errorf("no campaign: %+v", got)
	}
	if got := nectarIn(t, []string{"NECTAR_RULES=" + accounts}, "init", "--campaign"); got.status != 1 || !strings.Contains(got.stderr, "is one file") {
		t.Errorf("a file: %+v", got)
	}
	one := filepath.Join(dir, "one")
	if got := nectarIn(t, []string{"NECTAR_RULES=" + one}, "init", "--campaign"); got.status != 0 || !strings.Contains(got.stdout, filepath.Join(one, starter.CampaignName)) {
		t.Errorf("a new folder: %+v", got)
	}
	alone := t.TempDir()
	if got := nectarIn(t, nil, "init", "--campaign", "--dir", alone); got.status != 0 || !strings.Contains(got.stdout, "nectar init --force        the settings of the bot") {
		t.Errorf("without settings: %+v", got)
	}
	if got := nectarIn(t, nil, "init", "--campaign", "--dir", alone, "--email", "bot@social.example"); got.status != 2 || !strings.Contains(got.stderr, "write nectar init with --email first") {
		t.Errorf("with more than a campaign: %+v", got)
	}
	if got := nectarIn(t, nil, "init", "--force", "--dir", alone); got.status != 0 {
		t.Errorf("the settings afterwards: %+v", got)
	}
}
