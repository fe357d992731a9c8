package rules_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules"
)

var update = flag.Bool("update", false, "write what the golden cases in testdata expect")

// reportName is the part of a golden case that says what is reported; the others are files.
const reportName = "want"

// goldenCase is a file of testdata/check: rule files, and the report about them.
//
//	-- rules.yaml --
//	version: 1
//	-- want --
//	1 file read, no problems.
type goldenCase struct {
	src    rules.Sources
	around map[string]string // accounts, platform: what is known of the bot
	want   string
}

// options are what is known of the bot.
// checkedOn is when files are checked: what is over is hinted at.
var checkedOn = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func (c goldenCase) options() (all []rules.Option) {
	all = append(all, rules.AsOf(checkedOn))
	if said := c.around["accounts"]; said != "" {
		var accounts []event.Account
		for a := range strings.FieldsSeq(said) {
			accounts = append(accounts, event.Account(a))
		}
		all = append(all, rules.ForAccounts(accounts...))
	}
	if said := c.around["platform"]; said != "" {
		all = append(all, rules.OnPlatform(strings.TrimSpace(said)))
	}
	return all
}

func readCase(t *testing.T, path string) goldenCase {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c := goldenCase{src: rules.Sources{}, around: map[string]string{}}
	parts := strings.Split("\n"+string(content), "\n-- ")
	if strings.TrimSpace(parts[0]) != "" {
		t.Fatalf("%s begins with something else than -- name --", path)
	}
	for _, part := range parts[1:] {
		name, body, ok := strings.Cut(part, " --\n")
		if !ok {
			t.Fatalf("%s: a part has no name", path)
		}
		switch name {
		case reportName:
			c.want = body
		case "accounts", "platform":
			c.around[name] = body
		default:
			c.src[name] = []byte(body + "\n")
		}
	}
	return c
}

func (c goldenCase) write(t *testing.T, path, got string) {
	t.Helper()
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(c.around)) {
		fmt.Fprintf(&b, "-- %s --\n%s\n", name, c.around[name])
	}
	for _, name := range c.src.Names() {
		fmt.Fprintf(&b, "-- %s --\n%s", name, c.src[name])
	}
	fmt.Fprintf(&b, "-- %s --\n%s", reportName, got)
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestFindings(t *testing.T) {
	paths, err := filepath.Glob("testdata/check/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no golden cases: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			c := readCase(t, path)
			var got strings.Builder
			if _, err := rules.ReadAndCheck(c.src, c.options()...).WriteTo(&got); err != nil {
				t.Fatal(err)
			}
			if *update {
				c.write(t, path, got.String())
				return
			}
			if diff := cmp.Diff(strings.TrimSuffix(c.want, "\n"), strings.TrimSuffix(got.String(), "\n")); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestTheReferenceFilesAreFine(t *testing.T) {
	src, err := rules.ReadSources("testdata/reference")
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	if _, err := rules.ReadAndCheck(src, rules.AsOf(checkedOn)).WriteTo(&got); err != nil {
		t.Fatal(err)
	}
	want := "40-spring-reposts.yaml\n" +
		"  line 33  hint: 48121, 48207 and 48260 come 2 times each, not 3: there are not enough slots up to 26 March 2027\n" +
		"  line 37  hint: limits: total: 2 per 1d and whole_campaign: 10 are never reached: the campaign publishes 8 times\n6 files read, no problems, 2 hints.\n"
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// manyRules returns a file with many rules, none of which another one shadows.
func manyRules(n int) rules.Sources {
	var b strings.Builder
	b.WriteString("version: 1\nstatus: watch\ndefaults: { limits: { per_person: 1 per 12h } }\nrules:\n")
	for i := range n {
		fmt.Fprintf(&b, "  - id: rule-%d\n    when: message\n    if:\n      - text: { any_word: [word%d, other%d], any_phrase: [\"some phrase %d\"] }\n", i, i, i, i)
		fmt.Fprintf(&b, "    then:\n      - reply: \"Hello {{first_name|there}}, this is answer %d.\"\n      - label: l%d\n", i, i)
	}
	return rules.Sources{"many.yaml": []byte(b.String())}
}

func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{10, 1000, 10_000} {
		src := manyRules(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if report := rules.ReadAndCheck(src); !report.OK() {
					b.Fatal(report.Problems)
				}
			}
		})
	}
}

