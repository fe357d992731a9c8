package cmd

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest/stored"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	command "github.com/nectar-bot/nectar/cmd/internal/replay"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
	"github.com/nectar-bot/nectar/handlers/rules"
	ruledecision "github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/replay"
	"github.com/nectar-bot/nectar/platform"
)

// recorder makes a recording without a bot: people write, and rules answer.
type recorder struct {
	t       testing.TB
	st      bot.Store
	v       *rules.Version
	states  map[platform.UserID]ruledecision.State
	uses    map[string][]time.Time
	pending int
	done    chan error
}

// sayings are what people of a recording write.
var sayings = []string{
	"when do you open tomorrow?", "what's the price of the box?", "hello there", "thank you so much!", "do you have anything without nuts, please?",
	"are you open?", "how much is it", "see you on Saturday", "I ordered last week and nothing has come yet", "ok",
}

// record makes a database with events of people, two in three answered.
func recordWeek(tb testing.TB, dir string, people, events int) string {
	tb.Helper()
	src, err := rules.ReadSources(dir)
	if err != nil {
		tb.Fatal(err)
	}
	v, _ := rules.Compile(src)
	path := filepath.Join(tb.TempDir(), "nectar.db")
	st, err := bot.OpenStore(tb.Context(), bot.StoreOptions{Path: path})
	if err != nil {
		tb.Fatal(err)
	}
	r := &recorder{
		t: tb, st: st, v: v, states: map[platform.UserID]ruledecision.State{}, uses: map[string][]time.Time{}, done: make(chan error, 4*events),
	}
	random := rand.New(rand.NewPCG(1, 2))
	at := time.Now().Add(-6 * 24 * time.Hour).Truncate(time.Microsecond)
	step := 5 * 24 * time.Hour / time.Duration(events)
	for i := range events {
		at = at.Add(step)
		e := event.Event{
			Account: "main", ID: event.ID{Source: event.Messages, Number: int64(i + 1)}, Kind: event.KindMessage, SeenAt: at,
			Peer: platform.UserID(1 + i%people), User: fmt.Sprintf("user%d", i%people), Name: "Somebody", Text: sayings[random.IntN(len(sayings))],
		}
		r.event(e, at)
	}
	for range r.pending {
		if err := <-r.done; err != nil {
			tb.Fatal(err)
		}
	}
	if err := st.Close(); err != nil {
		tb.Fatal(err)
	}
	return path
}

// event lets something happen, and what it is gathered with be answered.
func (r *recorder) event(e event.Event, at time.Time) {
	timers := r.turn(event.Trigger{Kind: event.ByEvent, Key: e.Key(), Event: e}, "rules", at, nil)
	for _, t := range timers {
		if t.Name == "rules/burst" {
			r.turn(event.Trigger{Kind: event.ByTimer, Key: t.Key, Timer: t}, "rules/timers", t.Due, t.Data)
		}
	}
}

// turn decides about a trigger and stores it.
func (r *recorder) turn(trigger event.Trigger, route string, now time.Time, data []byte) []event.Timer {
	peer := trigger.Key.Peer
	s, ok := r.states[peer]
	if !ok {
		s = ruledecision.State{Peer: peer, Name: trigger.Event.Name, User: trigger.Event.User}
	}
	before, err := json.Marshal(s.Masked())
	if err != nil {
		r.t.Fatal(err)
	}
	d, facts := r.decide(ruledecision.Input{Trigger: trigger, State: s, Now: now})
	r.states[peer] = d.State
	for _, c := range d.LimitUses {
		key := "uses:" + c.Limit + "|" + c.Scope
		r.uses[key] = append(r.uses[key], now)
	}
	turn := stored.Turn{Trigger: trigger, At: now, Record: event.DecisionRecord{
		Route: route, Outcome: string(d.Outcome), Note: d.Reason, Rule: d.Rule, Version: r.v.Hash(), Before: before,
	}}
	if len(data) > 0 {
		facts["timer"] = data
	}
	if len(facts) > 0 {
		value, err := json.Marshal(facts)
		if err != nil {
			r.t.Fatal(err)
		}
		turn.Facts = []event.Fact{{Name: "rules", Value: value, ReadAt: now}}
	}
	for i, a := range d.Actions {
		turn.Actions = append(turn.Actions, record.Action{Action: event.Action{
			Key: fmt.Sprintf("%s/%s/%d", trigger.ID(), route, i), Account: "main", Peer: peer, Verb: a.Verb, Text: a.Text, Post: a.Post,
			State: event.StateWithdrawn, DecidedAt: now, EndedAt: now, // as if it had left
		}})
	}
	for i := range d.Timers {
		d.Timers[i].Occurrence = now.UnixMicro()
		turn.Timers = append(turn.Timers, d.Timers[i])
	}
	r.pending++
	stored.Commit(r.st, stored.Write{Turn: &turn, Done: func(err error) { r.done <- err }})
	return d.Timers
}

func (r *recorder) decide(in ruledecision.Input) (ruledecision.Decision, ruledecision.Facts) {
	in.Facts = ruledecision.Facts{}
	for {
		d, err := r.v.Decide(in)
		if err != nil {
			r.t.Fatal(err)
		}
		if len(d.Needs) == 0 {
			return d, in.Facts
		}
		for _, n := range d.Needs {
			in.Facts[n.Name] = []byte("false")
			if n.Kind == ruledecision.NeedUses {
				r.uses[n.Name] = slices.DeleteFunc(r.uses[n.Name], func(at time.Time) bool { return !at.After(in.Now.Add(-n.LimitUse.Within)) })
				in.Facts[n.Name] = fmt.Append(nil, len(r.uses[n.Name]))
			}
		}
	}
}

// BenchmarkReplay replays 100,000 events, and says how much memory is in use at the end:
//
//	go test -run - -bench Replay -benchtime 1x ./cmd
func BenchmarkReplay(b *testing.B) {
	for _, people := range []int{1000, 100_000} {
		b.Run(fmt.Sprintf("people=%d", people), func(b *testing.B) {
			dir := referenceFolder(b, allLive...)
			path := recordWeek(b, dir, people, 100_000)
			v, err := command.ReadVersion(sources.OnDisk, b.Output(), []string{dir})
			if err != nil {
				b.Fatal(err)
			}
			d, err := inspect.Open(b.Context(), path, "")
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = d.Close() }()
			for b.Loop() {
				var most, now runtime.MemStats
				r := replay.NewReplay(nil, v, func(*replay.Exchange) {})
				turns := 0
				runtime.GC()
				runtime.ReadMemStats(&now)
				before := now.HeapAlloc
				err := d.Recorded(b.Context(), "main", time.Now().Add(-command.Since), func(turn record.Recorded) error {
					if turns++; turns%20_000 == 0 {
						runtime.ReadMemStats(&now)
						if now.HeapAlloc > most.HeapAlloc {
							most = now
						}
					}
					return r.Add(turn)
				})
				if err != nil {
					b.Fatal(err)
				}
				r.End()
				runtime.GC()
				runtime.ReadMemStats(&now)
				count := r.Count()
				b.ReportMetric(float64(now.HeapAlloc-before)/1e6, "MB-kept")
				b.ReportMetric(float64(most.HeapAlloc)/1e6, "MB-most")
				b.ReportMetric(float64(count.Events), "events")
				b.ReportMetric(float64(count.Changes()), "changes")
				runtime.KeepAlive(r)
			}
		})
	}
}
