package demo

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest/stored"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/bare"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/nectar-bot/nectar/platform"
)

// What goes on beside a bot that is measured, since it does on a server: its memory has a past, which retention deletes; people look at it, and
// somebody makes a copy now and then.
const (
	besideLooks = 250 * time.Millisecond // from one look to the next
	besideHolds = 3 * time.Second        // how long a copy holds what it reads, beside the time for reading
	besideReads = 10 * time.Second       // from the beginning of one copy to that of the next
	besideKeeps = 7 * 24 * time.Hour
	besidePast  = 10 * 24 * time.Hour // how long ago the past was
	besideMost  = 100_000             // turns of it

	besideAccount = event.Account("before") // whose past it is; the bot does not serve it any more
	besideFirst   = event.Account("first")
)

// besideReport is what went on.
type besideReport struct {
	Looks       int     `json:"looks"`
	LookMs      float64 `json:"slowest_look_ms"`
	Reads       int     `json:"reads"` // copies that were begun
	ReadSeconds float64 `json:"longest_read_seconds"`
	Old         int     `json:"old_turns"`
	Deleted     int     `json:"old_turns_deleted"` // events of them
	Checkpoints int     `json:"checkpoints"`       // how often the log of the database began anew
	LogPeakMB   float64 `json:"log_peak_mb"`
}

func (r *besideReport) print(b *strings.Builder) {
	fmt.Fprintf(b, "  beside it: retention deleted %d of %d old turns; %d checkpoints, and a log of %.1f MB at most; %d copies, of %.1f s at most; %d looks, of %.0f ms at most\n",
		r.Deleted, r.Old, r.Checkpoints, r.LogPeakMB, r.Reads, r.ReadSeconds, r.Looks, r.LookMs)
}

// beside is what goes on beside the bot.
type beside struct {
	settings Settings

	besideReport        // each field belongs to one of the two that go on, and to whoever waits for both
	log          uint32 // how often the log has begun anew, as it counts that itself
}

// openPast gives the memory of a bot with a rate a past, of as many turns as it is about to take.
func (st *stage) openPast(ctx context.Context) error {
	if st.demo.Rate == 0 {
		return nil
	}
	st.beside = &beside{settings: st.botSettings()}
	st.beside.Old = min(st.demo.Messages, besideMost)
	s := st.beside.settings
	past, err := bot.OpenStore(ctx, bot.StoreOptions{Path: s.Store, Key: s.key(), Fast: true, NoBot: true})
	if err != nil {
		return err
	}
	return errors.Join(writePast(past, besideAccount, st.beside.Old), past.Close())
}

// writePast stores turns of long ago.
func writePast(st bot.Store, account event.Account, turns int) error {
	at, done := time.Now().Add(-besidePast), make(chan error, turns)
	for i := range turns {
		peer, number := platform.UserID(1+i%1000), at.UnixMicro()+int64(i)
		e := event.Event{
			Account: account, ID: event.ID{Source: event.Messages, Number: number}, Kind: event.KindMessage, Peer: peer,
			Name: "Person", User: fmt.Sprint("person", peer), Text: "when do you open tomorrow?", SeenAt: at, NotBefore: at,
		}
		a := event.Action{
			Key: e.ID.String() + "/answer/0", Account: account, Peer: peer, Verb: event.VerbMessage, Text: demoAnswer(e.Text), State: event.StateDone,
			Position: number, ReconcileFrom: 1, DecidedAt: at, LeftAt: at, EndedAt: at,
		}
		stored.Commit(st, stored.Write{Done: func(err error) { done <- err }, Turn: &stored.Turn{
			Trigger: event.Trigger{Kind: event.ByEvent, Key: e.Key(), Event: e}, At: at, Actions: []record.Action{{Action: a}},
			Record: event.DecisionRecord{Route: "answer", Outcome: bot.OutcomeHandled},
		}})
		if i >= 1000 { // so many are under way at most
			if err := <-done; err != nil {
				return err
			}
		}
	}
	var errs []error
	for range min(turns, 1000) {
		errs = append(errs, <-done)
	}
	return errors.Join(errs...)
}