// manyCampaigns returns a folder of campaigns, ten in a file, each of its own account unless all are one's.
func manyCampaigns(n int, one bool) rules.Sources {
	src := rules.Sources{}
	for i := range n {
		name := fmt.Sprintf("%03d.yaml", i/10)
		if i%10 == 0 {
			src[name] = []byte("version: 1\nstatus: live\ntimezone: Europe/Lisbon\ncampaigns:\n")
		}
		s := fmt.Sprintf("  - id: c%d\n    do: repost\n    starts: 2027-01-01\n    ends: 2027-12-31\n    slots: [Mon %02d:%02d, Thu %02d:%02d]\n", i, i%24, i%59, (i+3)%24, i%57)
		if !one {
			s += fmt.Sprintf("    account: a%d\n", i)
		}
		s += "    jitter: up to 12m\n    repeat: { gap: 7d, how: undo_then_repost }\n    posts:\n"
		for k := range 5 {
			s += fmt.Sprintf("      - link: https://social.example/thread/%d\n", 1+10*i+k)
		}
		src[name] = append(src[name], s...)
	}
	return src
}

// A plan that would take long is not looked at to its end, and that is said.
func TestPlansThatTakeLong(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("version: 1\ntimezone: Europe/Lisbon\ncampaigns:\n  - id: a\n    do: repost\n    starts: 2000-01-01\n    ends: 9999-12-31\n    slots: [Tue 09:30]\n    posts:\n")
	for i := range 2000 {
		fmt.Fprintf(&b, "      - link: https://social.example/thread/%d\n", i+1)
	}
	report := rules.ReadAndCheck(rules.Sources{"a.yaml": []byte(b.String())})
	const want = "the plan is not looked at to its end: it has too many slots or posts for a check"
	if !report.OK() || len(report.Problems) != 1 || report.Problems[0].Text != want {
		t.Error(report.Problems)
	}
}

func BenchmarkCheckCampaigns(b *testing.B) {
	for name, one := range map[string]bool{"accounts=1": true, "accounts=1000": false} {
		src := manyCampaigns(1000, one)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				rules.ReadAndCheck(src)
			}
		})
	}
}

// FuzzCheck looks for files that the checker cannot stand.
func FuzzCheck(f *testing.F) {
	paths, err := filepath.Glob("testdata/reference/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	cases, err := filepath.Glob("testdata/check/*.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range cases {
		content, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		_, file, _ := strings.Cut(string(content), "-- rules.yaml --\n")
		file, _, _ = strings.Cut(file, "\n-- ")
		f.Add([]byte(file))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		if len(content) > 1<<16 {
			return // larger ones are a matter of patience, not of new ways
		}
		for _, name := range []string{"rules.yaml", rules.SettingsFile, rules.RepliesFile} {
			report := rules.ReadAndCheck(rules.Sources{name: content})
			var b strings.Builder
			if _, err := report.WriteTo(&b); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(b.String(), "1 file read, ") {
				t.Errorf("the report does not count: %q", b.String())
			}
			if !report.OK() {
				continue
			}
			if v, report := rules.Compile(rules.Sources{name: content}); v == nil {
				t.Errorf("it was checked, and cannot be compiled: %v", report.Problems)
			}
		}
	})
}

// The report in the words of the format's own example.
func TestTheVoice(t *testing.T) {
	src, err := rules.ReadSources("testdata/reference")
	if err != nil {
		t.Fatal(err)
	}
	for name, edit := range map[string][2]string{
		"20-catering-lead.yaml": {"next: { correct: done, change: ask-date }", "next: { correct: done, change: ask-dates }"},
		"30-reactions.yaml":     {`- "Thank you for passing our post on, {{first_name|friend}}!"`, "- see our #launch today"},
	} {
		broken := strings.Replace(string(src[name]), edit[0], edit[1], 1)
		if broken == string(src[name]) {
			t.Fatalf("%s: nothing was broken", name)
		}
		src[name] = []byte(broken)
	}
	src["20-catering-lead.yaml"] = []byte(strings.Replace(string(src["20-catering-lead.yaml"]), "limits: { per_person: 1 per 30d }", "# no limits", 1))
	var got strings.Builder
	if _, err := rules.ReadAndCheck(src, rules.AsOf(checkedOn)).WriteTo(&got); err != nil {
		t.Fatal(err)
	}
	want := `20-catering-lead.yaml
  line 14  per_person is missing: how often may one person get this? For example: 1 per 12h
  line 71  confirm → next: there is no step "ask-dates". Did you mean "ask-date"?
30-reactions.yaml
  line 38  everything after # is a comment, so people would read only "see our". Put quotes around the text.
40-spring-reposts.yaml
  line 33  hint: 48121, 48207 and 48260 come 2 times each, not 3: there are not enough slots up to 26 March 2027
  line 37  hint: limits: total: 2 per 1d and whole_campaign: 10 are never reached: the campaign publishes 8 times
6 files read, 3 problems, 2 hints; nothing was changed.
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
