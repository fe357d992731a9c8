package reason_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/internal/reason"
)

var ten = time.Date(2027, time.March, 1, 10, 0, 30, 0, time.UTC)

// What is stored says by its code why, and people read a sentence of it.
func TestSentences(t *testing.T) {
	t.Parallel()
	crowd := reason.Crowd{Apart: 2 * time.Hour}
	for want, why := range map[string]event.Reason{
		"the rule prices is paused":                                                                                reason.PausedBy("prices"),
		"the account is paused":                                                                                    reason.PausedBy(""),
		"the rule 50% off? & more is on watch":                                                                     reason.WatchedBy("50% off? & more"),
		"it had become too late for it while the rule prices is paused":                                            reason.LapsedPause("prices"),
		"it had become too late for it while the account is paused":                                                reason.LapsedPause(""),
		"the limit nectar/ceiling is used up":                                                                      reason.UsedUp(event.CeilingLimit),
		"its time was over at 2027-03-01 10:00 UTC":                                                                reason.TooLate(ten),
		"its time was over at 2027-03-01 10:00 UTC; a request had left before, and did not arrive":                 reason.TooLateAgain(ten),
		"its time was over at 2027-03-01 10:00 UTC; it waited: 2 hours between publications":                       reason.StillLate(crowd.WaitsUntil(ten), ten),
		"waits: 2 hours between publications, until 2027-03-01 10:00:30 UTC":                                       crowd.WaitsUntil(ten),
		"waits: 1 publication in 1 day, until 2027-03-01 10:00:30 UTC":                                             reason.Crowd{Most: 1, Within: 24 * time.Hour}.WaitsUntil(ten),
		"6 publications in 90 minutes, until 2027-03-01 10:00:30 UTC: its time is over at 2027-03-01 11:00:30 UTC": reason.Crowd{Most: 6, Within: 90 * time.Minute}.InVain(ten, ten.Add(time.Hour)),
		"nobody approved it within 6h":                                                                             reason.ExpiredApproval(&event.Approval{Within: 6 * time.Hour, Expires: ten}),
		"nobody approved it within 1m30s":                                                                          reason.ExpiredApproval(&event.Approval{Within: 90 * time.Second}),
		"nobody approved it by 2027-03-01 10:00 UTC":                                                               reason.ExpiredApproval(&event.Approval{Expires: ten}),
		"needs approval": event.Because(reason.NeedsApproval),
		"":               event.Because(reason.Held),
	} {
		if got := reason.SentenceOf(why); got != want {
			t.Errorf("%s: %q, and not %q", why, got, want)
		}
	}
}

// An action that was stored before there were codes is read by its sentence, and every other one by its code alone.
func TestOldSentences(t *testing.T) {
	t.Parallel()
	for sentence, want := range map[string]event.Reason{
		"":                                    "",
		"the rule prices is paused":           reason.PausedBy("prices"),
		"the account is paused":               reason.PausedBy(""),
		"the rule the rule is on watch":       reason.WatchedBy("the rule"),
		"the limit nectar/ceiling is used up": reason.UsedUp(event.CeilingLimit),
		"it had become too late for it while the rule prices is paused":      reason.LapsedPause("prices"),
		"it had become too late for it while the account is paused":          reason.LapsedPause(""),
		"waits: 2 hours between publications, until 2027-03-01 10:00:30 UTC": event.Because(reason.Crowded),
		"needs approval":                              event.Because(reason.NeedsApproval),
		"dropped by a person":                         event.Because(reason.Dropped),
		"it was so already":                           event.Because(reason.WasSo),
		"the rule prices":                             "",
		"Ana says: the rule prices is paused, is it?": "",
	} {
		if got := reason.OfAction(&event.Action{Reason: sentence}); got != want {
			t.Errorf("%q is %q, and not %q", sentence, got, want)
		}
		if got := reason.OfAction(&event.Action{Reason: sentence, Why: event.Because(reason.Held)}); got != event.Because(reason.Held) {
			t.Errorf("%q beside a code is %q", sentence, got)
		}
	}
	for state, want := range map[event.State]bool{event.StateWithdrawn: true, event.StateHeld: false} {
		for _, a := range []event.Action{{Why: reason.PausedBy("x")}, {Why: reason.WatchedBy("x")}, {Reason: "the account is paused"}} {
			if a.State = state; reason.IsRecorded(&a) != want {
				t.Errorf("%v (%s) was only recorded: %v", a.State, reason.OfAction(&a), !want)
			}
		}
	}
}

// What people decided is read by its code, and of earlier versions by the note.
func TestDecisions(t *testing.T) {
	t.Parallel()
	for _, r := range []event.DecisionRecord{
		{Why: event.Because(reason.Edited, "action", "message:7/rules/0"), Note: "worded as one likes"},
		{Note: "released message:7/rules/0 with another text"},
	} {
		if key := reason.EditedBy(&r); key != "message:7/rules/0" {
			t.Errorf("%+v: %q", r, key)
		}
	}
	for _, r := range []event.DecisionRecord{{Note: "released message:7/rules/0"}, {Note: "what she wrote with another text"}, {Why: event.Because(reason.Erased)}} {
		if key := reason.EditedBy(&r); key != "" {
			t.Errorf("%+v: %q", r, key)
		}
	}
	for note, why := range map[string]event.Reason{"worded as one likes": event.Because(reason.Erased), "forgot what was kept: 3 rows": ""} {
		if r := (event.DecisionRecord{Note: note, Why: why}); !reason.IsErasing(&r) {
			t.Errorf("%+v erases nothing", r)
		}
	}
	if r := (event.DecisionRecord{Note: "released message:7/rules/0"}); reason.IsErasing(&r) {
		t.Errorf("%+v erases", r)
	}
}

// SQL finds the rows of a code by how it begins, and a page says what each is.
func TestCodes(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "code.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		if lit, ok := spec.Values[0].(*ast.BasicLit); ok {
			code, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			codes = append(codes, code)
		}
		return true
	})
	if len(codes) < 30 {
		t.Fatalf("only %d codes are found", len(codes))
	}
	page, err := os.ReadFile("../../docs/inspect.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range codes {
		if !strings.Contains(string(page), "`"+code+"`") {
			t.Errorf("docs/inspect.md does not say what %s is", code)
		}
	}
	for i, x := range codes {
		for j, y := range codes {
			if i != j && strings.HasPrefix(x, y) {
				t.Errorf("%s begins with %s", x, y)
			}
		}
	}
}
