package bot

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/internal/broadcast"
	"github.com/nectar-bot/nectar/internal/reason"
	"github.com/nectar-bot/nectar/platform"
)

// What people of ours say through the bot. A word to one person is theirs: it ends what waits, and the conversation is a person's from then on. What
// is said to many is the bot's, and is told to each in a turn of its own, which looks once more whether they are to be told.

// routeSay stands in the keys of what is said so.
const routeSay = "say"

// sayToPeople says what a person of ours says to one person; or sets the time at which that is told what many are; or stops the latter.
func (b *Bot) sayToPeople(ctx context.Context, t *Turn, q *event.Request) error {
	t.route = routeSay
	if q.Subject != "" && q.Subject != event.SayAnyway {
		return t.saysLater(q)
	}
	if problem := textProblem(event.VerbMessage, q.Text); problem != "" {
		t.noteObsolete("nothing is said: %s", strings.Replace(problem, "new ", "", 1))
		return nil
	}
	if isSilent(&t.Conversation) && q.Subject != event.SayAnyway { //mutate:say-silent
		t.rec.Why = t.whySilent()
		t.noteObsolete("nothing is said: %s; --anyway says it all the same", reason.SentenceOf(event.Because(reason.Silent)))
		return nil
	}
	if err := t.tellsWhoHas(ctx, deciderName(q)+" has it"); err != nil {
		return err
	}
	t.Conversation.Unreachable = time.Time{} // the person who says it wants to know
	t.takeOver(b.cfg.TakeoverFor, t.Now)
	t.wait = store.Wait{Does: store.WaitDone}
	return t.Message(q.Text)
}

// saysLater lets somebody be told what many are, at its time; with no text it is said to nobody any more.
func (t *Turn) saysLater(q *event.Request) error {
	m := broadcast.Message{ID: q.Subject}
	if q.Text == "" {
		t.UseLimit(event.LimitUse{Limit: m.StopLimit(), Max: math.MaxInt32})
		t.Note("%s is said to nobody any more", q.Subject)
		return nil
	}
	if err := json.Unmarshal([]byte(q.Text), &m); err != nil {
		return fmt.Errorf("read what is to be said: %w", err)
	}
	t.setTimer(m.TimerName(), q.Until, []byte(q.Text))
	t.Note("is told %s", q.Until.UTC().Format(time.RFC3339))
	return nil
}

// tellOneOfMany handles the turn in which somebody is told what many are; false for any other turn.
func (b *Bot) tellOneOfMany(ctx context.Context, t *Turn) (bool, error) {
	id, is := strings.CutPrefix(t.Trigger.Timer.Name, broadcast.TimerPrefix)
	if t.Trigger.Kind != event.ByTimer || !is {
		return false, nil
	}
	var m broadcast.Message
	if err := json.Unmarshal(t.Trigger.Timer.Data, &m); err != nil {
		return true, fmt.Errorf("read what %s says: %w", id, err)
	}
	t.route, t.concern, t.minds = routeSay, &concern{}, true
	why, most, err := b.untold(ctx, t, &m)
	if err != nil {
		return true, err
	}
	if why != "" {
		t.rec.Outcome, t.rec.Why = OutcomeNotSaid, why
		t.Note("%s", broadcast.SaidText(why))
		return true, nil
	}
	return true, t.sendBroadcast(ctx, &m, most)
}

