package bot

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/internal/lifecycle"
	"github.com/nectar-bot/nectar/bot/internal/recorder"
)

const (
	crashFact = "crashed" // the name under which it is known of an account that people were told of a crash
	// crashTold is how long they are not told of another one: what dies again and again is one matter.
	crashTold = time.Hour
)

// logCrash says in the log that the incarnation before this one was not stopped.
func (b *Bot) logCrash() {
	if p := b.store.Recorder().CrashReport(); p != nil {
		b.log.Warn("the bot had ended without being stopped: it crashed, was killed, or its machine died; what was under way is taken up",
			"version", p.Version, "last_sign_of_life", p.At.UTC().Format(time.RFC3339))
	}
}

// tellCrash calls people for that, on behalf of an account that has begun.
func (b *Bot) tellCrash(ctx context.Context) {
	p := b.store.Recorder().CrashReport()
	if p == nil {
		return
	}
	by := b.anyAtWork()
	if by == "" {
		return
	}
	now := time.Now()
	last, known, err := b.store.Known(ctx, by, crashFact)
	if err == nil && known && now.Sub(last.ReadAt).Abs() < crashTold {
		return
	}
	host, _ := os.Hostname() // it only helps to find the bot
	n := crashNotice(by, now, p.At, event.Because(event.WhyCrash),
		fmt.Sprintf("The bot on %s had ended without being stopped, about %s, and runs again. Version: %s.", host, p.At.UTC().Format(time.DateTime), p.Version))
	if err == nil {
		err = b.store.StoreFact(ctx, by, "", event.Fact{Name: crashFact, Value: []byte("true"), ReadAt: now})
	}
	if err == nil {
		err = b.store.Tell(ctx, []event.Notice{n}, nil, nil)
	}
	if err != nil && ctx.Err() == nil {
		b.log.Error("people cannot be called for the crash", "err", err)
	}
}

// anyAtWork returns an account that has begun, "" for none.
func (b *Bot) anyAtWork() (by event.Account) {
	b.eachAtWork(func(a *account) { by = cmp.Or(by, a.name) })
	return by
}

func crashNotice(by event.Account, now, ended time.Time, why event.Reason, text string) event.Notice {
	return event.Notice{
		Account: by, ID: "call:" + event.CallCrashed + "/" + strconv.FormatInt(now.UnixMicro(), 10), Who: event.Everybody, At: now, Kind: event.CallCrashed,
		Text: text, Details: (&event.Details{Why: why, Since: ended}).Encode(),
	}
}

// deathPause is until it is tried again to tell of a worker that has died.
const deathPause = time.Second

// tellDeaths calls people for workers that have died, from whom this one has taken over, when it serves an account. first reports whether nobody has been
// called for another one lately.
func (b *Bot) tellDeaths(ctx context.Context, died <-chan lease.Peer, first func(ctx context.Context) (bool, error)) {
	for {
		select {
		case <-ctx.Done():
			return
		case p := <-died:
			for lifecycle.Sleep(ctx, deathPause) == nil && !b.tellDeath(ctx, &p, first) { //nolint:revive // the pause is all there is to do
			}
		}
	}
}

// tellDeath calls people for a worker that has died; false when that is to be tried again.
func (b *Bot) tellDeath(ctx context.Context, p *lease.Peer, first func(ctx context.Context) (bool, error)) bool {
	by := b.anyAtWork()
	if by == "" {
		return false
	}
	tells, err := first(ctx)
	if err == nil && tells {
		text := fmt.Sprintf("The worker %s had ended without being stopped, about %s, and others serve its accounts. Version: %s.",
			p.Name, p.Seen.UTC().Format(time.DateTime), p.Version)
		err = b.store.Tell(ctx, []event.Notice{crashNotice(by, time.Now(), p.Seen, event.Because(event.WhyWorkerCrash, "worker", p.Name), text)}, nil, nil)
	}
	if err != nil && ctx.Err() == nil {
		b.log.ErrorContext(ctx, "people cannot be called for a worker that has died", "worker", p.Name, "err", err)
	}
	return true
}

// startBeat gives a sign of life of the process until it is ended; that it is over is noted, too.
func (b *Bot) startBeat(ctx context.Context) (end func(over bool)) {
	r := b.store.Recorder()
	if r == nil {
		return func(bool) {}
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx)) // also while the bot stops
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		told := false
		b.keepJudgement(ctx, r)
		runEvery(ctx, recorder.BeatEvery, func() {
			b.keepJudgement(ctx, r)
			if err := r.NoteAlive(); err != nil && !told {
				told = true
				b.log.Warn("the file beside the database cannot be written; after a death actions are in doubt for longer", "err", err)
			}
		})
	}()
	return func(over bool) {
		stop()
		<-ended
		if over {
			r.NoteFinished()
		}
	}
}
