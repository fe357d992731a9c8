package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest/stored"
	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/rules"
	ruledecision "github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/session"
)

const crowdKey = "0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f"

// multitude is a memory of many accounts, which have all dealt with some people. Few of them have something open.
type multitude struct {
	tb       testing.TB
	accounts int
	few      int // one account in so many has something open of a kind
	st       bot.Store
	now      time.Time
	pending  int
	done     chan error
	environ  []string
	rules    string // their folder
}

const (
	crowdChats = 20 // of each account
	crowdRules = `version: 1
name: Crowd
status: live
rules:
  - id: opening-hours
    when: message
    if: [text: { any_phrase: [when do you open] }]
    then: [reply: "At nine."]
    limits: { per_person: 1 per 1h }
  - id: parking
    status: ask
    when: message
    if: [text: { any_word: [parking] }]
    then: [reply: "Behind the house."]
    limits: { per_person: 1 per 1h }
`
)

// newCrowd fills a memory at url, which is a path or a URL.
func newCrowd(tb testing.TB, url string, accounts, few int, now time.Time) *multitude {
	tb.Helper()
	dir := tb.TempDir()
	w := &multitude{tb: tb, accounts: accounts, few: few, now: now.Truncate(time.Microsecond), done: make(chan error, 1000)}
	w.rules = filepath.Join(dir, "rules")
	w.write(filepath.Join(w.rules, "10-crowd.yaml"), crowdRules)
	var names strings.Builder
	names.WriteString("accounts:\n")
	for i := range accounts {
		fmt.Fprintf(&names, "  %s: { email: %[1]s@social.example, password: hunter2 }\n", w.name(i))
	}
	w.write(filepath.Join(dir, "accounts.yaml"), names.String())
	w.environ = []string{
		"NECTAR_BASE_URL=https://social.example/mobile_api", "NECTAR_ACCOUNTS=" + filepath.Join(dir, "accounts.yaml"),
		"NECTAR_RULES=" + w.rules, "NECTAR_SECRET_KEY=" + crowdKey, "NECTAR_STORE=" + url,
	}
	var err error
	if w.st, err = bot.OpenStore(tb.Context(), bot.StoreOptions{Path: strings.TrimPrefix(url, "sqlite:"), Key: crowdKey}); err != nil {
		tb.Fatal(err)
	}
	w.fill()
	if err := w.st.Close(); err != nil {
		tb.Fatal(err)
	}
	return w
}

func (w *multitude) write(path, text string) {
	w.tb.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.tb.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.tb.Fatal(err)
	}
}

func (w *multitude) name(i int) event.Account { return event.Account(fmt.Sprintf("account%05d", i)) }

func (w *multitude) fill() {
	w.tb.Helper()
	src, err := rules.ReadSources(w.rules)
	if err != nil {
		w.tb.Fatal(err)
	}
	v, report := rules.Compile(src)
	if v == nil {
		w.tb.Fatal(report.Problems)
	}
	all := make([]event.Account, w.accounts)
	for i := range all {
		all[i] = w.name(i)
		w.account(i)
	}
	w.wait(0)
	content, err := src.Encode()
	if err != nil {
		w.tb.Fatal(err)
	}
	if err := w.st.SaveRules(context.Background(), record.Rules{Hash: v.Hash(), Content: content, Folder: w.rules, Accounts: all}); err != nil {
		w.tb.Fatal(err)
	}
}

// wait waits until at most so many writes are under way.
func (w *multitude) wait(most int) {
	w.tb.Helper()
	for ; w.pending > most; w.pending-- {
		if err := <-w.done; err != nil {
			w.tb.Fatal(err)
		}
	}
}

func (w *multitude) commit(x stored.Write) {
	w.tb.Helper()
	w.wait(500)
	w.pending++
	x.Done = func(err error) { w.done <- err }
	stored.Commit(w.st, x)
}

// account fills in one account.
func (w *multitude) account(i int) {
	w.tb.Helper()
	name := w.name(i)
	kept := session.Kept{Tokens: platform.Tokens{SessionID: "session", RefreshToken: "refresh"}, User: platform.UserID(1_000_000 + i), Username: string(name)}
	if i%100 == 0 { // one after another, each with a commit
		if err := w.st.Keeper(name).SaveSession(context.Background(), kept); err != nil {
			w.tb.Fatal(err)
		}
	}
	for n := range crowdChats {
		w.turn(i, n)
	}
	w.commit(stored.Write{Cursors: []record.Cursor{{Account: name, Source: event.Notifs, ID: 7, PolledAt: w.now}}})
}

