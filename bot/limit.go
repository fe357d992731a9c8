package bot

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/record"
)

// Ceiling is how much the bot says to one person at most, by all routes together: Max private messages and
// public replies within a time. It ends the talk of two bots with each other. What is above is recorded
// as withdrawn. The count is exact, also over crashes.
type Ceiling struct {
	Max    int // below 0: there is no ceiling
	Within time.Duration
}

// DefaultCeiling is the ceiling of a bot unless configured: more than people say to each other.
func DefaultCeiling() Ceiling { return Ceiling{Max: 100, Within: time.Hour} }

func (c Ceiling) withDefaults() Ceiling {
	if c.Max == 0 {
		c.Max = DefaultCeiling().Max
	}
	if c.Within <= 0 {
		c.Within = DefaultCeiling().Within
	}
	return c
}

// useLimit lets a turn's actions count. Where the limit use is denied, the action is withdrawn in the commit.
func (c Ceiling) useLimit(t *Turn) {
	if c.Max < 0 || t.ofAccount() { //mutate:own-ceiling
		return
	}
	limit := c.limitUse(t)
	for i := range t.actions {
		if a := &t.actions[i]; a.Verb.Makes() && !a.State.Final() {
			a.LimitUses = append(a.LimitUses, limit)
		}
	}
}

// limitUse is what one thing that the turn says uses up.
func (c Ceiling) limitUse(t *Turn) event.LimitUse {
	return event.LimitUse{
		Limit: event.CeilingLimit, Scope: "peer:" + strconv.FormatInt(int64(t.Trigger.Key.Peer), 10), Max: c.Max, Within: c.Within,
	}
}

// noteCapped notes that an action of the lane was denied, and tells once within the ceiling's time. What
// has other limits, too, may have been denied by them. l.mu is not held.
func (b *Bot) noteCapped(l *lane, out *computedTurn, n int) {
	if limitUses := out.Actions[n].LimitUses; len(limitUses) != 1 || limitUses[0].Limit != event.CeilingLimit {
		return
	}
	l.mu.Lock()
	told := !l.cappedAt.IsZero() && out.At.Sub(l.cappedAt) < b.cfg.Ceiling.Within
	if !told {
		l.cappedAt = out.At
	}
	l.mu.Unlock()
	if !told {
		b.log.Warn("the bot has said too much to one person and is silent for a while; is that a bot, too?",
			"account", l.key.Account, "peer", int64(l.key.Peer), "most", b.cfg.Ceiling.Max, "within", b.cfg.Ceiling.Within)
	}
}

// Publishing is how much an account publishes at most, by the bot or by hand: own posts, reposts and renewals, of rules,
// campaigns and programs alike. Public replies are none of it, although they have the verb of a post, nor are reposts that are
// taken back. What is above Most is recorded as withdrawn: the count is made in the commit, for the time at which an action is
// to leave, and is exact, also over crashes. What is too close waits as long as its latest departure lets it: just before the
// request leaves, it and the count are looked at once more, by what has really left.
type Publishing struct {
	Most   int // 0: as much as it likes
	Within time.Duration
	Apart  time.Duration // between two of them; 0: nothing but what actions keep by themselves, see Apart

	// For is how the names of the actions begin that come first, see Keyed; "" for none. All others have of Most what these leave: it is
	// kept for them until they come, also when nobody has decided them yet. What others lose so is withdrawn with event.OthersLimit.
	For string
	// Ahead is when those are to leave that come first, by time. What lies in the past counts no more.
	Ahead []time.Time
	// Others is how many of Most all others have, whatever is ahead; nil for what Ahead leaves.
	Others *int
}

// LimitPublishing puts a limit in force for what an account publishes, in the place of the one before, also while the bot runs;
// nil for none. What is decided from then on counts, and everything leaves by it. Without a limit nothing is counted and nothing
// is asked. The error is ErrNotServed, or says what is wrong with the limit.
func (b *Bot) LimitPublishing(account event.Account, p *Publishing) error {
	a := b.accounts.byName(account)
	if a == nil {
		return fmt.Errorf("limit what %q publishes: %w", account, ErrNotServed)
	}
	if err := p.validate(); err != nil {
		return fmt.Errorf("limit what %s publishes: %w", account, err)
	}
	a.limitPublishing(p)
	return nil
}

// limitPublishing puts a limit in force, nil for none.
func (a *account) limitPublishing(p *Publishing) {
	if p == nil {
		a.publishing.Store(nil)
		a.outbox.LimitPublishing(nil)
		return
	}
	limit := *p
	a.publishing.Store(&limit)
	to := &outbox.Publishing{Most: p.Most, Within: p.Within, Apart: p.Apart}
	if p.For != "" && p.Others == nil {
		to.For, to.Ahead = event.NamedKey(p.For), p.Ahead
	}
	a.outbox.LimitPublishing(to)
}

