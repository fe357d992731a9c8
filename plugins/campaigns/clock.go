package campaigns

import (
	"context"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/engine"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/notify"
)

// By a wrong clock of the machine slots would come at the wrong time, and those that are to come would count as missed. So they wait until it is right,
// or until a person says that it is the platform's that is wrong.

const (
	wrongFrom     = 5 * time.Minute // by how much clocks have to differ for that
	clockMoves    = time.Minute     // by how much the difference has to change to be another one
	clockLook     = 10 * time.Minute
	clockLookSoon = time.Minute // while it is open whether the clock is right
)

// compareClocks finds out whether the clock of the machine is right, and calls people when that has changed.
func (s *state) compareClocks(t *bot.Turn) {
	ahead, known := engine.Of(t).Clock()
	is := s.AccountFacts.Clock
	lasts := is != nil && is.To.IsZero()
	switch right := ahead.Abs() <= wrongFrom; {
	case !known:
		s.doubtful = true
	case lasts && (ahead-is.Ahead).Abs() <= clockMoves, right && !lasts: //mutate:clock-allowed
	case right:
		s.noteRightClock(t, *is)
	default:
		s.noteWrongClock(t, ahead)
	}
}

// noteWrongClock lets slots wait from now on, and calls people.
func (s *state) noteWrongClock(t *bot.Turn, ahead time.Duration) {
	w := campaigns.WrongClock{Ahead: ahead, From: t.Now.Add(-ahead)}
	if is := s.AccountFacts.Clock; is.IsHolding() {
		w.From = is.From
	}
	s.AccountFacts.Clock = &w
	s.tellClock(t, fmt.Sprintf("The clock of the bot's machine is %s: no slot is decided until that is over. Hours and quiet hours go by it all the same", w.AheadText()), event.Details{
		Ask: "Set the clock of the machine, and let the system keep it by the network. If it is the platform's that is wrong, let the slots go by the machine's:",
		Do:  "nectar campaigns allow --clock",
	})
}

// noteRightClock lets slots be decided again. Those that are over by now follow the if_missed of their campaign.
func (s *state) noteRightClock(t *bot.Turn, was campaigns.WrongClock) {
	was.To = t.Now
	if s.AccountFacts.Clock = &was; was.Allowed != nil {
		s.AccountFacts.Clock = nil // none has waited
	}
	s.tellClock(t, "The clock of the bot's machine is right again: slots are decided again, and those that are over follow their if_missed", event.Details{})
}

// tellClock tells the teams of all campaigns something of the clock, and their books.
func (s *state) tellClock(t *bot.Turn, says string, d event.Details) {
	for _, c := range s.Campaigns {
		s.noteInBook(t.Now, c, "clock", says)
	}
	if len(s.Campaigns) == 0 {
		return
	}
	for _, who := range teamsOf(s.Campaigns) {
		t.Notify(event.Notice{Who: who, Kind: notify.KindCampaign, Text: says, Details: d.Encode()})
	}
}

// isClockHolding reports whether no slot may be decided now.
func (s *state) isClockHolding() bool { return s.doubtful || s.AccountFacts.Clock.IsHolding() }

// holdSlots lets slots wait, and returns when to look at the clock again: that it has changed is told at once. What was decided before, and waits for its
// minute, is taken back: it would leave at another one.
func (s *state) holdSlots(ctx context.Context, t *bot.Turn) (wake time.Time, err error) {
	w := s.AccountFacts.Clock
	if !w.IsHolding() {
		t.Note("no slot is decided before the platform has said what time it is")
		return t.Now.Add(clockLookSoon), nil
	}
	t.Note("no slot is decided: the clock of this machine is %s", w.AheadText())
	return t.Now.Add(clockLook), s.takeBackDecided(ctx, t, "the clock of the bot's machine is "+w.AheadText(), func(campaigns.SlotID) bool { return true })
}

// takeBackDecided takes back what is decided for slots, and has not left.
func (s *state) takeBackDecided(ctx context.Context, t *bot.Turn, why string, of func(campaigns.SlotID) bool) error {
	for _, id := range s.open(func(e campaigns.Entry) bool { return e.State == campaigns.Going }) {
		if !of(id) {
			continue
		}
		a, there, err := s.lastAction(ctx, t, id)
		if err == nil && there {
			_, err = t.End(ctx, a.Key, why) //mutate:asks-halt
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// allowClock lets slots go by the machine's clock, although it is not the platform's, until the difference is another one.
func allowClock(s *state, _ []string, by campaigns.Note) (string, error) {
	w := s.AccountFacts.Clock
	switch {
	case w == nil || !w.To.IsZero():
		return "", obsoleteError("the clock of the bot's machine is right, as far as is known")
	case w.Allowed != nil:
		return "", obsoleteError("the slots go by the machine's clock already: %s has let them", w.Allowed.By)
	}
	allowed := *w
	allowed.Allowed = &by
	s.AccountFacts.Clock = &allowed
	for _, c := range s.Campaigns {
		s.noteInBook(by.At, c, "clock", fmt.Sprintf("%s has let the slots go by the machine's clock, which is %s", by.By, w.AheadText()))
	}
	return fmt.Sprintf("slots go by the machine's clock, which is %s, until the difference changes by more than a minute", w.AheadText()), nil
}