// is reports whether an account has something open of the kind that a number stands for.
func (w *multitude) is(i, kind int) bool { return (i+kind)%w.few == 0 }

// turn is a message of the n-th person of an account, with its answer.
func (w *multitude) turn(i, n int) {
	w.tb.Helper()
	name, peer := w.name(i), platform.UserID(100*i+n+1)
	behind := crowdChats - (n ^ 1) // of two chats, that with the earlier message was read later
	// Nothing is near a border that --since may draw: those are whole tens of minutes ago.
	at := w.now.Add(-time.Duration(30*(i*7919%17)+70*behind+5)*time.Minute - time.Duration(i%120)*time.Second)
	e := event.Event{
		Account: name, ID: event.ID{Source: event.Messages, Number: int64(1000*i + n + 1)}, Kind: event.KindMessage, Peer: peer,
		Name: "Person", User: fmt.Sprintf("person%d", peer), Text: "when do you open tomorrow?", SeenAt: at, NotBefore: at.Add(-time.Minute),
	}
	key := e.Key()
	turn := &stored.Turn{Trigger: event.Trigger{Kind: event.ByEvent, Key: key, Event: e}, At: at.Add(time.Second), Record: event.DecisionRecord{
		Route: "rules", Outcome: "answered", Rule: "opening-hours",
	}, Conversation: &conversation.State{Key: key, Version: 1, Name: e.Name, User: e.User}}
	a := record.Action{Action: event.Action{
		Key: e.ID.String() + "/rules/0", Account: name, Peer: peer, Verb: event.VerbMessage, Text: "At nine.", State: event.StateDone, Rule: "opening-hours",
		Position: at.UnixMicro(), ReconcileFrom: 1, DecidedAt: turn.At, LeftAt: turn.At, EndedAt: turn.At,
	}}
	pending := false
	switch {
	case n == 1 && w.is(i, 1):
		a.State, a.Due, a.LeftAt, a.EndedAt = event.StateDue, w.now.Add(time.Hour), time.Time{}, time.Time{}
	case n == 2 && w.is(i, 2):
		a.State, a.Reason, a.LeftAt, a.Rule = event.StateHeld, event.NeedsApproval, time.Time{}, "parking"
		a.Approval = &event.Approval{Group: a.Key, Expires: w.now.Add(time.Hour)}
		turn.Record.Outcome, turn.Record.Rule = string(ruledecision.Prepared), "parking"
	case n == 3 && w.is(i, 3):
		a.State, a.EndedAt = event.StateInDoubt, time.Time{}
	case n == 4 && w.is(i, 4):
		turn.Conversation.Owner, turn.Conversation.OwnerSince = "sales", at
		turn.Timers = []event.Timer{{Key: key, Name: "follow-up", Occurrence: 1, Due: w.now.Add(-time.Hour)}}
	case n == 5 && w.is(i, 5):
		turn.Entries = []event.Entry{{Account: name, List: "leads", Key: fmt.Sprint(peer), Peer: peer, Text: "wants a table", At: at}}
		turn.Notices = []event.Notice{{Account: name, ID: e.ID.String() + "/rules/0", Who: "team", Text: "a lead", Peer: peer, At: at}}
	case n == 6 && w.is(i, 6):
		ignore := true
		turn.Ignore = &ignore
	case n == 7 && w.is(i, 7):
		turn.Known = []event.Fact{{Name: "pause", Value: json.RawMessage(`{"rules":{"parking":{"since":"2026-01-02T03:04:05Z"}}}`), ReadAt: at}}
	case n == 8 && w.is(i, 8):
		pending = true
	case n == 9 && w.is(i, 9):
		turn.Known = []event.Fact{{Name: "rival", Value: json.RawMessage(`{"stopped":"2026-01-02T03:04:05Z"}`), ReadAt: at}}
	}
	turn.Actions = []record.Action{a}
	x := stored.Write{Turn: turn, Cursors: []record.Cursor{{Account: name, Source: event.Messages, Peer: peer, ID: e.ID.Number, PolledAt: at}}}
	if pending {
		x = stored.Write{Pending: []event.Event{e}, Cursors: x.Cursors}
	}
	w.commit(x)
}