// beginRetention stores a turn of long ago as the first one of a bot: retention waits ten minutes from the first turn on, in which the clock of
// a machine may be set, and nobody would wait for that here.
func beginRetention(st bot.Store) error { return writePast(st, besideFirst, 1) }

// run looks and copies until ctx ends, and says what had been deleted by then.
func (b *beside) run(ctx context.Context) error {
	var both sync.WaitGroup
	errs := make([]error, 2)
	both.Go(func() { errs[0] = b.repeat(ctx, besideLooks, b.look) })
	both.Go(func() { errs[1] = b.repeat(ctx, besideReads, b.copyAll) })
	both.Wait()
	errs = append(errs, b.inspect(context.WithoutCancel(ctx), func(ctx context.Context, i inspect.Inspector) error {
		counts, err := i.EventCounts(ctx, besideAccount, time.Time{})
		b.Deleted = b.Old
		for _, c := range counts {
			b.Deleted -= c.Events
		}
		return err
	}))
	return errors.Join(errs...)
}

// repeat calls do with an inspector, which it opens anew as a command does, until ctx ends.
func (b *beside) repeat(ctx context.Context, every time.Duration, do func(context.Context, inspect.Inspector) error) error {
	for ctx.Err() == nil {
		next := time.Now().Add(every)
		if err := b.inspect(ctx, do); err != nil && ctx.Err() == nil {
			return err
		}
		bare.Wait(ctx, time.Until(next))
	}
	return nil
}

func (b *beside) inspect(ctx context.Context, do func(context.Context, inspect.Inspector) error) error {
	i, err := inspect.Open(ctx, b.settings.Store, b.settings.key())
	if err != nil {
		return err
	}
	return errors.Join(do(ctx, i), i.Close())
}

// look is nectar summary, and nectar outbox in turns with it.
func (b *beside) look(ctx context.Context, i inspect.Inspector) error {
	began := time.Now()
	v := &view.View{Inspector: i, Database: b.settings.Store, Meant: []event.Account{demoAccount}, Out: io.Discard, JSON: true}
	var err error
	if b.Looks%2 == 0 {
		err = (&view.SummaryOptions{Since: 12 * time.Hour, Limit: view.DefaultLimit}).Print(ctx, v)
	} else {
		err = (&view.ActionList{Limit: view.DefaultLimit}).Print(ctx, v, nil)
	}
	b.Looks++
	b.LookMs = max(b.LookMs, toMillis(time.Since(began)))
	b.watchLog()
	return err
}

// copyAll reads all turns, as a copy does: what it reads is held meanwhile, and the log of the database cannot begin anew.
func (b *beside) copyAll(ctx context.Context, i inspect.Inspector) error {
	began, holds := time.Now(), besideHolds
	b.Reads++
	for _, account := range []event.Account{besideAccount, demoAccount} {
		err := i.Recorded(ctx, account, time.Time{}, func(record.Recorded) error {
			bare.Wait(ctx, holds)
			holds = 0
			return nil
		})
		if err != nil {
			return err
		}
	}
	b.ReadSeconds = max(b.ReadSeconds, time.Since(began).Seconds())
	return nil
}

// watchLog notes how long the log of the database is, and as often it began anew: its header counts that, in bytes 12 to 15.
func (b *beside) watchLog() {
	f, err := os.Open(b.settings.Store + "-wal")
	if err != nil {
		return // there is none between two bots
	}
	defer func() { _ = f.Close() }() // nothing was written
	if info, err := f.Stat(); err == nil {
		b.LogPeakMB = max(b.LogPeakMB, float64(info.Size())/1e6)
	}
	var head [16]byte
	if _, err := io.ReadFull(f, head[:]); err != nil {
		return
	}
	began := binary.BigEndian.Uint32(head[12:])
	if b.Looks > 1 && began > b.log { // a log that was deleted counts from the beginning
		b.Checkpoints += int(began - b.log)
	}
	b.log = began
}
