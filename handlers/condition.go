package handlers

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
)

// Not turns a condition round.
func Not(c bot.Condition) bot.Condition {
	return func(ctx context.Context, t *bot.Turn) bool { return !c(ctx, t) }
}

// Any holds when one of the conditions does.
func Any(conditions ...bot.Condition) bot.Condition {
	return func(ctx context.Context, t *bot.Turn) bool {
		return slices.ContainsFunc(conditions, func(c bot.Condition) bool { return c(ctx, t) })
	}
}

// From holds for these people, by user name, with "@" or without.
func From(users ...string) bot.Condition {
	names := map[string]bool{}
	for _, u := range users {
		names[strings.ToLower(strings.TrimPrefix(u, "@"))] = true
	}
	return func(_ context.Context, t *bot.Turn) bool { return names[strings.ToLower(t.Peer().User)] }
}

// Labelled holds in conversations with this label.
func Labelled(label string) bot.Condition {
	return func(_ context.Context, t *bot.Turn) bool { return t.Conversation.HasLabel(label) }
}

// InState holds in conversations that stand in one of these states of a flow; without states, in any of
// them. The flow itself comes first: routes see only the events that its state lets pass.
func InState(flow string, states ...string) bot.Condition {
	return func(_ context.Context, t *bot.Turn) bool {
		in := t.Conversation.Flow
		return in.Flow == flow && (len(states) == 0 || slices.Contains(states, in.State))
	}
}

// During holds while the hours are open, by the clock of the turn. Not(During(h)) is when they are not.
func During(h Hours) bot.Condition {
	return func(_ context.Context, t *bot.Turn) bool { return h.Open(t.Now) }
}

// Clock is a time of day, in minutes after midnight.
type Clock int

// At returns a time of day; At(24, 0) is the end of the day.
func At(hour, minute int) Clock { return Clock(60*hour + minute) }

// Opening is a time of the week at which somebody is there.
type Opening struct {
	// Days are those on which it begins. None means every day.
	Days []time.Weekday
	// From and To are by the clock on the wall, To itself excluded. A To that is not after From lies on
	// the next day.
	From, To Clock
}

// Hours are the opening hours of a week. The zero value is always closed.
type Hours struct {
	Zone     *time.Location // where the clock hangs. Defaults to UTC
	Openings []Opening
}

// Open reports whether at falls into the hours.
func (h Hours) Open(at time.Time) bool {
	zone := h.Zone
	if zone == nil {
		zone = time.UTC
	}
	at = at.In(zone)
	now, today := At(at.Hour(), at.Minute()), at.Weekday()
	yesterday := (today + 6) % 7
	for _, o := range h.Openings {
		overnight := o.To <= o.From
		switch {
		case o.on(today) && now >= o.From && (now < o.To || overnight):
			return true
		case overnight && o.on(yesterday) && now < o.To:
			return true
		}
	}
	return false
}

func (o Opening) on(day time.Weekday) bool { return len(o.Days) == 0 || slices.Contains(o.Days, day) }
