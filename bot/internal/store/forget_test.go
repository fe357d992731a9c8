package store_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// zoe is who is forgotten; everything of hers says so.
const (
	zoe       platform.UserID = 9_041_723_655
	zoeNumber                 = "9041723655"
	zoeMarks                  = "Zoe Quill|zoequill|zebra"
)

// crowd stores turns of people who all say and are told something, and of which everything is kept that can be.
type crowd struct {
	*world
	dice *rand.Rand
	n    int
}

// word is something that only one person says.
func (c *crowd) word(peer platform.UserID, what string) string {
	if peer == zoe {
		return fmt.Sprintf("zebra %s %d", what, c.n)
	}
	return fmt.Sprintf("horse %s %d%s", what, c.n, string(bytes.Repeat([]byte("."), c.dice.IntN(200))))
}

func (c *crowd) peer(peer platform.UserID) (name, user string) {
	if peer == zoe {
		return "Zoe Quill", "zoequill"
	}
	return fmt.Sprint("Guest ", peer), fmt.Sprint("guest", peer)
}

// talks lets a person say something, and the bot do what it can.
func (c *crowd) talks(peer platform.UserID) {
	c.Helper()
	c.n++
	key := event.Key{Account: ana, Peer: peer}
	at := noon.Add(time.Duration(c.n) * time.Second)
	e := event.Event{
		Account: ana, ID: event.ID{Source: event.Source(1 + c.n%4), Number: int64(c.n)}, Kind: event.KindMessage, Peer: peer,
		Text: c.word(peer, "said"), SeenAt: at,
	}
	e.Name, e.User = c.peer(peer)
	state, err := c.Conversation(c.Context(), key)
	if err != nil {
		c.Fatal(err)
	}
	state.Version++
	state.Name, state.User = e.Name, e.User
	state.Values = map[string]json.RawMessage{"notes/last": fmt.Appendf(nil, "%q", c.word(peer, "value"))}
	id := e.ID.String()
	turn := &store.Turn{
		Trigger: event.Trigger{Kind: event.ByEvent, Key: key, Event: e}, Conversation: &state, At: at,
		Record: event.DecisionRecord{Route: "talk", Outcome: "handled", Note: c.word(peer, "note"), Before: fmt.Appendf(nil, "%q", c.word(peer, "before"))},
		Facts:  []event.Fact{{Name: "read", Value: fmt.Appendf(nil, "%q", c.word(peer, "fact")), ReadAt: at}},
		Timers: []event.Timer{
			{Key: key, Name: fmt.Sprint("later", c.n%3), Occurrence: int64(c.n), Due: at.Add(time.Hour), Data: fmt.Appendf(nil, "%q", c.word(peer, "data"))},
			{Key: key, Name: fmt.Sprint("much later", c.n%7), Occurrence: int64(c.n), Due: at.Add(time.Hour), Data: fmt.Appendf(nil, "%q", c.word(peer, "late"))},
		},
		Entries: []event.Entry{{Account: ana, List: "leads", Key: id + "/0", Peer: peer, Trigger: id, Text: c.word(peer, "entry"), At: at}},
		Notices: []event.Notice{{Account: ana, ID: id + "/0", Who: "team", Text: c.word(peer, "notice"), Peer: peer, At: at, Details: (&event.Details{Said: c.word(peer, "details")}).Encode()}},
	}
	answer := record.Action{LimitUses: []event.LimitUse{{Limit: "hourly", Scope: fmt.Sprintf("peer:%d", peer), Max: 1000, Within: time.Hour}, {Limit: "all", Max: 1_000_000}}}
	answer.Action = event.Action{
		Account: ana, Key: id + "/talk/0", Peer: peer, Verb: event.VerbMessage, Text: c.word(peer, "answer"), State: event.StateSending,
		Position: int64(c.n), DecidedAt: at, LeftAt: at,
	}
	held := answer
	held.LimitUses = nil
	held.Key, held.Text, held.State = id+"/talk/1", c.word(peer, "held"), event.StateHeld
	held.Approval = &event.Approval{Group: held.Key, Effects: event.Effects{Notices: []event.HeldNotice{{Who: "team", Text: c.word(peer, "waiting")}}}}
	turn.Actions = []record.Action{answer, held}
	done := answer.Action
	done.State, done.Result, done.EndedAt, done.Reason = event.StateDone, int64(c.n)+5000, at, c.word(peer, "reason")
	c.commit(store.Write{Turn: turn})
	c.commit(store.Write{Marks: []outbox.Mark{markOf(done)}})
	c.rings(key, at)
}

