package outbox

import (
	"context"
	"errors"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/recorder"
	"github.com/nectar-bot/nectar/platform"
)

// Mark is a change of an action's state. All its fields replace those of the stored action.
type Mark struct {
	Account       event.Account
	Key           string
	Peer          platform.UserID // of a message; 0 else
	Says          platform.UserID // whom it tells something: of a message, or a post that answers one; 0 else
	State         event.State
	Priority      event.Priority
	Position      int64
	ReconcileFrom int64
	Result        int64
	Tries         int
	Reason        string
	Why           event.Reason
	Due           time.Time
	LeftAt        time.Time
	EndedAt       time.Time
	Waits         bool // only while the action is due or held: otherwise nothing is stored
	Left          bool // it has published what is limited: its use of event.PublishingLimit counts from LeftAt on
	Idle          bool // it is done, and nothing was published for it: its uses are given back
	Ageless       bool // its age is taken away
	Age           *Age // the mark stores this alone, in the place of the age before, while the action is sending or in doubt; nil for none

	Recorded recorder.Slot // is left as soon as this is stored
}

// MarkOf returns the mark that stores a as it stands.
func MarkOf(a *event.Action) Mark {
	m := Mark{
		Account: a.Account, Key: a.Key, State: a.State, Priority: a.Priority, Position: a.Position, ReconcileFrom: a.ReconcileFrom,
		Result: a.Result, Tries: a.Tries, Reason: a.Reason, Why: a.Why, Due: a.Due, LeftAt: a.LeftAt, EndedAt: a.EndedAt,
	}
	if a.Verb == event.VerbMessage {
		m.Peer = a.Peer
	}
	if a.Verb.Makes() {
		m.Says = a.Peer
	}
	return m
}

// markNow stores marks for certain; while the store refuses it tries again. It reports false when
// the account outbox ends first.
func (a *Account) markNow(ctx context.Context, marks ...Mark) bool {
	return a.storeUntilDone(ctx, func() error { return a.dispatcher.cfg.Ledger.MarkNow(ctx, marks...) })
}

// storeUntilDone stores something, again and again while the store refuses it.
func (a *Account) storeUntilDone(ctx context.Context, store func() error) bool {
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 10*time.Second) {
		if store() == nil {
			return true
		}
		if !a.workers.Sleep(ctx, pause) {
			return false
		}
	}
}

// ErrEnded is the error of MarkNow when an action wants to leave that has come to an end meanwhile, or is
// gone, or a mark is for one that waits, and it does not any more: nothing was stored.
var ErrEnded = errors.New("the action has ended, or is gone")

// Ledger is what the dispatcher needs of the store.
type Ledger interface {
	// QueueMarks stores marks lazily, with any later commit: after a crash they may be missing.
	QueueMarks(marks ...Mark)
	// MarkNow stores marks, and all lazy ones before them, and returns when they are durable. All of
	// them are stored or none: none, with ErrEnded, when one is sending and its action has come to an end, or when one
	// Waits and its action does not any more.
	MarkNow(ctx context.Context, marks ...Mark) error
	// DueActions returns actions in state due whose time has come, by priority, time and position, at most
	// limit, none of the conversations in except.
	DueActions(ctx context.Context, account event.Account, now time.Time, except []platform.UserID, limit int) ([]event.Action, error)
	// DueKnown is DueActions for conversations in which a message of the bot had arrived before what started the action, or for all else. All
	// that is due of a conversation is of one kind.
	DueKnown(ctx context.Context, account event.Account, known bool, now time.Time, except []platform.UserID, limit int) ([]event.Action, error)
	// FirstOverdue returns which of the actions in state due whose time has come is due for longest: its person, its verb and its time alone;
	// false when there is none. CountOverdue counts them, and looks at each. Without publications, what publishes is left out.
	FirstOverdue(ctx context.Context, account event.Account, now time.Time, publications bool) (event.Action, bool, error)
	CountOverdue(ctx context.Context, account event.Account, now time.Time, publications bool) (int, error)
	// NextDue returns when the next action in state due comes due; zero when there is none.
	NextDue(ctx context.Context, account event.Account) (time.Time, error)
	// LateActions returns actions whose latest departure is not after now: those in state due, and those that are held, have not
	// left, and are not waiting for an approval, at most limit.
	LateActions(ctx context.Context, account event.Account, now time.Time, limit int) ([]event.Action, error)
	// NextUntil returns the next latest departure after now of those that are due or held; zero when there is none.
	NextUntil(ctx context.Context, account event.Account, now time.Time) (time.Time, error)
	// Open returns the actions in state sending or in doubt, by position. A message or post whose
	// ReconcileFrom is 0 has not left.
	Open(ctx context.Context, account event.Account) ([]event.Action, error)
	// DoubtAges returns those of actions in state sending or in doubt that have one, by their keys.
	DoubtAges(ctx context.Context, account event.Account) (map[string]Age, error)
	// HeldActions returns messages and posts that left and were held: the last ones that a person has decided about
	// since, as they were when they were held, and the last ones that are held, at most limit of either.
	HeldActions(ctx context.Context, account event.Account, limit int) ([]event.Action, error)
	// ActionsAhead returns actions in state due that come due after now, although they were due at once when
	// they were decided, by priority, time and position, at most limit.
	ActionsAhead(ctx context.Context, account event.Account, now time.Time, limit int) ([]event.Action, error)
	// RememberTrait stores for ever that something holds for the account, and all lazy marks before it, and
	// returns when that is durable. HasTrait tells it.
	RememberTrait(ctx context.Context, account event.Account, what string) error
	HasTrait(ctx context.Context, account event.Account, what string) (bool, error)
	// Results returns which of ids are results of the account's actions of this verb.
	Results(ctx context.Context, account event.Account, verb event.Verb, ids []int64) (map[int64]bool, error)
	// UnnamedActions returns messages to a person, or replies to a post, that are done although nobody knows what they made, by position, at most limit.
	UnnamedActions(ctx context.Context, account event.Account, verb event.Verb, target int64, limit int) ([]event.Action, error)
	// Published returns what the account published since a time, or is to publish, by the bot or by hand, by time.
	Published(ctx context.Context, account event.Account, since time.Time) ([]event.Publication, error)
	// NextPosition returns the next place in the order of release.
	NextPosition() int64
}
