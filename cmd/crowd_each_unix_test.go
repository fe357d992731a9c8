//go:build unix

package cmd

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/cmd/internal/view"
)

// question is a command about all accounts, and what it says, of what each of them says in turn.
type question struct {
	args  []string
	merge func(each []string) []string
}

func crowdQuestions() []question {
	inTurn := func(lines []string) []string { return lines }
	return []question{
		{[]string{"lists"}, inTurn},
		{[]string{"accounts"}, inTurn},
		{[]string{"summary"}, inTurn},
		{[]string{"forget", "--list-ignored"}, inTurn},
		{[]string{"outbox", "--held"}, inTurn},
		{[]string{"outbox", "--unsure"}, inTurn},
		{[]string{"outbox", "--due"}, inTurn},
		{[]string{"outbox", "--needs-approval"}, inTurn},
		{[]string{"outbox", "--due", "--rule", "opening-hours"}, inTurn},
		{[]string{"events"}, latest("seen_at", view.DefaultLimit)},
		{[]string{"events", "--limit", "200"}, latest("seen_at", 200)},
		{[]string{"events", "--pending"}, latest("seen_at", view.DefaultLimit)},
		{[]string{"events", "--rule", "parking"}, latest("seen_at", view.DefaultLimit)},
		{[]string{"events", "--outcome", "answered"}, latest("seen_at", view.DefaultLimit)},
		{[]string{"events", "--outcome", "waiting"}, latest("seen_at", view.DefaultLimit)},
		{[]string{"events", "--since", "3h"}, latest("seen_at", view.DefaultLimit)},
		{[]string{"conversations"}, latest("last_seen_at", view.DefaultLimit)},
		{[]string{"conversations", "--taken-over"}, latest("last_seen_at", view.DefaultLimit)},
		{[]string{"conversations", "--owner", "sales", "--limit", "3"}, latest("last_seen_at", 3)},
		{[]string{"lists", "leads"}, latest("at", 1<<20)},
	}
}

// ofProcess is what is told of the process that runs, or does not: a bot beside a file, and any number of workers on a server.
var ofProcess = regexp.MustCompile(`,"troubles":\[[^\]]*\]|,"unwell":"[^"]*"`)

// What is asked of all accounts is what each of them answers alone, and a server answers as a file does.
func TestOfAllAccountsAndOfEach(t *testing.T) {
	t.Parallel()
	onlyWithAll(t)
	const accounts, few = view.FewAccounts + 3, 3
	now := time.Now()
	file := newCrowd(t, "sqlite:"+filepath.Join(t.TempDir(), "nectar.db"), accounts, few, now)
	answers := map[string]string{}
	names := file.inOrder(t)
	for _, q := range crowdQuestions() {
		var each []string
		for _, account := range names {
			each = append(each, file.lines(t, append(slices.Clone(q.args), "--account", account)...)...)
		}
		asked, want, got := strings.Join(q.args, " "), strings.Join(q.merge(each), "\n"), strings.Join(file.lines(t, q.args...), "\n")
		if want != got || got == "" {
			t.Errorf("%s:\n%s\nwant\n%s", asked, got, want)
		}
		answers[asked] = want
	}
	file.ofOne(t)
	server := newCrowd(t, newSchema(t).URL(""), accounts, few, now)
	for _, q := range crowdQuestions() {
		asked, got := strings.Join(q.args, " "), ofProcess.ReplaceAllString(strings.Join(server.lines(t, q.args...), "\n"), "")
		if want := ofProcess.ReplaceAllString(answers[asked], ""); got != want {
			t.Errorf("%s, on a server:\n%s\nwant\n%s", asked, got, want)
		}
	}
	server.ofOne(t)
}

// ofOne asks for what one account has, without saying which.
func (w *multitude) ofOne(t *testing.T) {
	t.Helper()
	for _, i := range []int{0, 17, w.accounts - 1} {
		id := fmt.Sprintf("message:%d", 1000*i+1)
		for _, args := range [][]string{{"why", id}, {"why", id + "/rules/0"}, {"events", "--peer", fmt.Sprintf("@PERSON%d", 100*i+1)}, {"outbox", "--peer", fmt.Sprint(100*i + 1)}} {
			want, got := w.lines(t, append(slices.Clone(args), "--account", string(w.name(i)))...), w.lines(t, args...)
			if len(got) == 0 || strings.Join(want, "\n") != strings.Join(got, "\n") {
				t.Errorf("%s:\n%s\nwant\n%s", strings.Join(args, " "), strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
}

// summed is from when to when a summary is.
var summed = regexp.MustCompile(`"since":"[^"]*","until":"[^"]*",`)

// goesOn is where a list goes on, of one account or of all.
var goesOn = regexp.MustCompile(`,"next":"[^"]*"`)

// lines are what a command prints for machines.
func (w *multitude) lines(t *testing.T, args ...string) []string {
	t.Helper()
	got := nectarIn(t, w.environ, append(args, "--json")...)
	if got.status != 0 {
		t.Fatalf("%s: status %d: %s", strings.Join(args, " "), got.status, got.stderr)
	}
	if args[0] == "summary" {
		got.stdout = summed.ReplaceAllString(got.stdout, "")
	}
	got.stdout = goesOn.ReplaceAllString(got.stdout, "")
	return slices.DeleteFunc(strings.Split(got.stdout, "\n"), func(line string) bool { return line == "" })
}

// inOrder are the accounts as the commands list them.
func (w *multitude) inOrder(t *testing.T) (names []string) {
	t.Helper()
	for _, line := range w.lines(t, "accounts") {
		var a struct{ Account string }
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatal(err)
		}
		names = append(names, a.Account)
	}
	if len(names) != w.accounts {
		t.Fatalf("%d accounts, want %d", len(names), w.accounts)
	}
	return names
}

// latest puts lines in the order of a time in them, the latest first.
func latest(field string, limit int) func([]string) []string {
	return func(lines []string) []string {
		at := func(line string) time.Time {
			var of map[string]any
			if err := json.Unmarshal([]byte(line), &of); err != nil {
				return time.Time{}
			}
			at, _ := time.Parse(time.RFC3339Nano, fmt.Sprint(of[field]))
			return at
		}
		slices.SortStableFunc(lines, func(a, b string) int { return at(b).Compare(at(a)) })
		return lines[:min(len(lines), limit)]
	}
}