// rings lets a timer have its turn, and others be tried in vain.
func (c *crowd) rings(key event.Key, at time.Time) {
	c.Helper()
	timer := event.Timer{Key: key, Name: fmt.Sprint("later", c.n%3), Occurrence: int64(c.n)}
	trigger := event.Trigger{Kind: event.ByTimer, Key: key, Timer: timer}
	if c.n%2 == 0 {
		c.commit(store.Write{Attempt: &store.Attempt{
			Timer: &timer, Record: event.DecisionRecord{Note: c.word(key.Peer, "failed")}, At: at,
			Facts: []event.Fact{{Name: "read", Value: fmt.Appendf(nil, "%q", c.word(key.Peer, "tried")), ReadAt: at}},
		}})
		return
	}
	x := record.Action{LimitUses: []event.LimitUse{{Limit: "all", Max: 1_000_000}}}
	x.Action = event.Action{
		Account: ana, Key: trigger.ID() + "/talk/0", Peer: key.Peer, Verb: event.VerbMessage, Text: c.word(key.Peer, "rang"),
		State: event.StateDue, Due: at, Position: int64(c.n), DecidedAt: at,
	}
	c.commit(store.Write{Turn: &store.Turn{Trigger: trigger, At: at, Actions: []record.Action{x}, Record: event.DecisionRecord{Outcome: "handled", Note: c.word(key.Peer, "ring")}}})
	if c.n%5 == 0 {
		x.State, x.Result = event.StateDone, int64(c.n)+900_000
		c.commit(store.Write{Marks: []outbox.Mark{markOf(x.Action)}})
	}
	c.n++
	e := event.Event{Account: ana, ID: event.ID{Source: event.Messages, Number: int64(c.n)}, Peer: key.Peer, Text: c.word(key.Peer, "waits"), SeenAt: at}
	e.Name, e.User = c.peer(key.Peer)
	c.commit(store.Write{Pending: []event.Event{e}})
	c.commit(store.Write{Turn: &store.Turn{
		Trigger: event.Trigger{Kind: event.ByRequest, Key: key, Choice: fmt.Sprint("takeover/", c.n)}, At: at,
		Record: event.DecisionRecord{Outcome: "handled", Note: c.word(key.Peer, "took over")},
	}})
}

// newCrowd lets many people talk, in a random order that is the same each time; zoe is one of them.
func newCrowd(t *testing.T, key platform.Secret) (*crowd, *store.Database, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "crowd.db")
	db := openFile(t, store.Options{Path: path, Fast: true, Key: key})
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	c := &crowd{world: &world{tb: t, Store: db}, dice: rand.New(rand.NewPCG(1, 2))}
	talks := 1500
	if testing.Short() {
		talks = 500
	}
	for range talks {
		peer := platform.UserID(1000 + c.dice.IntN(12))
		if peer == 1000 {
			peer = zoe
		}
		c.talks(peer)
	}
	return c, db, path
}

// forget forgets zoe as the bot does.
func (c *crowd) forget(db *store.Database, path string, key platform.Secret) {
	c.Helper()
	d, err := store.OpenInspector(c.Context(), path, key)
	if err != nil {
		c.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	asked, err := d.Ask(c.Context(), event.Request{Key: event.Key{Account: ana, Peer: zoe}, Wish: event.WishForget})
	if err != nil {
		c.Fatal(err)
	}
	open, err := db.WithdrawDue(c.Context(), asked[0].Key, "forgotten")
	if err == nil && open > 0 {
		err = fmt.Errorf("%d are on their way", open)
	}
	f := store.NewForgetting(asked[0])
	if err == nil {
		for done := false; !done && err == nil; {
			done, err = db.ForgetPerson(c.Context(), f)
		}
	}
	if err != nil || f.LogKept || f.Erased == 0 {
		c.Fatalf("forget: %v, %+v", err, f)
	}
	yes := true
	c.same("receipt", store.Receipt{}, c.commit(store.Write{Turn: &store.Turn{
		Trigger: asked[0].Trigger(), At: noon, Record: event.DecisionRecord{Outcome: "handled", Note: "forgot her"}, Ignore: &yes,
	}}))
}

// Of a person who was forgotten nothing is in the bytes of the file and its log; of the others nothing is missing.
func TestForgottenBytes(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for name, key := range map[string]platform.Secret{"in the clear": "", "sealed": "a key"} {
		if effort.Few() && key == "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			testForgottenBytes(t, key)
		})
	}
}