// untold says why somebody is not told, and how many may be in a day.
func (b *Bot) untold(ctx context.Context, t *Turn, m *broadcast.Message) (why event.Reason, most int, err error) {
	c := &t.Conversation
	switch {
	case isSilent(c):
		return event.Because(broadcast.WhySilent), 0, nil
	case c.Owner != "":
		return event.Because(broadcast.WhyOwned, "owner", c.Owner), 0, nil
	case c.Unreachable.After(t.Now):
		return event.Because(broadcast.WhyUnreachable), 0, nil
	}
	recent, err := b.store.RecentEvents(ctx, t.Trigger.Key, 1)
	if err != nil {
		return "", 0, storeError{err}
	}
	if len(recent) == 0 || t.Now.Sub(recent[0].SeenAt) > broadcast.QuietFor {
		return event.Because(broadcast.WhyQuiet), 0, nil
	}
	person := broadcast.PersonScope(int64(t.Trigger.Key.Peer))
	var stopped, tried, arrived, day, week, lately int
	for _, x := range []struct {
		to           *int
		limit, scope string
		within       time.Duration
	}{
		{&stopped, m.StopLimit(), "", 0},
		{&tried, m.TriedLimit(), "", 0},
		{&arrived, m.ArrivedLimit(), "", 0},
		{&day, broadcast.DayLimit, "", 24 * time.Hour},
		{&week, broadcast.DayLimit, "", 7 * 24 * time.Hour},
		{&lately, broadcast.PersonLimit, person, broadcast.PersonPause},
	} {
		if *x.to, err = t.Uses(ctx, event.LimitUse{Limit: x.limit, Scope: x.scope, Within: x.within}); err != nil {
			return "", 0, err
		}
	}
	most = broadcast.MostPerDay(week - day)
	switch next := m.Window.Next(t.Now); {
	case stopped > 0:
		return event.Because(broadcast.WhyStopped), 0, nil
	case tried >= broadcast.FewTried && (tried-arrived)*100 >= tried*broadcast.MostRefused: //mutate:say-refused
		t.stopsSaying(m, tried-arrived, tried)
		return event.Because(broadcast.WhyRefused), 0, nil
	case (lately > 0 || t.Denied(broadcast.PersonLimit)) && !m.Corrects:
		return event.Because(broadcast.WhyLately), 0, nil
	case next.After(t.Now):
		t.putOff(next.Sub(t.Now))
		return event.Because(broadcast.WhyLater), 0, nil
	case day >= most || t.Denied(broadcast.DayLimit):
		t.putOff(time.Hour)
		return event.Because(broadcast.WhyLater), 0, nil
	}
	return "", most, nil
}

// stopsSaying stops what many are told, and tells everybody of ours.
func (t *Turn) stopsSaying(m *broadcast.Message, refused, tried int) {
	t.UseLimit(event.LimitUse{Limit: m.StopLimit(), Max: math.MaxInt32})
	details := event.Details{Ask: "Look what was said, and to whom:", Do: "nectar say --results " + m.ID}
	t.Notify(event.Notice{
		Who: event.Everybody, Details: details.Encode(),
		Text: fmt.Sprintf("%s is said to nobody any more: %d of %d have refused it", m.ID, refused, tried),
	})
}

// sendBroadcast tells somebody what many are told. The first time it names how they end that.
func (t *Turn) sendBroadcast(ctx context.Context, m *broadcast.Message, most int) error {
	person := broadcast.PersonScope(int64(t.Trigger.Key.Peer))
	ever := event.LimitUse{Limit: broadcast.EverLimit, Scope: person, Max: math.MaxInt32}
	told, err := t.Uses(ctx, ever)
	if err != nil {
		return err
	}
	t.UseLimit(ever)
	t.UseLimit(event.LimitUse{Limit: m.TriedLimit(), Max: math.MaxInt32})
	// These are limits of the turn and not of what it says: somebody who comes too late for the day is told another day.
	t.UseLimit(event.LimitUse{Limit: m.ArrivedLimit(), Max: math.MaxInt32, GiveBack: true})
	t.UseLimit(event.LimitUse{Limit: broadcast.DayLimit, Max: most, Within: 24 * time.Hour}) //mutate:say-day
	if !m.Corrects {
		t.UseLimit(event.LimitUse{Limit: broadcast.PersonLimit, Scope: person, Max: 1, Within: broadcast.PersonPause})
	}
	says := As(event.Broadcast)
	switch {
	case m.Post != 0:
		return t.ReplyTo(platform.PostID(m.Post), m.Text, says)
	case told == 0 && m.Ends != "": //mutate:say-ends
		return t.Message(m.Text+"\n"+m.Ends, says)
	default:
		return t.Message(m.Text, says)
	}
}
