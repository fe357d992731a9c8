package outbox

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lifecycle"
	"github.com/nectar-bot/nectar/bot/internal/recorder"
	"github.com/nectar-bot/nectar/platform"
)

// Config says how a Dispatcher works. Zero fields take their defaults.
type Config struct {
	Ledger Ledger
	Log    *slog.Logger
	// Recorder tells the next incarnation which requests were on the wire when this one died, and Last which were when the last one did. Optional.
	Recorder *recorder.Recorder
	Last     *recorder.Report

	// Deadline is how long after it left a request is given up at the latest: the client's timeout. What a crash cut
	// off counts as given up so long after the next start. Defaults to 15 s.
	Deadline time.Duration
	// Grace is for how long after it was given up the platform may still be working on a request, whyever that was:
	// the deadline, a cut, an unclear answer. Nothing that depends on whether it happened is done before.
	// Defaults to 20 s.
	Grace time.Duration
	// Boot is another text each time that the machine is started, and Steady the time since then, which nobody sets. By them the time between
	// two incarnations counts for what is in doubt; with "" it does not.
	Boot   string
	Steady func() time.Duration
	// FirstLook is how soon after a request in doubt the platform is read for the first time. An
	// action that is found is done; one that is not is looked for again later. Defaults to 500 ms.
	FirstLook time.Duration
	// SecondLook is the time between the two late readings that must both miss an action before it
	// is sent again. Defaults to 3 s.
	SecondLook time.Duration
	// HoldAfter is how long an unreconciled action may hold back its conversation. A time in which nobody could ask, or the
	// account's pace kept the action from asking, does not count. Defaults to 10 min.
	HoldAfter time.Duration
	// Window is how many actions of one conversation may be marked as sending in one commit.
	// Defaults to 64.
	Window int
	// Listener is told of what becomes of actions. Optional.
	Listener Listener
	// Yield is called by each goroutine before it competes with others of its kind for what they share,
	// with a name of what it works on. It may wait, and returns the context to go on with. For a
	// simulator, in which no two of them go on at one instant, so that a run repeats. Optional.
	Yield func(ctx context.Context, what string) context.Context
}

func (c Config) withDefaults() Config {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{
		{&c.Deadline, 15 * time.Second},
		{&c.Grace, 20 * time.Second},
		{&c.FirstLook, 500 * time.Millisecond},
		{&c.SecondLook, 3 * time.Second},
		{&c.HoldAfter, 10 * time.Minute},
	} {
		if *d.field <= 0 {
			*d.field = d.value
		}
	}
	if c.Window <= 0 {
		c.Window = 64
	}
	if c.Steady == nil {
		c.Boot, c.Steady = "", func() time.Duration { return 0 }
	}
	if c.Listener == nil {
		c.Listener = NoBot{}
	}
	return c
}

// Listener is told of what becomes of actions. Nothing of it may block.
type Listener interface {
	// ActionEnded is told of each action that reached an end or is held.
	ActionEnded(a event.Action)
	// RepostOwed is told of each repost that a renewal has taken back and could not make again for a day; in each incarnation, once. It
	// still will be made.
	RepostOwed(a event.Action)
	// PublicationWarned is told when a publication does not come about for a reason that is the account's own: it was refused, and what it
	// was about is there, or a repost did not take.
	PublicationWarned(a event.Action, kind event.WarningKind, why string)
}

// Dispatcher opens the outboxes of accounts, which carry their actions, and has what they share.
type Dispatcher struct {
	cfg    Config
	served sync.Map // accounts that have been taken up in this incarnation
}

// NewDispatcher returns a Dispatcher. It starts nothing.
func NewDispatcher(cfg Config) *Dispatcher { return &Dispatcher{cfg: cfg.withDefaults()} }

// Slots bounds the requests in flight of one account.
type Slots interface {
	Acquire(ctx context.Context) error
	Release()
}

// AccountConfig is one account as the dispatcher sees it.
type AccountConfig struct {
	Account  event.Account
	Platform Platform
	Me       func(ctx context.Context) (platform.UserID, error)
	Slots    Slots
	// Concurrency is the number of slots; with Config.Window it bounds how many actions are marked
	// as sending at a time.
	Concurrency int
	Pace        event.Pace
	People      People // what people of ours have decided. Optional
	Chats       Chats  // what others know of its conversations. Optional
}

// Open returns the account's outbox. Recover must be called before the first Reserve.
func (c *Dispatcher) Open(cfg AccountConfig) *Account {
	if cfg.People == nil {
		cfg.People = NoBot{}
	}
	if cfg.Chats == nil {
		cfg.Chats = NoBot{}
	}
	return &Account{
		dispatcher: c, cfg: cfg, workers: lifecycle.New(), pace: newPacer(cfg.Pace),
		mostSending: max(cfg.Concurrency, 1) * c.cfg.Window,
		queues:      map[orderingKey]*queue{}, rewrites: trait{name: rewrites}, nameless: trait{name: nameless},
	}
}

// yield lets what is named so go on at an instant of its own, in a simulation.
func (c *Dispatcher) yield(ctx context.Context, name func() string) context.Context {
	if c.cfg.Yield == nil {
		return ctx
	}
	return c.cfg.Yield(ctx, name())
}

// yield lets a queue go on at an instant of its own.
func (a *Account) yield(ctx context.Context, q *queue) context.Context {
	return a.dispatcher.yield(ctx, func() string { return fmt.Sprintf("queue %s %s %d", a.cfg.Account, q.key.verb, q.key.id) })
}

// Platform is what the dispatcher calls: [Client] implements it.
type Platform interface {
	SendMessage(ctx context.Context, p platform.SendMessageParams) (platform.Message, error)
	PublishPost(ctx context.Context, p platform.PublishPostParams) (platform.Post, error)
	LikePost(ctx context.Context, id platform.PostID) (platform.Toggled, error)
	Repost(ctx context.Context, id platform.PostID) (platform.Toggled, error)
	Follow(ctx context.Context, id platform.UserID) (platform.Followed, error)
	DeleteMessage(ctx context.Context, id platform.MessageID) error
	DeletePost(ctx context.Context, id platform.PostID) error

	Messages(ctx context.Context, p platform.MessagesParams) ([]platform.Message, error)
	AllMessages(ctx context.Context, p platform.MessagesParams) iter.Seq2[platform.Message, error]
	Thread(ctx context.Context, id platform.PostID) (platform.Thread, error)
	AllThreadReplies(ctx context.Context, p platform.ThreadRepliesParams) iter.Seq2[platform.Post, error]
	ProfilePosts(ctx context.Context, p platform.ProfilePostsParams) ([]platform.Post, error)
	AllProfilePosts(ctx context.Context, p platform.ProfilePostsParams) iter.Seq2[platform.Post, error]
	Profile(ctx context.Context, p platform.ProfileParams) (platform.Profile, error)
	Feed(ctx context.Context, p platform.PageParams) ([]platform.Post, error)
}

// Client is a client as the dispatcher reads it.
type Client struct{ *platform.Client }

var _ Platform = Client{}

// AllThreadReplies reads the replies to a post to the end of the list.
func (c Client) AllThreadReplies(ctx context.Context, p platform.ThreadRepliesParams) iter.Seq2[platform.Post, error] {
	return platform.All(ctx, c.ThreadReplies, p)
}

// AllProfilePosts reads the posts of a person to the end of the list, without adverts.
func (c Client) AllProfilePosts(ctx context.Context, p platform.ProfilePostsParams) iter.Seq2[platform.Post, error] {
	return platform.All(ctx, c.ProfilePosts, p)
}