func testForgottenBytes(t *testing.T, key platform.Secret) {
	t.Helper()
	c, db, path := newCrowd(t, key)
	other := event.Key{Account: ana, Peer: 1005}
	before, err := db.Person(t.Context(), other)
	if err != nil {
		t.Fatal(err)
	}
	hers, err := db.Person(t.Context(), event.Key{Account: ana, Peer: zoe})
	if err != nil {
		t.Fatal(err)
	}
	for what, n := range map[string]int{
		"events": len(hers.Events), "turns": len(hers.Turns), "actions": len(hers.Actions), "timers": len(hers.Timers), "entries": len(hers.Entries),
		"notices": len(hers.Notices), "facts": len(hers.Facts), "claims": len(hers.LimitUses), "approvals": len(hers.Approvals),
	} {
		if n < 3 {
			t.Errorf("there are %d %s of hers", n, what)
		}
	}
	if found(t, path, zoeMarks+"|"+zoeNumber) == 0 {
		t.Fatal("the test looks in the wrong place")
	}
	c.forget(db, path, key)
	if n := found(t, path, zoeMarks+"|"+zoeNumber); n > 0 {
		t.Errorf("%d times something of hers is in the file or its log", n)
	}
	after, err := db.Person(t.Context(), other)
	if err != nil {
		t.Fatal(err)
	}
	c.same("another person", before, after)
	left, err := db.Person(t.Context(), event.Key{Account: ana, Peer: zoe})
	if err != nil || left.Rows() > 0 || left.Marks == 0 || left.Ignored.IsZero() {
		t.Errorf("it is left: %+v, %v", left, err)
	}
	sound(t, path)
	for _, text := range db.Replanned() {
		t.Errorf("planned anew: %s", text)
	}
}

// A crash at any step leaves the request, and the next incarnation goes on: in the end nothing is left, in the bytes either.
func TestForgetGoesOn(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	c, _, path := newCrowd(t, "")
	d, err := store.OpenInspector(t.Context(), path, "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.Ask(t.Context(), event.Request{Key: event.Key{Account: ana, Peer: zoe}, Wish: event.WishForget})
	if err := errors.Join(err, d.Close(), c.MarkNow(t.Context())); err != nil {
		t.Fatal(err)
	}
	whole := map[string][]byte{}
	for _, suffix := range []string{"", "-wal"} {
		if whole[suffix], err = os.ReadFile(filepath.Clean(path + suffix)); err != nil {
			t.Fatal(err)
		}
	}
	for _, steps := range []int{1, 3, 8, 20} {
		if effort.Few() && steps != 3 {
			continue
		}
		path := filepath.Join(t.TempDir(), "copy.db")
		for suffix, content := range whole {
			if err := os.WriteFile(path+suffix, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for incarnation := range 2 {
			db := openFile(t, store.Options{Path: path, Fast: true})
			asked, err := db.Requests(t.Context(), event.Request{}, 10)
			if err != nil || len(asked) != 1 || asked[0].Until.IsZero() != (incarnation == 0) {
				t.Fatalf("life %d after %d steps: %+v, %v", incarnation, steps, asked, err)
			}
			f := store.NewForgetting(asked[0])
			for n, done := 0, false; !done && (incarnation > 0 || n < steps); n++ {
				if done, err = db.ForgetPerson(t.Context(), f); err != nil {
					t.Fatal(err)
				}
			}
			if incarnation > 0 && found(t, path, zoeMarks+"|"+zoeNumber) > 0 {
				t.Errorf("after %d steps and a crash, something is left", steps)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
		sound(t, path)
	}
}

// found counts how often one of the words, which "|" divides, is in a database or its log.
func found(t *testing.T, path, words string) (n int) {
	t.Helper()
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(filepath.Clean(path + suffix))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		for word := range bytes.SplitSeq([]byte(words), []byte("|")) {
			if k := bytes.Count(content, word); k > 0 {
				t.Logf("%q is %d times in %q", word, k, filepath.Base(path+suffix))
				n += k
			}
		}
	}
	return n
}

// sound checks that a database is whole.
func sound(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var verdict string
	if err := db.QueryRowContext(t.Context(), `PRAGMA integrity_check`).Scan(&verdict); err != nil || verdict != "ok" {
		t.Errorf("the database is %s, %v", verdict, err)
	}
}
