package bot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"strconv"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/hook"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/internal/lifecycle"
	"github.com/nectar-bot/nectar/bot/internal/recorder"
	"github.com/nectar-bot/nectar/bot/internal/remote"
	"github.com/nectar-bot/nectar/bot/internal/shards"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
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

const (
	enterPause   = time.Second // before a worker enters anew, twice as long each time
	longestEnter = 15 * time.Second
)

// incarnations are the leases of a worker, one after another.
type incarnations struct {
	cfg   *WorkerConfig
	began bool // there was an incarnation in which the bot was ready
	pause time.Duration
	told  string // why it does not go on, as it was said

	belated []event.Notice // about what may have left too late, that is not stored yet
}

// run lives until ctx is done, or there is something that a person has to repair.
func (in *incarnations) run(ctx context.Context) error {
	for in.pause = enterPause; ; in.pause = min(2*in.pause, longestEnter) {
		had, err := in.cfg.runLease(ctx, in)
		in.storeBelated(ctx)
		switch {
		case ctx.Err() != nil && (had || in.began || in.told != "" || errors.Is(err, ctx.Err())):
			return sayOnly(in.cfg.Log, err)
		case err == nil, in.isFinal(err):
			return err
		}
		in.logFailure(ctx, err)
		if lifecycle.Sleep(ctx, in.pause) != nil {
			return nil //nolint:nilerr // it was told to stop
		}
	}
}

// goesOn notes that the bot is ready.
func (in *incarnations) goesOn() {
	if in.told != "" {
		in.cfg.Log.Info("this worker is at work again")
	}
	in.storeBelated(context.Background())
	in.began, in.pause, in.told = true, enterPause, ""
}

// logFailure says why the worker does not go on, once for each reason.
func (in *incarnations) logFailure(ctx context.Context, err error) {
	level, text := slog.LevelDebug, err.Error()
	if text != in.told {
		level, in.told = slog.LevelWarn, text
	}
	what := "this worker begins anew"
	if !in.began {
		what = "this worker cannot begin yet; it tries again by itself"
	}
	in.cfg.Log.Log(ctx, level, what, "why", err, "in", in.pause) //nolint:sloglint // it is one of two
}

// isFinal reports whether an error ends the worker: one that does not go away by itself, as far as anybody knows. After anything else,
// a bot that has ended by itself has to be looked at, unless only the database is away.
func (in *incarnations) isFinal(err error) bool {
	switch {
	case isForPeople(err):
		return true
	case remote.IsTransient(err), errors.As(err, new(*lease.LostError)):
		return false
	}
	return !in.began || errors.As(err, new(*ServeError))
}

// isForPeople reports whether an error is one that a person has to repair.
func isForPeople(err error) bool {
	for _, e := range []error{record.ErrNameTaken, record.ErrWentBack} {
		if errors.Is(err, e) {
			return true
		}
	}
	return remote.IsPermanent(err)
}

// sayOnly logs why a worker that was to stop has not stopped as it should.
func sayOnly(log *slog.Logger, err error) error {
	if err != nil && !errors.Is(err, context.Canceled) {
		log.Warn("this worker has stopped otherwise than it should: others take over from it", "why", err)
	}
	return nil
}

// ServeError is of a bot that could not run, or has ended by itself.
type ServeError struct{ Err error }

// Error tells why.
func (e *ServeError) Error() string { return "the bot has ended: " + e.Err.Error() }

// Unwrap returns why.
func (e *ServeError) Unwrap() error { return e.Err }

var errTookOver = errors.New("another server has taken over, without the last commits of the one before: this worker begins anew, with care")

var errEarly = errors.New("nobody has told it to")

// storeBelated stores what may have left too late in earlier incarnations, as soon as the database can be reached.
func (in *incarnations) storeBelated(ctx context.Context) {
	if len(in.belated) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), confessPatience)
	defer cancel()
	inspector, err := store.OpenInspector(ctx, in.cfg.Store.Path, in.cfg.Store.Key)
	if err != nil {
		return // it is tried again
	}
	if err = inspector.Notify(ctx, in.belated...); err == nil {
		in.belated = nil
	} else {
		in.cfg.Log.Debug("what may have left too late cannot be stored yet", "err", err)
	}
	_ = inspector.Close() // it has done what it was for
}

const confessPatience = 5 * time.Second

// makesHolder is what hands out a holder that serves with a bot, for simulations: they lease for themselves.
type makesHolder = hook.Door[func(accounts func(ctx context.Context, shard int) ([]Account, error)) lease.Holder]

// heldBy lets a holder serve with the bot; see serveShards.
func (b *Bot) heldBy(accounts func(ctx context.Context, shard int) ([]Account, error)) lease.Holder {
	h := shards.New(accounts)
	b.serveShards(h, nil)
	return h
}

// serveShards lets a holder serve with the bot, which has no accounts of its own and is not running yet.
func (b *Bot) serveShards(h *shards.Holder[Account], changed func(account event.Account, serves bool)) {
	b.leased.Store(true)
	b.suspects.Store(nil) // of a file, which says nothing of what other workers did
	b.whole = h.IsWhole
	h.ServeWith(leasedBot{b}, b.store, b.log, changed)
}

// leasedBot is a bot as a holder of shards knows it.
type leasedBot struct{ *Bot }

var _ shards.Bot[Account] = leasedBot{}

// AccountName implements shards.Bot.
func (leasedBot) AccountName(a *Account) event.Account { return a.Name }

// IsSame implements shards.Bot. What an account publishes may change while it is served.
func (leasedBot) IsSame(a, other *Account) bool {
	x, y := *a, *other
	x.Publishing, y.Publishing = nil, nil
	return reflect.DeepEqual(x, y)
}

// ReadAhead implements shards.Bot.
func (b leasedBot) ReadAhead(ctx context.Context, accounts []event.Account) *store.Ahead {
	return b.readAhead(ctx, accounts)
}

// TakeUp implements shards.Bot.
func (b leasedBot) TakeUp(ctx context.Context, a *Account, ahead *store.Ahead) (parked bool, err error) {
	if err = b.add(ctx, a, ahead); isAnother(err) {
		b.tellParked(a.Name, err)
		return true, err
	}
	return false, err
}

// GiveUp implements shards.Bot.
func (b leasedBot) GiveUp(ctx context.Context, account event.Account) error {
	if err := b.remove(ctx, account); !errors.Is(err, ErrNotServed) {
		return err
	}
	return nil
}

// UnderWay implements shards.Bot.
func (b leasedBot) UnderWay() (all []event.Action) {
	for _, a := range b.accounts.all() {
		if a.atWork.Load() {
			all = append(all, a.outbox.UnderWay()...)
		}
	}
	return all
}

// CutAll implements shards.Bot.
func (b leasedBot) CutAll() {
	for _, a := range b.accounts.all() {
		a.workers.Stop()
		if a.atWork.Load() { // one that is being taken up is cut off by its lease
			a.die()
		}
	}
}

// WakeTimers implements shards.Bot.
func (b leasedBot) WakeTimers() { b.timers.wake() }

// CountTurns implements shards.Bot.
func (b leasedBot) CountTurns() map[event.Account]int64 {
	turns := map[event.Account]int64{}
	for c, n := range b.counted.events.all() {
		turns[c.Account] += n
	}
	return turns
}
