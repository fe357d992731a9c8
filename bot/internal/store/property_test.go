package store_test

import (
	"encoding/json"
	"io"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"pgregory.net/rapid"
)

// TestAnyHistory: whatever comes, in whatever groups, and wherever the process dies between them, the
// store says and holds what a simple model does.
func TestAnyHistory(t *testing.T) {
	t.Parallel()
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) {
			effort.Case(t)
			testHistory(t, e)
		})
	}
}

func testHistory(t *testing.T, e engine) {
	t.Helper()
	fresh, tried := e.incarnations(t), 0
	rapid.Check(t, func(r *rapid.T) {
		if tried++; e.histories > 0 && tried > e.histories && !t.Failed() {
			return
		}
		h := &history{T: r, incarnations: fresh(r), model: newModel(), sequences: map[platform.UserID]*course{}}
		h.world = &world{tb: r, Store: h.incarnations.open()}
		defer func() {
			if err := h.Close(); err != nil {
				r.Fatal(err)
			}
		}()
		for range rapid.IntRange(1, 4).Draw(r, "groups") {
			h.group()
			h.compare()
			if rapid.Bool().Draw(r, "crash") {
				h.Store = h.incarnations.die(h.Store)
				clear(h.sequences)
				h.compare()
			}
		}
	})
}

// history is a run of the property.
type history struct {
	*rapid.T
	*world
	incarnations incarnations
	model        *model
	sequences    map[platform.UserID]*course
}

// course is what a lane thinks of its conversation while its turns are on their way.
type course struct {
	sequence *store.Sequence
	version  int64
}

const (
	maxPeer   = 3
	maxNumber = 12
)

// group commits some writes at once, and compares their receipts with the model's.
func (h *history) group() {
	var writes []store.Write
	for range rapid.IntRange(1, 12).Draw(h.T, "writes") {
		writes = append(writes, h.write())
	}
	var want []store.Receipt
	for i := range writes {
		want = append(want, h.model.commit(&writes[i]))
	}
	got := h.commitAll(writes...)
	for i := range want {
		if outcomes(got[i : i+1])[0] != outcomes(want[i : i+1])[0] || !slices.Equal(got[i].Denied, want[i].Denied) {
			h.Fatalf("write %d: the receipt is %+v, the model's %+v", i, got[i], want[i])
		}
		if got[i].Err != nil || got[i].Dropped {
			if sequence := sequenceOf(&writes[i]); sequence != nil {
				for _, p := range h.sequences {
					if p.sequence == sequence {
						p.sequence = nil // load it again
					}
				}
			}
		}
	}
}

func sequenceOf(w *store.Write) *store.Sequence {
	if w.Turn == nil {
		return nil
	}
	return w.Turn.Sequence
}

// write draws a write, and perhaps marks and cursors that nobody waits for before it.
func (h *history) write() store.Write {
	peer := platform.UserID(rapid.Int64Range(1, maxPeer).Draw(h.T, "peer"))
	number := rapid.Int64Range(1, maxNumber).Draw(h.T, "number")*maxPeer + int64(peer)
	if open := h.model.openKeys(); len(open) > 0 && rapid.IntRange(0, 3).Draw(h.T, "mark") == 0 {
		h.markLazily(rapid.SampledFrom(open).Draw(h.T, "action"))
	}
	switch rapid.SampledFrom([]string{"turn", "turn", "turn", "turn", "timer", "pending", "attempt", "try", "aside", "retry", "cursor"}).Draw(h.T, "kind") {
	case "timer":
		return h.turn(peer, turnBy(byTimer(alarm(peer, "t", rapid.Int64Range(1, 4).Draw(h.T, "occurrence"), noon))))
	case "pending":
		return store.Write{Pending: []event.Event{message(peer, number), message(peer, number+maxPeer)}}
	case "attempt":
		return store.Write{Attempt: &store.Attempt{Event: message(peer, number), Tries: 1, Quarantined: rapid.Bool().Draw(h.T, "last"), At: noon}}
	case "try":
		x := tryOf(alarm(peer, "t", rapid.Int64Range(1, 4).Draw(h.T, "occurrence"), noon), "1")
		x.Attempt.Tries = rapid.IntRange(0, 2).Draw(h.T, "tries")
		x.Attempt.Quarantined = x.Attempt.Tries == 2
		return x
	case "aside":
		return store.Write{Orphans: []event.Timer{alarm(peer, "t", rapid.Int64Range(1, 4).Draw(h.T, "occurrence"), noon)}}
	case "retry":
		t := turnOf(message(peer, number))
		t.RetryTimers = []event.Timer{alarm(peer, "t", rapid.Int64Range(1, 4).Draw(h.T, "occurrence"), noon)}
		return store.Write{Turn: t}
	case "cursor":
		c := record.Cursor{Account: ana, Source: event.Messages, Peer: peer, ID: number}
		h.QueueCursors(c)
		h.model.cursor(c)
		return store.Write{}
	}
	return h.turn(peer, turnOf(message(peer, number)))
}

