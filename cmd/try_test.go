package cmd

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/try"
	"github.com/nectar-bot/nectar/handlers/rules"
	rulecheck "github.com/nectar-bot/nectar/handlers/rules/check"
	ruledecision "github.com/nectar-bot/nectar/handlers/rules/decision"
)

var updateTry = flag.Bool("update-try", false, "write the transcripts in testdata/try anew")

// copyOfRules returns a folder with a copy of the rule files in testdata.
func copyOfRules(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/try/rules")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// typedIn runs nectar try with lines on its input.
func typedIn(t *testing.T, typed string, args ...string) result {
	t.Helper()
	var out, err bytes.Buffer
	sh := cli.Shell{Args: append([]string{"try"}, args...), Stdin: strings.NewReader(typed), Stdout: &out, Stderr: &err}
	return result{execute(t.Context(), sh), out.String(), err.String()}
}

func TestTryScripts(t *testing.T) {
	scripts, err := filepath.Glob("testdata/try/*.txt")
	if err != nil || len(scripts) == 0 {
		t.Fatal("there are no scripts", err)
	}
	for _, script := range scripts {
		name := strings.TrimSuffix(filepath.Base(script), ".txt")
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			dir := copyOfRules(t)
			got := nectar(t, "try", dir, "--script", script)
			golden := strings.TrimSuffix(script, ".txt") + ".golden"
			if *updateTry {
				if err := os.WriteFile(golden, []byte(got.stdout), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.stdout); diff != "" {
				t.Error(diff)
			}
			status := 0
			if strings.Contains(got.stdout, "           ! ") {
				status = 1
			}
			if got.status != status || got.stderr != "" {
				t.Errorf("status %d, want %d: %s", got.status, status, got.stderr)
			}
			again := typedIn(t, string(readFile(t, script)), copyOfRules(t))
			if diff := cmp.Diff(got, again, cmp.AllowUnexported(result{})); diff != "" {
				t.Errorf("the same lines say something else:\n%s", diff)
			}
			if problems := problemsIn(t, dir); problems != "" {
				t.Errorf("what was saved has problems:\n%s", problems)
			}
		})
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// problemsIn returns what is wrong with the rule files of a folder.
func problemsIn(t *testing.T, dir string) string {
	t.Helper()
	src, err := rules.ReadSources(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, report := rulecheck.Check(src); !report.OK() {
		return report.Problems.Errors().Error()
	}
	return ""
}

func TestTryForMachines(t *testing.T) {
	got := typedIn(t, "/as @ana\nwhen do you open?\n/nothing\n", "--json", "--trace", "--at", "Wed 11:30", copyOfRules(t))
	if got.status != 1 || !strings.Contains(got.stderr, "there is no /nothing") {
		t.Errorf("status %d, %s", got.status, got.stderr)
	}
	var scenes []try.Scene
	for line := range strings.Lines(got.stdout) {
		var sc try.Scene
		if err := json.Unmarshal([]byte(line), &sc); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		scenes = append(scenes, sc)
	}
	if len(scenes) != 2 {
		t.Fatalf("%d scenes, want that it was heard and that it was answered:\n%s", len(scenes), got.stdout)
	}
	heard, answered := scenes[0], scenes[1]
	if heard.Event != "message" || heard.Text != "when do you open?" || heard.Outcome != ruledecision.Gathering || heard.At.Format("Mon 15:04") != "Wed 11:30" {
		t.Errorf("heard %+v", heard)
	}
	if answered.Rule != "opening-hours" || answered.Who != "ana" || answered.Outcome != ruledecision.Answered || len(answered.Tried) == 0 ||
		len(answered.Actions) != 1 || answered.Actions[0].Text != "Hi Ana! We are open Mon-Fri 9:00-18:00." {
		t.Errorf("answered %+v", answered)
	}
}

func TestTryRefuses(t *testing.T) {
	bad := t.TempDir()
	if err := os.WriteFile(filepath.Join(bad, "10-faq.yaml"), []byte("version: 1\nrules:\n  - id: price\n    trigger: message\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		args   []string
		status int
		stderr string
	}{
		"rules that do not load": {[]string{bad}, 1, `you wrote "trigger", here it is called "when"`},
		"a folder without rules": {[]string{t.TempDir()}, 1, "nectar: there is no rule file in"},
		"a wrong time":           {[]string{"--at", "noon"}, 2, `nectar: --at "noon": write it like Sat 23:00`},
		"a wrong name":           {[]string{"--as", "", "testdata/try/rules"}, 1, "nectar: a user name is one word"},
		"no script":              {[]string{"--script", "nowhere.txt", "testdata/try/rules"}, 1, "nectar: read the script: "},
		"a line without an end":  {[]string{"testdata/try/rules"}, 1, "nectar: read the script: bufio.Scanner: token too long"},
	} {
		t.Run(name, func(t *testing.T) {
			typed := ""
			if strings.Contains(tc.stderr, "too long") {
				typed = strings.Repeat("x", cli.LongestLine+1)
			}
			got := typedIn(t, typed, tc.args...)
			if got.status != tc.status || !strings.Contains(got.stderr, tc.stderr) {
				t.Errorf("status %d: %s", got.status, got.stderr)
			}
		})
	}
}

func TestTryTakesTheRulesOfTheSettings(t *testing.T) {
	got := nectarIn(t, []string{"NECTAR_RULES=testdata/try/rules"}, "try")
	want := result{stdout: "           · 4 files read, no problems.\n"}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(result{})); diff != "" {
		t.Error(diff)
	}
}

// A call that waits for us to open is told of once, however often it is looked meanwhile whether we do.
func TestTryTellsOfACallOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if got := begins(t, dir); got.status != 0 {
		t.Fatalf("%+v", got)
	}
	script := filepath.Join(dir, "night.txt")
	if err := os.WriteFile(script, []byte("/at Tue 22:00\ndo you cater weddings?\n/wait 12h\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := nectar(t, "try", filepath.Join(dir, "rules"), "--script", script)
	if strings.Count(got.stdout, "once we are open") != 1 || strings.Count(got.stdout, "Wed 09:00  · tells team") != 1 {
		t.Errorf("%s%s", got.stdout, got.stderr)
	}
}

// A picture comes in a try, and in the tests that are saved of it.
func TestTryMedia(t *testing.T) {
	dir := t.TempDir()
	const file = `version: 1
status: live
rules:
  - id: nice
    if: { conversation: { first_message: true }, text: { none_word: [quote] } }
    when: message
    then: [{ reply: "Nice picture." }]
    limits: { per_person: 1 per 12h }
conversations:
  - id: quote
    start: { when: message, if: { text: { any_word: [quote] } } }
    limits: { per_person: 9 per 1d }
    if_silent: [{ after: 1d, goto: done }]
    steps:
      - { id: photo, ask: "A photo of it, please.", expect: media, private: true, save_as: photo, if_wrong: { say: "A photo.", times: 9 }, next: where }
      - { id: where, ask: "And where is it?", expect: [media, email], save_as: place, if_wrong: { say: "A photo or an address.", times: 9 }, next: done }
      - { id: done, say: "Thanks.", end: done }
`
	if err := os.WriteFile(filepath.Join(dir, "10-quote.yaml"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	typed := "a quote please\nhm\n/media\n/media\n/save with photos\n/as @leo\n/media\n/save\n"
	got := typedIn(t, typed, dir)
	for _, want := range []string{
		"bot: And where is it?\n", "@guest: (sends a picture)\n", "bot: Thanks.\n", "bot: Nice picture.\n",
		"- { media: true, at: where }\n", "- { media: true, at: done }\n", `- { media: true, from: "@leo", expect: reply }`,
	} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("%q is missing in\n%s", want, got.stdout)
		}
	}
	if got.status != 0 || problemsIn(t, dir) != "" {
		t.Errorf("status %d, %s%s", got.status, got.stderr, problemsIn(t, dir))
	}
	var scene try.Scene
	if got := typedIn(t, "/media\n", "--json", dir); json.Unmarshal([]byte(got.stdout), &scene) != nil || !scene.Media || scene.Text != "Image" {
		t.Errorf("for machines it is %s", got.stdout)
	}
}
