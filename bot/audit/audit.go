package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/leap"
	"github.com/nectar-bot/nectar/bot/internal/lifecycle"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// Store is what the audit reads of what the bot has stored. inspect.Reader is one.
type Store interface {
	Cursors(ctx context.Context, account event.Account, source event.Source, peers []platform.UserID) ([]record.Cursor, error)
	CursorsAfter(ctx context.Context, account event.Account, source event.Source, after platform.UserID, limit int) ([]record.Cursor, error)
	Newest(ctx context.Context, account event.Account, source event.Source, limit int) ([]event.Event, error)
	Before(ctx context.Context, account event.Account, source event.Source, at time.Time) (int64, error)
	States(ctx context.Context, account event.Account, source event.Source, numbers []int64) (map[int64]string, error)
	Whose(ctx context.Context, account event.Account, source event.Source, numbers []int64) (map[int64]event.Event, error)
	Results(ctx context.Context, account event.Account, verb event.Verb, ids []int64) (map[int64]bool, error)
	Sent(ctx context.Context, account event.Account, after platform.MessageID, limit int) ([]event.Action, error)
	Open(ctx context.Context, account event.Account) ([]event.Action, error)
	Deleted(ctx context.Context, account event.Account, messages []int64) (map[int64]bool, error)
}

// Config says what to audit. Zero fields take their defaults.
type Config struct {
	Account event.Account                                      // required
	Me      func(ctx context.Context) (platform.UserID, error) // the account's id on the platform; required
	Client  *platform.Client                                   // with the account's session; required
	Store   Store                                              // required

	// Since is how far to look back: what the bot saw earlier is left out. Zero for the beginning of the account.
	Since time.Time
	// Chats bounds how many chats are read. Defaults to 1,000.
	Chats int
	// Pages bounds how many pages of a chat or of a list are read. Defaults to 200.
	Pages int
	// Pause is the time from the beginning of one call to that of the next. Defaults to 200 ms; below 0 there is none.
	Pause time.Duration
	// Progress is told what is read next: "main: chat 12 of 20000, about 1h7m left". Optional.
	Progress func(what string)
}

func (c Config) withDefaults() Config {
	if c.Chats <= 0 {
		c.Chats = 1000
	}
	if c.Pages <= 0 {
		c.Pages = 200
	}
	if c.Pause == 0 {
		c.Pause = 200 * time.Millisecond
	}
	if c.Progress == nil {
		c.Progress = func(string) {}
	}
	return c
}

// audit is one run.
type audit struct {
	Config
	tally
	began time.Time
	last  time.Time // when the last call began
	me    platform.UserID
}

// undecidedFor is how long before an audit something must have been there for the audit to be sure of it: a
// sweep of the bot finds what no list showed within that time.
const undecidedFor = 15 * time.Minute

// Run reads the platform back. The error says what could not be read.
func Run(ctx context.Context, cfg Config) (Report, error) {
	a := &audit{Config: cfg.withDefaults(), tally: tally{by: map[platform.UserID]*Conversation{}}, began: time.Now()}
	var err error
	if a.me, err = a.Me(ctx); err != nil {
		return Report{}, fmt.Errorf("find out who the account is: %w", err)
	}
	for _, read := range []func(context.Context) error{
		func(ctx context.Context) error { return a.compareList(ctx, event.Notifs, platform.Notifs) },
		func(ctx context.Context) error { return a.compareList(ctx, event.Mentions, platform.Mentions) },
		a.compareChats,
	} {
		if err := read(ctx); err != nil {
			return Report{}, err
		}
	}
	return a.makeReport(&a.Config), nil
}

func (a *audit) noteFinding(format string, args ...any) {
	a.notes = append(a.notes, fmt.Sprintf(format, args...))
}

// readCursor returns the account's own cursor of a source.
func (a *audit) readCursor(ctx context.Context, source event.Source) (record.Cursor, bool, error) {
	found, err := a.Store.Cursors(ctx, a.Account, source, []platform.UserID{0})
	if err != nil || len(found) == 0 {
		return record.Cursor{}, false, err
	}
	c := found[0]
	if c.PolledAt.After(time.Now().Add(clockTolerance)) { //mutate:audit-ahead
		a.noteFinding("when the source %v was polled last is not known: %s has not come yet, so the clock was ahead then; what is above what was read by then counts as still to come",
			source, c.PolledAt.UTC().Format(time.DateTime+" UTC"))
		c.PolledAt = time.Time{}
	}
	return c, true, nil
}

