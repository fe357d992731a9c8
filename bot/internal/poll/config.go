package poll

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// Sources says which lists are polled. The zero value is all of them.
type Sources struct {
	Messages bool
	Notifs   bool
	Mentions bool
}

// Slots bounds the requests in flight of an account's session, together with others who use it.
type Slots interface {
	// Acquire waits for a free slot, until ctx ends.
	Acquire(ctx context.Context) error
	// Release gives it back.
	Release()
}

// Limits and defaults of a Config.
const (
	defaultInterval   = 5 * time.Second
	defaultMaxPages   = 20
	defaultSweepAfter = 30 * time.Second
	messagePage       = 50
	notificationPage  = 20 // what the contract recommends
)

// Config says whom a Poller serves, and how.
type Config struct {
	// Account is the local name of the sign-in. Required.
	Account event.Account

	// Me returns the account's id on the platform: its own notifications are dropped. It is asked
	// when there are notifications, and may sign in. Required unless only Messages is polled.
	Me func(ctx context.Context) (platform.UserID, error)

	// Client makes the calls, with the account's session. Required.
	Client *platform.Client

	// Cursors reads what a Sink stored. Required.
	Cursors Cursors

	// Sink takes the events. Required.
	Sink Sink

	// Slots bounds the calls in flight; each call takes one, and none is kept while the Sink is
	// waited for. Defaults to one call at a time.
	Slots Slots

	// Budget is what the host has left for the account's polls. Cycles wait for it in a Schedule; each request, in the Client. Defaults
	// to no limit.
	Budget Budget

	// Yield is called by each goroutine before it competes with others of its kind for what they share,
	// with a name of what it works on. It may wait, and returns the context to go on with. For a
	// simulator, in which no two of them go on at one instant, so that a run repeats. Optional.
	Yield func(ctx context.Context, what string) context.Context

	// Bot is asked what else is known of the account, and told what is read. Optional.
	Bot Bot

	// Delivered knows what was delivered before. Without it, a cursor that stands too high is not noticed, and a row
	// that comes to show another id is news. Optional.
	Delivered Delivered

	// Keep is how long the store keeps what is over: what shows a greater age is not looked for there. 0: for ever.
	Keep time.Duration

	// Room bounds the memory of what was read and not handed over yet, together with other pollers. Defaults to one of RoomSize
	// for this poller.
	Room *Room

	// Sources are the lists to poll. Defaults to all.
	Sources Sources

	// Backlog says what becomes of what was there before the first start. Defaults to Skip.
	Backlog event.Backlog

	// NoMessages says whether get_messages is done without. Defaults to Auto.
	NoMessages event.Mode

	// Interval is the middle of the adaptive range, which reaches from a fifth of it (but no less
	// than 50 ms, unless it is shorter itself) to four times as much. Defaults to 5 seconds.
	Interval time.Duration

	// PageSize is the number of rows to ask for. Defaults to 50 for messages and 20 for notifications.
	// A platform may send fewer; a page is never taken for the last one because of its length alone.
	PageSize int

	// MaxPages bounds the pages that one cycle reads of one chat or list; the next cycle goes on
	// where it stopped. Defaults to 20.
	MaxPages int

	// SweepAfter is the time after which a chat that was active is read again although nothing shows
	// movement; then again after twice that, and so on, for ten minutes. Defaults to 30 seconds.
	SweepAfter time.Duration

	// Log gets a line when a source fails for good, recovers, or does without get_messages. Defaults
	// to no log.
	Log *slog.Logger
}

// Bot is the bot that the account belongs to. But for RecentOwnMessages, nothing of it may block.
type Bot interface {
	// IsActive reports whether something goes on with the account, beside what was read lately: under a budget such accounts are read first.
	IsActive() bool
	// RecentOwnMessages calls each with what the account may have sent before the start, the oldest first: messages that
	// arrived, with ids above after, and those of which nobody knows whether they arrived. Where
	// get_messages does not exist, nothing else tells whose words the first list shows.
	RecentOwnMessages(ctx context.Context, after platform.MessageID, each func(Own)) error
	// NoteOwnMessages is told at once of own messages on a page of a chat that were not delivered before, while the read
	// goes on, from several goroutines.
	NoteOwnMessages(peer platform.UserID, own []platform.Message)
	// NoteHeard is told when Poller.HeardUntil or HeardList may have changed: for a chat, or with peer 0 for all.
	NoteHeard(peer platform.UserID)
	// NotePoll is told the result of each cycle.
	NotePoll(result event.PollResult, err error)
}

// NoBot knows nothing, and hears of nothing. What has less to say than a Bot embeds it.
type NoBot struct{}

// IsActive returns false.
func (NoBot) IsActive() bool { return false }

// RecentOwnMessages knows of none.
func (NoBot) RecentOwnMessages(context.Context, platform.MessageID, func(Own)) error { return nil }

// NoteOwnMessages does nothing.
func (NoBot) NoteOwnMessages(platform.UserID, []platform.Message) {}

// NoteHeard does nothing.
func (NoBot) NoteHeard(platform.UserID) {}

// NotePoll does nothing.
func (NoBot) NotePoll(event.PollResult, error) {}

// ConfigError names the field of a Config that cannot be used, and why.
type ConfigError struct {
	Field   string
	Problem string
}

// Error implements error in one line.
func (e *ConfigError) Error() string { return fmt.Sprintf("poll.Config.%s: %s", e.Field, e.Problem) }

func (c Config) withDefaults() Config {
	if c.Sources == (Sources{}) {
		c.Sources = Sources{Messages: true, Notifs: true, Mentions: true}
	}
	if c.Interval == 0 {
		c.Interval = defaultInterval
	}
	if c.MaxPages == 0 {
		c.MaxPages = defaultMaxPages
	}
	if c.SweepAfter == 0 {
		c.SweepAfter = defaultSweepAfter
	}
	if c.Yield == nil {
		c.Yield = func(ctx context.Context, _ string) context.Context { return ctx }
	}
	if c.Bot == nil {
		c.Bot = NoBot{}
	}
	if c.Room == nil {
		c.Room = NewRoom(RoomSize)
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

func (c Config) validate() error {
	switch {
	case c.Account == "":
		return &ConfigError{"Account", "it is empty"}
	case c.Client == nil:
		return &ConfigError{"Client", "it is missing"}
	case c.Cursors == nil:
		return &ConfigError{"Cursors", "they are missing"}
	case c.Sink == nil:
		return &ConfigError{"Sink", "it is missing"}
	case c.Me == nil && (c.Sources.Notifs || c.Sources.Mentions):
		return &ConfigError{"Me", "it is missing: own notifications could not be told from others"}
	case c.Interval < 0:
		return &ConfigError{"Interval", fmt.Sprintf("%v is negative", c.Interval)}
	case c.SweepAfter < 0:
		return &ConfigError{"SweepAfter", fmt.Sprintf("%v is negative", c.SweepAfter)}
	case c.PageSize < 0:
		return &ConfigError{"PageSize", fmt.Sprintf("%d is negative", c.PageSize)}
	case c.MaxPages < 0:
		return &ConfigError{"MaxPages", fmt.Sprintf("%d is negative", c.MaxPages)}
	}
	return nil
}

// pageSize returns how many rows to ask for, where the default is standard.
func (c *Config) pageSize(standard int) int {
	if c.PageSize > 0 {
		return c.PageSize
	}
	return standard
}
