package handlers

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/internal/wall"
)

// Every returns routes that begin a turn of the own conversation of each account each day at a time on the wall of a zone, or on some days of the week alone:
//
//	bot.Routes(handlers.Every("bakery/daily", handlers.At(9, 0), berlin, post)...)
//
// The name begins with the plugin's and must stay the same. handle gets when it was due; it runs once for each time, over crashes, restarts and changes of the
// clock, and what fails for good is set aside as any event is, and the next day comes. A time that a change of clocks leaves out is the first one behind it, and of one that comes
// twice it is the first. Of times that were missed, since no bot ran or the account was paused, the last has its turn, late. The first one comes after the first
// start of the bot, or after one with another time or other days.
func Every(name string, at Clock, zone *time.Location, handle func(ctx context.Context, t *bot.Turn, due time.Time) error, days ...time.Weekday) []bot.Route {
	s := &schedule{name: name, at: at, zone: zone, days: days, stand: bot.NewAccountValue[scheduleStand](name, "every")}
	return []bot.Route{
		bot.On(name+"/start", bot.Started(name+"/start"), s.begin),
		bot.On(name+"/due", bot.Timer(name), s.ring),
		bot.On(name, bot.Delivered[time.Time](name), func(ctx context.Context, t *bot.Turn, due time.Time) error { return handle(ctx, t, due.In(zone)) }),
	}
}

// schedule is what happens at a time of the day.
type schedule struct {
	name  string
	at    Clock
	zone  *time.Location
	days  []time.Weekday // none is all
	stand bot.AccountValue[scheduleStand]
}

// scheduleStand is how far a schedule is.
type scheduleStand struct {
	Of   string    `json:"of"`   // the schedule; another one begins anew
	Last time.Time `json:"last"` // the last time that had its turn, or when the schedule began
}

func (s *schedule) String() string { return fmt.Sprint(s.at, " ", s.zone, " ", s.days) }

// begin comes with each start.
func (s *schedule) begin(ctx context.Context, t *bot.Turn, _ event.Nudge) error {
	stand, _, err := s.stand.Load(ctx, t)
	if err != nil {
		return err
	}
	if stand.Of != s.String() {
		stand = scheduleStand{s.String(), t.Now}
		if err := s.stand.Save(ctx, t, stand); err != nil {
			return err
		}
	}
	t.SetTimer(s.name, s.next(stand.Last), nil)
	return nil
}

// ring delivers the last time that is over to its handler. What becomes of that is no matter of the schedule, which goes on.
func (s *schedule) ring(ctx context.Context, t *bot.Turn, _ event.Timer) error {
	stand, _, err := s.stand.Load(ctx, t)
	if err != nil {
		return err
	}
	next, due := s.next(stand.Last), time.Time{}
	for !next.After(t.Now) {
		due, next = next, s.next(next)
	}
	t.SetTimer(s.name, next, nil)
	if due.IsZero() { // the clock was set back
		return nil
	}
	stand.Last = due
	if err := s.stand.Save(ctx, t, stand); err != nil {
		return err
	}
	return t.Deliver(event.Delivery{To: event.Own(t.Trigger.Key.Account), Name: s.name, ID: due.UTC().Format(time.RFC3339), Data: due})
}

// next returns the first time behind t.
func (s *schedule) next(t time.Time) time.Time {
	year, month, today := t.In(s.zone).Date()
	for day := today; ; day++ {
		at := wall.DayTime(year, month, day, int(s.at), s.zone)
		if at.After(t) && (len(s.days) == 0 || slices.Contains(s.days, at.Weekday())) {
			return at
		}
	}
}
