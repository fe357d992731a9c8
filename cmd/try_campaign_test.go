package cmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/cmd/internal/try"
)

// campaignsIn returns a folder with a copy of campaigns in testdata.
func campaignsIn(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/trycampaigns/"+name)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// What a script of campaigns prints is the same each time.
func TestTryCampaignScripts(t *testing.T) {
	for script, rules := range map[string]string{"spring": "rules", "live": "live", "found": "rules"} {
		t.Run(script, func(t *testing.T) {
			effort.Case(t)
			path := filepath.Join("testdata/trycampaigns", script+".txt")
			got := nectar(t, "try", campaignsIn(t, rules), "--script", path)
			golden := strings.TrimSuffix(path, ".txt") + ".golden"
			if *updateTry {
				if err := os.WriteFile(golden, []byte(got.stdout), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(readFile(t, golden)), got.stdout); diff != "" {
				t.Error(diff)
			}
			status := 0
			if strings.Contains(got.stdout, "           ! ") {
				status = 1
			}
			if got.status != status || got.stderr != "" {
				t.Errorf("status %d, want %d: %s", got.status, status, got.stderr)
			}
			again := typedIn(t, string(readFile(t, path)), campaignsIn(t, rules))
			if diff := cmp.Diff(got, again, cmp.AllowUnexported(result{})); diff != "" {
				t.Errorf("the same lines say something else:\n%s", diff)
			}
		})
	}
}

func TestTryCampaignsForMachines(t *testing.T) {
	t.Parallel()
	got := typedIn(t, "/wait 2d\n/approve\n", "--json", campaignsIn(t, "rules"))
	var scenes []try.CampaignScene
	for line := range strings.Lines(got.stdout) {
		var sc try.CampaignScene
		if err := json.Unmarshal([]byte(line), &sc); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		scenes = append(scenes, sc)
	}
	if got.status != 0 || len(scenes) != 2 {
		t.Fatalf("status %d, %d scenes: %s%s", got.status, len(scenes), got.stdout, got.stderr)
	}
	asked, left := scenes[0], scenes[1]
	if !asked.Prepared || asked.Post != 48121 || asked.At.Format("15:04") != "07:30" || asked.Deadline.Format("2 15:04") != "9 07:30" {
		t.Errorf("asked %+v", asked)
	}
	if left.Verdict != "go" || !left.Approved || left.Slot != asked.Slot || !left.At.Equal(left.Minute) {
		t.Errorf("left %+v", left)
	}
}

// What is typed of a post that no campaign has does nothing, and says so; the address of a post is as good as its number.
func TestTryCampaignsWithAPostThatIsNotThere(t *testing.T) {
	t.Parallel()
	s, err := try.NewStage(try.Config{Paths: []string{campaignsIn(t, "rules")}})
	if err != nil {
		t.Fatal(err)
	}
	for typed, want := range map[string]string{
		"/delete 48112": "! no campaign has a post 48112: there is 48121", "/phone repost 1": "! no campaign has a post 1: there is", "/private menu": "! write the number of the post, like 48121",
		"/delete https://social.example/thread/48121": "48121 is deleted",
	} {
		if got := toldLines(s.Do(typed)); !strings.Contains(got, want) {
			t.Errorf("%s: want %q, got\n%s", typed, want, got)
		}
	}
}

// An edit that is saved meanwhile is taken over as by a bot.
func TestTryCampaignsTakesEditsOver(t *testing.T) {
	t.Parallel()
	dir := campaignsIn(t, "rules")
	s, err := try.NewStage(try.Config{Paths: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	s.Do("/wait 2d")
	s.Do("/approve")
	path := filepath.Join(dir, "50-spring.yaml")
	save := func(old, with string) {
		t.Helper()
		src := string(readFile(t, path))
		if !strings.Contains(src, old) {
			t.Fatalf("there is no %q", old)
		}
		if err := os.WriteFile(path, []byte(strings.Replace(src, old, with, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	save("- Thu 17:45", "- Thu 18:45")
	got := toldLines(s.Do("/plan"))
	if !strings.Contains(got, "the edit waits, since it moves 3: /apply puts it in force") || !strings.Contains(got, "moves spring-menu@2027-03-11T17:45 to 18:45") ||
		!strings.Contains(got, "spring-menu@2027-03-11T17:45: repost") || strings.Contains(got, "T18:45") {
		t.Errorf("the edit does not wait:\n%s", got)
	}
	if got := toldLines(s.Do("/apply")) + toldLines(s.Do("/plan")); !strings.Contains(got, "in force as they are written now") || !strings.Contains(got, "spring-menu@2027-03-11T18:45: repost") || strings.Contains(got, "T17:45") {
		t.Errorf("the edit is not in force:\n%s", got)
	}
	if got := toldLines(s.Do("/apply")); !strings.Contains(got, "! no edit waits") {
		t.Errorf("applied twice:\n%s", got)
	}
	save("- Sat 11:00", "- Sat 11:00\n      - Sun 11:00")
	if got := toldLines(s.Do("/plan")); !strings.Contains(got, "in force as they are written now: adds 2") {
		t.Errorf("what only adds waits:\n%s", got)
	}
	save("\n        status: ask", "") // what is found is asked for in any case
	save("status: ask\n\n", "status: watch\n\n")
	if got := toldLines(s.Do("/plan")); !strings.Contains(got, "spring-menu is more careful at once") || !strings.Contains(got, "would     spring-menu@2027-03-11T18:45") {
		t.Errorf("a more careful status:\n%s", got)
	}
	save("- Thu 18:45", "- Thu 25:45")
	if got := toldLines(s.Do("/plan")); !strings.Contains(got, "the last good version stays in force") || !strings.Contains(got, "T18:45") {
		t.Errorf("a broken file:\n%s", got)
	}
}

func toldLines(lines []try.Line) string {
	var b strings.Builder
	for i := range lines {
		b.WriteString(lines[i].String() + "\n")
	}
	return b.String()
}

// Where there are rules to chat with, campaigns are played when one is asked for.
func TestTryBesideRules(t *testing.T) {
	t.Parallel()
	dir := campaignsIn(t, "live")
	rule := "version: 1\nstatus: live\nrules:\n  - id: hello\n    when: message\n    if: [text: { any_word: [hello] }]\n    then:\n      - reply: Hi!\n    limits: { per_person: 1 per 12h }\n"
	if err := os.WriteFile(filepath.Join(dir, "90-hello.yaml"), []byte(rule), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := typedIn(t, "hello\n", dir); got.status != 0 || !strings.Contains(got.stdout, "bot: Hi!") || !strings.Contains(got.stdout, "nectar try --campaign daily") {
		t.Errorf("a chat: %d %s%s", got.status, got.stdout, got.stderr)
	}
	got := typedIn(t, "/wait 2d\n", "--campaign", "words", dir)
	if got.status != 0 || !strings.Contains(got.stdout, "words@2027-03-23T08:30") || strings.Contains(got.stdout, "daily@") {
		t.Errorf("words alone: %d %s%s", got.status, got.stdout, got.stderr)
	}
	if got := typedIn(t, "/wait 2d\n", "--campaign", "all", dir); !strings.Contains(got.stdout, "daily@2027-03-22T12:00") {
		t.Errorf("all: %s%s", got.stdout, got.stderr)
	}
	for args, want := range map[string]string{"nothing": `there is no campaign "nothing" in the files; there is daily, words`} {
		if got := typedIn(t, "", "--campaign", args, dir); got.status != 1 || !strings.Contains(got.stderr, want) {
			t.Errorf("%s: %d %s", args, got.status, got.stderr)
		}
	}
	if got := typedIn(t, "", "--campaign", "daily", "testdata/try/rules"); got.status != 1 || !strings.Contains(got.stderr, try.ErrNoCampaigns.Error()) {
		t.Errorf("no campaigns: %d %s", got.status, got.stderr)
	}
	if got := typedIn(t, "", "--at", "2027-03-26 09:00", campaignsIn(t, "live")); !strings.Contains(got.stdout, "It is Friday 26 March 2027 09:00 in Europe/Lisbon, the first slot comes on Mon 22 Mar 12:00") {
		t.Errorf("--at: %s", got.stdout)
	}
}

// An account has one calendar: of campaigns of several accounts, those of one are played.
func TestTryCampaignsOfAnAccount(t *testing.T) {
	t.Parallel()
	dir := campaignsIn(t, "live")
	path := filepath.Join(dir, "50-daily.yaml")
	src := string(readFile(t, path))
	src = strings.Replace(src, "  - id: daily\n", "  - id: daily\n    account: shop\n", 1)
	src = strings.Replace(src, "  - id: words\n", "  - id: words\n    account: cafe\n", 1)
	if err := os.WriteFile(path, []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string][2]string{"": {"account shop", "words@"}, "daily": {"account shop", "words@"}, "words": {"account cafe", "daily@"}} {
		got := typedIn(t, "/plan\n", "--campaign", map[bool]string{true: "all", false: args}[args == ""], dir)
		if got.status != 0 || !strings.Contains(got.stdout, want[0]) || strings.Contains(got.stdout, want[1]) {
			t.Errorf("%q: %d %s%s", args, got.status, got.stdout, got.stderr)
		}
	}
}

// In a terminal, the line of what there is to know says what time it is, and what waits.
func TestCampaignsInATerminal(t *testing.T) {
	t.Parallel()
	s, err := try.NewStage(try.Config{Paths: []string{campaignsIn(t, "rules")}, Campaign: "spring-menu"})
	if err != nil {
		t.Fatal(err)
	}
	m := try.NewModel(s)
	m.Update(tea.WindowSizeMsg{Width: 100, Height: 8})
	press(m, "/wait", "enter")
	got := screen(m)
	want := []string{
		"Mon 08 Mar 07:30  asks      spring-menu@2027-03-09T09:30: repost 48121 at Tue 09:42; answer until",
		"Tue 07:30",
		" Mon 8 March 2027 07:30 · spring-menu · for approval: 1",
		">",
	}
	if diff := cmp.Diff(want, got[len(got)-len(want):]); diff != "" {
		t.Error(diff)
	}
	press(m, "hello", "enter")
	if got := strings.Join(screen(m), "\n"); !strings.Contains(got, "campaigns are played with commands") {
		t.Errorf("something that is no command:\n%s", got)
	}
	if cmd := press(m, "/quit", "enter"); cmd == nil {
		t.Error("it does not end")
	}
}
