package rival

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// Fact is the name under which a record.Rivalry is known of its account.
const Fact = "rival"

// Read returns how an account stands, as it is stored. The error is that of the store.
func Read(ctx context.Context, known func(ctx context.Context, account event.Account, name string) (event.Fact, bool, error), account event.Account) (record.Rivalry, error) {
	var r record.Rivalry
	f, ok, err := known(ctx, account, Fact)
	if err == nil && ok {
		err = json.Unmarshal(f.Value, &r)
	}
	if err != nil {
		return r, fmt.Errorf("read whether another bot was seen on %s: %w", account, err)
	}
	return r, nil
}

// Config is what a Watch needs of its account.
type Config struct {
	Account      event.Account
	Store        store.Store
	Log          *slog.Logger
	PollInterval time.Duration
	TakeoverFor  time.Duration // how long a rival would leave a conversation to a person who has spoken there
	// Health is that of what the account reads.
	Health func() []event.SourceHealth
	// IsNameless reports whether the platform does not name what was sent, so that of two messages with the same words either may be ours.
	IsNameless func() bool
	// ReadSoon lets chats be read again.
	ReadSoon func(peers []platform.UserID)
	// Halt lets nothing of the account leave any more, and GoOn ends that, as far as rivals are concerned.
	Halt, GoOn func()
}

// Watch watches for another bot on an account.
type Watch struct {
	Config
	alert atomic.Int64 // until then a rival is suspected, in Unix microseconds
	left  atomic.Int64 // when a message left last, in Unix microseconds

	mu sync.Mutex // guards the fields below
	standing
	began   time.Time     // of this incarnation: nothing from before proves anything
	looks   []look        // while a rival is suspected
	polls   polls         // those that succeeded
	unsaved []*store.Turn // what the store has refused
	checked time.Time     // when it was last looked whether others answer what is held
	unheard int64         // when it was last seen that nobody can be heard to answer, in Unix microseconds
	twin    event.Account // another account of this bot, which is the same person on the platform
}

// New makes the Watch of an account.
func New(cfg Config) *Watch { return &Watch{Config: cfg} }

// Restore takes up how the account stood in an earlier incarnation.
func (w *Watch) Restore(ctx context.Context) error {
	was, err := Read(ctx, w.Store.Known, w.Account)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.Rivalry, w.began = was, time.Now().Round(0)
	if !was.Stopped.IsZero() { //mutate:rival-restore
		w.Halt()
		w.Log.Warn("the account is still stopped, since another bot answers on it: nothing of it leaves here", "account", w.Account,
			"since", was.Stopped, "do", "make sure that the other one has ended, then: "+w.resumeCommand())
	}
	return nil
}

// resumeCommand is what a person writes who wants the account to go on.
func (w *Watch) resumeCommand() string { return "nectar accounts resume " + string(w.Account) }

// NoteDeparture notes that a message is about to leave.
func (w *Watch) NoteDeparture() { w.left.Store(time.Now().UnixMicro()) }

// NotePoll notes a poll that succeeded.
func (w *Watch) NotePoll(result event.PollResult) {
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.polls.notePoll(cycle{result.Began.UnixMicro(), now.UnixMicro() + 1}, now.Sub(time.UnixMicro(w.left.Load())) > rivalWithin) // never earlier than it was
}

// ForgetEvidence notes that nothing from before proves anything, since the platform has numbered its messages anew.
func (w *Watch) ForgetEvidence(now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.began, w.evidence = now.Round(0), nil
}

// IsStopped reports whether nothing of the account leaves.
func (w *Watch) IsStopped() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.mayLeaveLocked()
}

func (w *Watch) mayLeaveLocked() bool { return w.Stopped.IsZero() && w.twin == "" }

// GoOnUnlessStopped lets actions leave again that something else has kept back.
func (w *Watch) GoOnUnlessStopped() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.goOnLocked()
}

// goOnLocked lets actions leave again, unless something else keeps them.
func (w *Watch) goOnLocked() {
	if w.mayLeaveLocked() {
		w.GoOn()
	}
}

// StopForTwin stops the account, which is the same person on the platform as another one of this bot.
func (w *Watch) StopForTwin(other event.Account) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.twin = other
	w.Halt() //mutate:one-person
}

// HasTwin reports whether the account does nothing since another one is the same person.
func (w *Watch) HasTwin(other event.Account) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.twin == other
}

// ForgetTwin notes that the other account has gone.
func (w *Watch) ForgetTwin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.twin = ""
	w.goOnLocked()
}

// Resume lets the account go on because a person wants that, and calls done when that is stored, or is not.
func (w *Watch) Resume(q *event.Request, done func()) {
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	then := standing{Rivalry: w.Rivalry}
	note := fmt.Sprintf("%s was not stopped", w.Account)
	if then.resume(now) {
		note = fmt.Sprintf("%s goes on", w.Account)
	}
	note += fmt.Sprintf("; whatever other bots do, it does not stop by itself until %s", then.Spared.UTC().Format(time.RFC3339))
	turn := &store.Turn{Trigger: q.Trigger(), Known: then.toFacts(now), Record: event.DecisionRecord{Outcome: store.Handled, Note: note}, At: now}
	w.Store.Commit(store.Write{Turn: turn, Done: func(r store.Receipt) {
		if r.Err == nil && !r.Dropped {
			w.Log.Info("an account goes on, since a person wants that", "account", w.Account, "spared_until", then.Spared)
			w.mu.Lock()
			w.resume(now)
			w.goOnLocked() //mutate:rival-resume
			w.mu.Unlock()
		}
		done()
	}})
}
