package bot

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/session"
)

// Config is what a Bot is made of. Zero fields take their defaults.
type Config struct {
	// Accounts are the sign-ins that the bot serves. At least one, unless MayBeIdle.
	Accounts []Account
	// MayBeIdle allows a bot to begin without accounts: they come with Bot.Add.
	MayBeIdle bool
	// Store is the memory. Required. The bot does not close it.
	Store Store
	// Router finds the handlers. Required.
	Router *Router
	// Log takes one line per change of state. Defaults to nothing.
	Log *slog.Logger
	// Transport carries the requests. Defaults to one kept pool of connections for all accounts.
	Transport http.RoundTripper

	// PollInterval is the middle of the adaptive polling range. Defaults to 5 s.
	PollInterval time.Duration
	// RequestPause is the time between two looks for what people ask of the bot, such as an approval from the command line: each is one
	// small reading of the store. Defaults to 1 s.
	RequestPause time.Duration
	// Backlog says what happens with what was there before an account's first start. Defaults to
	// event.Skip.
	Backlog event.Backlog
	// NoMessages says whether get_messages is done without. Defaults to event.Auto.
	NoMessages event.Mode
	// Pace limits how fast an account acts. Defaults to 1 action a second, 5 at once.
	Pace *event.Pace
	// Concurrency is the number of requests in flight per account; what a platform tolerates is not
	// known. Defaults to 2.
	Concurrency int

	// SessionsPerMinute is how many new sessions an account gets with its password in a minute at most, and ten times as many in an hour; a
	// renewal counts half. Defaults to 6.
	SessionsPerMinute int
	// RequestTimeout is the deadline of a request, at which it is given up. Defaults to 15 s.
	RequestTimeout time.Duration
	// ListLimit bounds the chat list, in bytes; see platform.Config.MaxList. Defaults to 256 MiB.
	ListLimit int64
	// ReconcileGrace is for how long after it was given up – at its deadline, or earlier, by a cut or an unclear answer –
	// a request may still take effect on the platform. An action in doubt is sent again, and a later one on the same
	// target called, no earlier. After a crash a request counts as given up RequestTimeout after the next start.
	// A platform that works on requests for longer makes second copies, and takes likes back. Defaults to 20 s.
	ReconcileGrace time.Duration
	// ReconcilePause is the time between the two readings that must both miss an action in doubt before it
	// is sent again. Defaults to 3 s.
	ReconcilePause time.Duration
	// HandlerTimeout is how long a handler may take. Defaults to 30 s.
	HandlerTimeout time.Duration
	// TakeoverFor is how long the bot is silent in a conversation after a person of ours wrote there, on
	// the phone or anywhere else. Defaults to 12 h; below 0 the bot does not mind.
	TakeoverFor time.Duration
	// StopWords are what asks for silence in an account that no rules are in force for, as those of rule files do: a message of one of them and words
	// that are polite, or one that means it. Until a start word ("start", "resume", and those of other languages) nothing automatic is
	// said to the person then: see conversation.Silence. Defaults to none.
	StopWords []string
	// SpeakFirst lets a delivery say something to somebody who has never done anything with the account; see Bot.Deliver. Defaults to false: networks take
	// that for spam.
	SpeakFirst bool
	// Ceiling is how much the bot says to one person at most. Defaults to DefaultCeiling.
	Ceiling Ceiling
	// Publishing is how much each account publishes at most. Defaults to nothing being limited; see Bot.LimitPublishing, which
	// changes it for an account.
	Publishing *Publishing
	// Troubles returns what is not well with the process beside what the bot knows itself; see Bot.Judgement. It must not block. Optional.
	Troubles func() []record.Trouble
	// Observe is told of each poll of an account, for metrics, and why one is not polled that is parked from its start. It must not
	// block. Optional.
	Observe func(account event.Account, result event.PollResult, err error)
	// Budget is how many requests the hosts of the platform get; that of a worker comes with Working. Defaults to no limit.
	Budget *Budget
	// Entrance lets accounts that have never signed in do so one after another. Defaults to none: all may at once.
	Entrance *session.Entrance
	// Yield is called by each goroutine before it competes with others of its kind for what they share,
	// with a name of what it works on. It may wait, and returns the context to go on with. For a
	// simulator, in which no two of them go on at one instant, so that a run repeats. Optional.
	Yield func(ctx context.Context, what string) context.Context
	// DrainTimeout is how long a stop waits for what is under way. Defaults to 4 s.
	DrainTimeout time.Duration
}

// Account is one sign-in.
type Account struct {
	// Name is the local name. It is part of everything that is stored, and must stay the same.
	Name event.Account
	// BaseURL ends with the segment that carries the mobile API.
	BaseURL string
	// AllowPlainHTTP allows http:// to hosts other than this machine.
	AllowPlainHTTP bool
	session.Credentials

	// PollInterval, Backlog, Pace, Concurrency and Publishing are those of Config unless set here.
	PollInterval time.Duration
	Backlog      *event.Backlog
	Pace         *event.Pace
	Concurrency  int
	Publishing   *Publishing
}