// turn draws what a turn decides.
func (h *history) turn(peer platform.UserID, t *store.Turn) store.Write {
	p := h.sequences[peer]
	if p == nil || p.sequence == nil {
		p = &course{&store.Sequence{}, h.model.conversations[peer].version}
		h.sequences[peer] = p
	}
	switch rapid.IntRange(0, 9).Draw(h.T, "conversation") {
	case 0: // somebody else's
		named(t, h.model.conversations[peer].version+1, "a person's")
	case 1: // a lane that is mistaken
		t.Sequence = p.sequence
		named(t, p.version+rapid.Int64Range(0, 3).Draw(h.T, "mistake"), "mistaken")
		p.version = t.Conversation.Version
	case 2:
		t.Sequence = p.sequence
		named(t, p.version+1, "unfit").Conversation.Values = map[string]json.RawMessage{"x": raw("{")}
		p.version++
	case 3, 4:
		t.Sequence = p.sequence
	default:
		t.Sequence = p.sequence
		p.version++
		named(t, p.version, t.Trigger.ID())
	}
	for range rapid.IntRange(0, 2).Draw(h.T, "actions") {
		says(t, "", due(noon), func(a *record.Action) {
			a.Key = "shared/" + strconv.Itoa(rapid.IntRange(1, 30).Draw(h.T, "key"))
			for _, name := range []string{"a", "b"} {
				if rapid.IntRange(0, 3).Draw(h.T, "claims") == 0 {
					a.LimitUses = append(a.LimitUses, event.LimitUse{
						Limit: name, Max: rapid.IntRange(1, 4).Draw(h.T, "max"), GiveBack: rapid.Bool().Draw(h.T, "back"),
					})
				}
			}
		})
	}
	h.limitUses(t)
	if rapid.IntRange(0, 2).Draw(h.T, "sets") == 0 {
		t.Timers = append(t.Timers, alarm(peer, "t", rapid.Int64Range(1, 4).Draw(h.T, "occurrence"), noon))
		if rapid.IntRange(0, 3).Draw(h.T, "cancels") == 0 {
			t.Timers[0].Due = time.Time{}
		}
	}
	if rapid.IntRange(0, 9).Draw(h.T, "withdraws") == 0 {
		t.Withdraw = "because"
	}
	return store.Write{Turn: t, Pending: []event.Event{message(peer, 900+int64(peer))}}
}

// limitUses draws what the whole turn needs.
func (h *history) limitUses(t *store.Turn) {
	for _, name := range []string{"c", "d"} {
		if rapid.IntRange(0, 2).Draw(h.T, "own claims") == 0 {
			t.LimitUses = append(t.LimitUses, event.LimitUse{
				Limit: name, Max: rapid.IntRange(1, 3).Draw(h.T, "max"), GiveBack: rapid.Bool().Draw(h.T, "back"),
			})
		}
	}
	if len(t.Actions) > 0 && rapid.Bool().Draw(h.T, "tied") {
		t.LimitUseKey = t.Actions[0].Key
	}
}

func (h *history) markLazily(key string) {
	state := rapid.SampledFrom([]event.State{event.StateSending, event.StateInDoubt, event.StateDone, event.StateDue, event.StateRefused}).Draw(h.T, "state")
	a := says(turnOf(message(h.model.actions[key].peer, 1)), "").Actions[0].Action
	a.Key, a.State, a.Due = key, state, noon
	h.QueueMarks(markOf(a))
	h.model.mark(key, state)
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	return out.Close()
}