func (p *Publishing) validate() error {
	switch {
	case p == nil:
		return nil
	case p.Most < 0 || p.Within < 0 || p.Apart < 0:
		return fmt.Errorf("%d in %v, %v apart: nothing of it may be below 0", p.Most, p.Within, p.Apart)
	case p.Most > 0 && p.Within == 0:
		return fmt.Errorf("%d of what time? Publishing.Within is missing", p.Most)
	case p.Others != nil && (*p.Others < 0 || *p.Others > p.Most):
		return fmt.Errorf("%d of %d for others: Publishing.Others is a part of Most", *p.Others, p.Most)
	}
	return nil
}

// publishingLimit returns the limit in force for the turn's account; nil for none.
func (t *Turn) publishingLimit() *Publishing { return t.reader.publishing.Load() }

// useLimit lets what a turn publishes count, at the time at which it is to leave. What waits for an approval counts from when it
// is let go.
func (p *Publishing) useLimit(t *Turn) {
	if p == nil || p.Most == 0 {
		return
	}
	for i := range t.actions {
		if a := &t.actions[i]; a.Publishes() && !a.State.Final() && !a.Held && !a.TakenBack { //mutate:publishing-limit-use
			a.LimitUses = append(a.LimitUses, p.limitUses(t.Now, &a.Action)...)
		}
	}
}

// ofPublication says of the uses that a released action needs whose they are, where each action needs its own.
func ofPublication(limitUses []event.LimitUse, key string) []event.LimitUse {
	for i := range limitUses {
		if isOfPublishing(limitUses[i].Limit) {
			limitUses[i].Of = key
		}
	}
	return limitUses
}

// releasedUses returns the uses that released actions need, by the limit that is in force now, at the times at which they are to
// leave now.
func (p *Publishing) releasedUses(limitUses []event.LimitUse, now time.Time, actions []record.Action) []event.LimitUse {
	var all []event.LimitUse
	for _, c := range limitUses {
		i := slices.IndexFunc(actions, func(a record.Action) bool { return isOfPublishing(c.Limit) && a.Key == c.Of })
		switch {
		case i < 0:
			all = append(all, c)
		case c.Limit == event.PublishingLimit && p != nil && p.Most > 0:
			all = append(all, p.limitUses(now, &actions[i].Action)...)
		}
	}
	return all
}

// isOfPublishing reports whether a limit is one of those that Publishing makes.
func isOfPublishing(limit string) bool {
	return limit == event.PublishingLimit || limit == event.OthersLimit
}

// isDenied reports whether a released action was denied what it needs of a limit: it needs both limits of publishing that are in force now, whatever
// stands beside it.
func (t *Turn) isDenied(limit string) (by string, is bool) {
	if limit == event.PublishingLimit && t.Denied(event.OthersLimit) {
		return event.OthersLimit, true
	}
	return limit, t.Denied(limit)
}

// limitUses are what an action uses up that leaves at its time.
func (p *Publishing) limitUses(now time.Time, a *event.Action) []event.LimitUse {
	all := []event.LimitUse{p.limitUse(now, a)}
	if p.For == "" || strings.HasPrefix(a.Key, event.NamedKey(p.For)) { //mutate:publishing-first
		return all
	}
	others := all[0]
	others.Limit = event.OthersLimit
	if p.Others != nil {
		others.Max = *p.Others //mutate:publishing-others
		return append(all, others)
	}
	next, _ := slices.BinarySearchFunc(p.Ahead, now, func(t, now time.Time) int { return t.Compare(now.Add(1)) })
	if others.Ahead = p.Ahead[next:]; len(others.Ahead) == 0 { //mutate:publishing-beside
		return all
	}
	others.AheadOf = event.NamedKey(p.For)
	return append(all, others)
}

// limitUse is what any action uses up that leaves at its time.
func (p *Publishing) limitUse(now time.Time, a *event.Action) event.LimitUse {
	at := now
	if a.Due.After(now) { //mutate:publishing-at
		at = a.Due
	}
	// What left a moment after its time must not deny the one that comes Within after that: it waits for that moment.
	within := p.Within - min(time.Minute, p.Within/20) //mutate:publishing-moment
	return event.LimitUse{Limit: event.PublishingLimit, Max: p.Most, Within: within, GiveBack: true, At: at, Of: a.Key}
}

// Apart keeps an action that publishes at least so far from any other that does, before it and after it, where the account's
// publishing is limited; see LimitPublishing. It counts where it is more than Publishing.Apart.
func Apart(d time.Duration) Option {
	return func(_ *Turn, a *record.Action) { a.Apart = max(d, 0).Truncate(time.Microsecond) }
}

// Published returns what the account has published since a time, or is to publish, by time: own posts, reposts and renewals,
// by the bot or by hand. What waits for an approval is left out, and what did not come about. What turns have decided a moment
// ago may be missing. It is read anew with each try of the turn.
func (t *Turn) Published(ctx context.Context, since time.Time) ([]event.Publication, error) {
	all, err := t.reader.store.Published(ctx, t.Trigger.Key.Account, since)
	if err != nil {
		return nil, storeError{err}
	}
	return all, nil
}