// withDefaults fills what the account leaves open from the configuration.
func (a Account) withDefaults(c Config) Account {
	if a.PollInterval <= 0 {
		a.PollInterval = c.PollInterval
	}
	if a.Backlog == nil {
		a.Backlog = &c.Backlog
	}
	if a.Pace == nil {
		a.Pace = c.Pace
	}
	if a.Concurrency <= 0 {
		a.Concurrency = c.Concurrency
	}
	if a.Publishing == nil {
		a.Publishing = c.Publishing
	}
	return a
}

// DefaultPace is the pace of an account unless configured: the tolerance of the platform is unknown.
func DefaultPace() *event.Pace {
	return &event.Pace{Account: event.Rate{PerSecond: 1, Burst: 5}}
}

func (c Config) withDefaults() Config {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Pace == nil {
		c.Pace = DefaultPace()
	}
	if c.Observe == nil {
		c.Observe = func(event.Account, event.PollResult, error) {}
	}
	if c.Concurrency <= 0 {
		c.Concurrency = 2
	}
	c.Ceiling = c.Ceiling.withDefaults()
	if c.TakeoverFor == 0 {
		c.TakeoverFor = 12 * time.Hour
	}
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{
		{&c.PollInterval, 5 * time.Second},
		{&c.RequestPause, time.Second},
		{&c.RequestTimeout, 15 * time.Second},
		{&c.ReconcileGrace, 20 * time.Second},
		{&c.ReconcilePause, 3 * time.Second},
		{&c.HandlerTimeout, 30 * time.Second},
		{&c.DrainTimeout, 4 * time.Second},
	} {
		if *d.field <= 0 {
			*d.field = d.value
		}
	}
	return c
}

func (c Config) validate() error {
	switch {
	case len(c.Accounts) == 0 && !c.MayBeIdle:
		return fmt.Errorf("bot.Config.Accounts is empty: a bot needs at least one account")
	case c.Store == nil:
		return fmt.Errorf("bot.Config.Store is missing: open one with bot.OpenStore")
	case c.Router == nil:
		return fmt.Errorf("bot.Config.Router is missing: make one with bot.NewRouter")
	}
	if err := validateStopWords(c.StopWords); err != nil {
		return err
	}
	if err := c.Publishing.validate(); err != nil {
		return fmt.Errorf("bot.Config.Publishing: %w", err)
	}
	return nil
}

func (a *Account) validate() error {
	switch {
	case a.Name == "":
		return fmt.Errorf("an account has no name: give it one that stays the same, for example \"main\"")
	case a.Email == "" && a.OAuthToken == "":
		return fmt.Errorf("account %q has neither an e-mail address nor a social sign-in", a.Name)
	}
	if err := a.Publishing.validate(); err != nil {
		return fmt.Errorf("account %q: Publishing: %w", a.Name, err)
	}
	return nil
}

// Store is the memory of a bot. What it does is between the runtime and the plugins that come with it; whoever wants to look at what a bot
// keeps uses bot/inspect.
type Store interface{ store.Store }

// StoreOptions says how a store is opened.
type StoreOptions struct {
	// Path is the file of the database; it is made when it does not exist, for its owner alone. Or it is the URL of a
	// database of PostgreSQL, "postgres://…", which takes the driver: the program imports bot/postgres.
	Path string
	// Key encrypts sessions, and what people said. Without one they are stored in a file in the clear; a server takes nothing
	// without one.
	Key platform.Secret
	// ForgetSealed deletes what is encrypted with another key, in place of an error.
	ForgetSealed bool
	// Log takes one line per change of state. Defaults to nothing.
	Log *slog.Logger
	// Fast commits without waiting for the disk: a loss of power may lose the last commits, a crash
	// of the process does not. For tests and trials.
	Fast bool
	// Restored is what somebody has said of a database of PostgreSQL that has come to another server, so that it may be opened; nil for nothing. It
	// is noted there, and by nectar restored.
	Restored *record.Restored
	// Copy is a file, a copy of the database of an earlier time, that takes its place first; Restored has to say so, and where what was there goes.
	Copy string
	// NoBot is for a process that runs no bot, such as a command that looks after the database: what the last bot has left beside it stays
	// for the next one.
	NoBot bool
	// Keep is how long what is over is kept: events that were handled with their decision records and facts, turns,
	// actions that have ended, notices, and rules. At least 7 days; 0 keeps it for ever.
	Keep time.Duration
}

// OpenStore opens a store, and brings its schema up to date. The errors are record.ErrInUse, record.ErrNewer, record.ErrForeign, record.ErrOtherServer,
// *record.MovedError, *record.ArrivingError, or those of the file system and the database with what can be done about them. None of
// them repeats a URL.
func OpenStore(ctx context.Context, o StoreOptions) (Store, error) {
	s, err := store.Open(ctx, o.toStore())
	if err != nil {
		return nil, err
	}
	return s, nil
}

// toStore returns them with what is nobody's else.
func (o StoreOptions) toStore() store.Options {
	return store.Options{
		Path: o.Path, Key: o.Key, ForgetSealed: o.ForgetSealed, Log: o.Log, Fast: o.Fast, Restored: o.Restored, Copy: o.Copy, NoBot: o.NoBot, Keep: o.Keep,
	}
}
