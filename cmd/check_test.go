package cmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
)

const goodRules = `version: 1
rules:
  - id: price
    when: message
    if: { text: { any_word: [price] } }
    then: [{ reply: "It is 12." }]
    limits: { per_person: 1 per 12h }
    tests: [{ say: "what price?", expect: reply }]
`

const badRules = `version: 1
rules:
  - id: price
    when: message
    if: { text: { any_word: [price] } }
    then: [{ repyl: "It is 12." }]
    limits: { per_person: 1 per 12h }
`

// rulesIn writes a rule file into a folder of its own and returns the folder.
func rulesIn(t *testing.T, content string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "10-faq.yaml"), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A campaign is checked for the accounts that act by its folder, and for the platform that these are on.
func TestCheckCampaigns(t *testing.T) {
	campaign := func(account, host string) string {
		return "version: 1\ncampaigns:\n  - id: menu\n" + account + "    do: repost\n    timezone: Europe/Lisbon\n    starts: 2038-03-01\n    ends: 2038-03-02\n" +
			"    slots: [Tue 09:30]\n    posts: [{ link: \"https://" + host + "/thread/1\" }]\n"
	}
	const ours, fine = "social.example", "1 file read, no problems.\n"
	dir := rulesIn(t, "")
	accounts := filepath.Join(t.TempDir(), "accounts.yaml")
	text := "accounts:\n"
	for _, a := range []string{"cafe", "shop"} {
		text += "  " + a + ": { base_url: https://api." + ours + "/mobile_api, email: " + a + "@" + ours + ", password: x, rules: " + dir + " }\n"
	}
	if err := os.WriteFile(accounts, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	two, one := []string{"NECTAR_ACCOUNTS=" + accounts}, []string{"NECTAR_RULES=" + dir}
	file := filepath.Join(dir, "10-faq.yaml")
	for name, tc := range map[string]struct {
		content, path string
		environ       []string
		want          string
	}{
		"named":            {campaign("    account: shop\n", ours), "", two, fine},
		"not named":        {campaign("", ours), "", two, "account is missing: 2 accounts act by these files: write account: and one of cafe, shop"},
		"a file":           {campaign("", ours), file, two, "account is missing"},
		"not there":        {campaign("    account: shpo\n", ours), "", two, "there is no account \"shpo\". Did you mean \"shop\"?"},
		"the only one":     {campaign("", ours), "", one, fine},
		"nobody's":         {campaign("    account: shop\n", ours), "", one, "There is no account"},
		"another platform": {campaign("    account: shop\n", "other.example"), "", two, "hint: link: other.example is another host than the platform's, api.social.example"},
	} {
		if err := os.WriteFile(file, []byte(tc.content), 0o600); err != nil {
			t.Fatal(err)
		}
		args := []string{"check"}
		if tc.path != "" {
			args = append(args, tc.path)
		}
		if got := nectarIn(t, tc.environ, args...); !strings.Contains(strings.ToLower(got.stdout), strings.ToLower(tc.want)) || got.stderr != "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestCheck(t *testing.T) {
	good, bad := rulesIn(t, goodRules), rulesIn(t, badRules)
	wrong := "10-faq.yaml\n  line 6   there is no \"repyl\" here. Did you mean \"reply\"?\n1 file read, 1 problem; nothing was changed.\n"
	failing := rulesIn(t, strings.Replace(goodRules, "what price?", "what cost?", 1))
	for name, tc := range map[string]struct {
		args, environ []string
		want          result
	}{
		"no problems":     {[]string{"check", good}, nil, result{stdout: "1 file read, no problems.\n"}},
		"a file":          {[]string{"check", filepath.Join(good, "10-faq.yaml")}, nil, result{stdout: "1 file read, no problems.\n"}},
		"problems":        {[]string{"check", bad}, nil, result{status: 1, stdout: wrong}},
		"of the settings": {[]string{"check"}, []string{"NECTAR_RULES=" + bad}, result{status: 1, stdout: wrong}},
		"two of one name": {[]string{"check", good, bad}, nil, result{
			status: 1,
			stderr: "nectar: two files have the name 10-faq.yaml: " + good + "/10-faq.yaml and " + bad +
				"/10-faq.yaml. Give one of them another name, or check them one after the other\n",
		}},
		"not there": {[]string{"check", good + "/none"}, nil, result{
			status: 1,
			stderr: "nectar: there is no file or folder " + good + "/none: write the folder your rule files are in, or make one with nectar init\n",
		}},
		"no such schema": {[]string{"check", "--schema", "rule"}, nil, result{
			status: 2,
			stderr: "nectar: there is no schema \"rule\": want rules, settings, replies (see nectar check --help)\n",
		}},
		"a schema and files": {[]string{"check", "--schema", "rules", good}, nil, result{
			status: 2,
			stderr: "nectar: --schema and --schema-dir check nothing: leave out the files (see nectar check --help)\n",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, nectarIn(t, tc.environ, tc.args...), cmp.AllowUnexported(result{})); diff != "" {
				t.Error(diff)
			}
		})
	}
	got := nectar(t, "check", failing)
	if got.status != 1 || !strings.Contains(got.stdout, "  line 8   test price: ") {
		t.Errorf("a failing test: %+v", got)
	}
}

func TestCheckInTheFolderRules(t *testing.T) {
	t.Chdir(t.TempDir())
	want := result{status: cli.ExitConfig, stderr: "nectar: there is no file or folder rules: write the folder your rule files are in, or make one with nectar init\n"}
	if diff := cmp.Diff(want, nectar(t, "check"), cmp.AllowUnexported(result{})); diff != "" {
		t.Error(diff)
	}
	if err := os.Rename(rulesIn(t, goodRules), "rules"); err != nil {
		t.Fatal(err)
	}
	want = result{stdout: "1 file read, no problems.\n"}
	if diff := cmp.Diff(want, nectar(t, "check"), cmp.AllowUnexported(result{})); diff != "" {
		t.Error(diff)
	}
}

func TestCheckForMachines(t *testing.T) {
	for name, tc := range map[string]struct {
		rules  string
		status int
		want   string
	}{
		"no problems": {goodRules, 0, `{"ok": true, "files": 1, "problems": []}`},
		"problems": {badRules, 1, `{"ok": false, "files": 1, "problems": [
			{"file": "10-faq.yaml", "line": 6, "text": "there is no \"repyl\" here. Did you mean \"reply\"?"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			got := nectar(t, "check", "--json", rulesIn(t, tc.rules))
			if got.status != tc.status {
				t.Errorf("status %d", got.status)
			}
			var have, want any
			for text, into := range map[string]*any{got.stdout: &have, tc.want: &want} {
				if err := json.Unmarshal([]byte(text), into); err != nil {
					t.Fatalf("%v: %s", err, text)
				}
			}
			if diff := cmp.Diff(want, have); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCheckPrintsSchemas(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "schema")
	written := nectar(t, "check", "--schema-dir", dir)
	if written.status != 0 {
		t.Fatal(written.stderr)
	}
	for _, name := range []string{"rules", "settings", "replies"} {
		path := filepath.Join(dir, name+".v1.json")
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(content) || string(content) != nectar(t, "check", "--schema", name).stdout {
			t.Errorf("%s: another schema is printed than is written", name)
		}
		if !strings.Contains(written.stdout, path+"\n") {
			t.Errorf("it does not say that it wrote %s", path)
		}
	}
}

func TestReportInColours(t *testing.T) {
	plain := "10-faq.yaml\n  line 6   it is wrong\n           and more\n  line 9   hint: look\n  test     price: failed\n  hint: all of it\n1 file read, 2 problems, 2 hints; nothing was changed.\n"
	want := "\x1b[1m10-faq.yaml\x1b[0m\n  \x1b[31mline 6   \x1b[0mit is wrong\n           and more\n" +
		"  \x1b[33mline 9   \x1b[0m\x1b[33mhint: \x1b[0mlook\n  \x1b[31mtest     \x1b[0mprice: failed\n  \x1b[33mhint: \x1b[0mall of it\n" +
		"1 file read, 2 problems, 2 hints; nothing was changed.\n"
	if diff := cmp.Diff(want, colouredReport(plain)); diff != "" {
		t.Error(diff)
	}
}

// What is no rule file, and looks like one, is told beside what is wrong with the others.
func TestCheckTellsWhatItDoesNotRead(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := put(".", "rules/10-faq.yaml.txt", "rules/20-lead.yaml", "rules/old/30-a.yaml"); err != nil {
		t.Fatal(err)
	}
	got := nectarIn(t, nil, "check")
	for _, want := range []string{
		"10-faq.yaml.txt\n  hint: this is not read: call it 10-faq.yaml, without .txt\n", "old\n  hint: folders in the folder are not read",
	} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("it does not say %q:\n%s%s", want, got.stdout, got.stderr)
		}
	}
}