// clockTolerance is by how much clocks may differ: a bot runs on another machine.
const clockTolerance = 2 * time.Minute

// startNumber returns the number above which the events of a source are looked at.
func (a *audit) startNumber(ctx context.Context, source event.Source, beginning int64) (int64, error) {
	beginning, err := a.believed(ctx, source, beginning)
	if err != nil || a.Since.IsZero() {
		return beginning, err
	}
	before, err := a.Store.Before(ctx, a.Account, source, a.Since)
	return max(beginning, before), err
}

// highest is how many events with the highest numbers of a source tell how far its numbers have come.
const highest = 64

// believed returns where a source began, or, when an absurd number says that, up to where it was certainly read.
func (a *audit) believed(ctx context.Context, source event.Source, beginning int64) (int64, error) {
	newest, err := a.Store.Newest(ctx, a.Account, source, highest)
	if err != nil {
		return 0, err
	}
	numbers := []int64{beginning}
	for i := range newest {
		numbers = append(numbers, newest[i].ID.Number)
	}
	if last := leap.HighestBelievable(numbers); last != 0 && last < beginning {
		a.noteFinding("where the source %v began is not known: %d is an absurd number, so nothing up to %d was looked at", source, beginning, last)
		return last, nil
	}
	return beginning, nil
}

// shownEvent is an event as the platform shows it.
type shownEvent struct {
	number int64
	peer   platform.UserID
	name   string
	age    time.Duration // at least
}

// compare counts rows of a source. polled is when the bot's cursor was polled: rows above the cursor that are
// younger are still to come; when that time is not known, all rows above the cursor are.
func (a *audit) compare(ctx context.Context, source event.Source, rows []shownEvent, cursor record.Cursor, polled time.Time) error {
	numbers := make([]int64, len(rows))
	for i := range rows {
		numbers[i] = rows[i].number
	}
	states, err := a.Store.States(ctx, a.Account, source, numbers)
	if err != nil {
		return err
	}
	for _, r := range rows {
		c := a.conversationWith(r.peer, r.name)
		c.Seen++
		switch state, stored := states[r.number]; {
		case stored && state == "pending":
			c.Pending++
		case stored && state == "quarantined":
			c.Quarantined++
		case stored:
			c.Handled++
		case r.number > cursor.ID && (polled.IsZero() || a.began.Add(-r.age).After(polled.Add(-undecidedFor))):
			c.Ahead++
		default:
			c.Missing++ //mutate:audit-missing
			c.MissingEvents = append(c.MissingEvents, event.ID{Source: source, Number: r.number}.String())
		}
	}
	return nil
}

// tries is how often a call is made that fails for a reason that may pass.
const tries = 6

// call makes a call, at the pace of the audit, and again when it fails for a while.
func call[T any](ctx context.Context, a *audit, f func(context.Context) (T, error)) (T, error) {
	pause := a.Pause - time.Since(a.last)
	for i := 1; ; i++ {
		if err := lifecycle.Sleep(ctx, pause); err != nil {
			var none T
			return none, err
		}
		a.last = time.Now()
		got, err := f(ctx)
		if err == nil || i == tries || lasting(err) {
			return got, err
		}
		pause = time.Second << i
	}
}

// leftAfter says, once something is known about it, how long the rest of n things takes, of which i were done since then.
func leftAfter(since time.Time, i, n int) string {
	const tells = 10
	if i < tells {
		return ""
	}
	left := time.Since(since) / time.Duration(i) * time.Duration(n-i)
	if left < time.Minute {
		return ", less than a minute left"
	}
	return ", about " + strings.TrimSuffix(left.Round(time.Minute).String(), "0s") + " left"
}

// lasting reports whether an error will not pass by itself.
func lasting(err error) bool {
	if cut := (*platform.Cut)(nil); errors.As(err, &cut) {
		return cut.By == platform.CutByLimit
	}
	return platform.Final(err) || errors.Is(err, platform.ErrUnauthorized) || errors.Is(err, platform.ErrNoSession)
}

// Odd reports whether the highest of some ids lies so far above the others that a bot does not count by it.
func Odd(ids []int64) bool { return len(ids) > 0 && slices.Max(ids) != leap.HighestBelievable(ids) }
