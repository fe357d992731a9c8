package campaigns

import (
	"context"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/handlers/campaigns"
)

const (
	horizon  = 8 * 24 * time.Hour // longer than anything is prepared before its slot
	mostLook = 64                 // slots that one turn decides: the next one begins at once
)

// doDue does what is due for an account's campaigns, and sets the timer for what comes next. A read that fails lets the whole
// turn come again.
func (p *Plugin) doDue(ctx context.Context, t *bot.Turn) error {
	s, err := p.load(ctx, t)
	if err != nil {
		return err
	}
	if s.edited != "" {
		t.Note("%s", s.edited)
	}
	all := s.Campaigns
	if err := s.takeStock(ctx, t); err != nil {
		return err
	}
	if err := s.endStopped(ctx, t); err != nil {
		return err
	}
	lift, err := s.checkLifts(ctx, t)
	if err != nil {
		return err
	}
	look := s.decideDue
	if s.isClockHolding() { //mutate:clock-holds
		look = s.holdSlots
	}
	wake, err := look(ctx, t)
	if err != nil {
		return err
	}
	ahead := s.planAhead(t.Now, wake)
	s.Campaigns = all // also those that were left aside
	p.limitPublishing(t.Trigger.Key.Account, &s.files, len(s.Campaigns) > 0, ahead)
	if at, open := s.nextConclusion(t.Now); open && at.Before(wake) {
		wake = at
	}
	s.countEnded()
	if !s.isClockHolding() { // a report would tell of slots that are not decided yet
		if at, is := s.tellDue(t); is && at.Before(wake) {
			wake = at
		}
	}
	if at, is := s.nextEditLook(t.Now); is && at.Before(wake) {
		wake = at
	}
	if !lift.IsZero() && lift.Before(wake) {
		wake = lift
	}
	if len(s.Campaigns) > 0 || len(s.shifting) > 0 || len(s.open(func(e campaigns.Entry) bool { return e.State.Open() })) > 0 {
		wake = campaigns.LaterTime(wake, t.Now.Add(time.Second))
		if s.isClockHolding() { // by the clock on the wall it would be as late as that is set back
			t.After(wake.Sub(t.Now), next)
		} else {
			t.SetTimer(next, wake, nil)
		}
		t.SetTimer(watch, wake.Add(watchAfter), nil) //mutate:sick-follow
	}
	return s.save(ctx, t)
}

// decideDue decides the slots that are due, and returns when the next one is.
func (s *state) decideDue(ctx context.Context, t *bot.Turn) (wake time.Time, err error) {
	wake = t.Now
	for range mostLook {
		var due *campaigns.Verdict
		if due, wake, err = s.next(ctx, t); err != nil || due == nil {
			return wake, err
		}
		id, void := due.Slot.ID, due.Void
		if err := s.doFor(id.Campaign, func() error { return s.decide(ctx, t, id, void) }); err != nil {
			return wake, err
		}
	}
	return wake, nil
}

// next returns the slot that is to be looked at now, or else when one is.
func (s *state) next(ctx context.Context, t *bot.Turn) (due *campaigns.Verdict, wake time.Time, err error) {
	if why := catchPanic(func() { due, wake = s.upcoming(t.Now) }); why == nil {
		return due, wake, nil
	}
	if err := s.leaveOutUnplannable(ctx, t); err != nil {
		return nil, time.Time{}, err
	}
	due, wake = s.upcoming(t.Now)
	return due, wake, nil
}

// upcoming is next of campaigns that can be decided.
func (s *state) upcoming(now time.Time) (*campaigns.Verdict, time.Time) {
	wake, plain := now.Add(horizon), s.plain()
	for v, inTurn := range campaigns.Coming(&s.Account, now, now.Add(horizon)) {
		at := v.Wake()
		switch {
		case v.Void.Code != "":
			at = now
		case v.Held && !v.Approved && v.Kind == campaigns.Asks: // it waits for a person until then
			at = v.Deadline.Add(time.Second)
		}
		if again, waits := s.waits[v.Slot.ID]; waits {
			at = again
		}
		if !at.After(now) {
			due := v // alone: each of the others would be kept, too
			return &due, now
		}
		if at.Before(wake) {
			wake = at
		}
		if plain && inTurn && !v.Slot.Minute.Add(-time.Minute).Before(wake) {
			break // those behind are looked at later
		}
	}
	return nil, wake
}

// plain tells that all slots are looked at a minute before they leave at the earliest: people are asked for none, none is prepared,
// and none has been put off.
func (s *state) plain() bool {
	if len(s.waits) > 0 {
		return false
	}
	for _, c := range s.Campaigns {
		if c.Renews && s.Uses.Lifts != campaigns.Yes {
			return false // a renewal may be asked for
		}
		if slices.ContainsFunc(c.Items, func(i campaigns.Item) bool { return i.Status == campaigns.Ask }) {
			return false
		}
	}
	return len(s.open(func(e campaigns.Entry) bool { return e.State == campaigns.Prepared })) == 0
}

// decide decides a slot with what the platform says, and does it.
func (s *state) decide(ctx context.Context, t *bot.Turn, id campaigns.SlotID, void campaigns.Why) error {
	facts, looked := newFacts(), false
	for {
		s.hears(facts)
		v, there := campaigns.Find(&s.Account, id, facts.Facts, t.Now)
		if !there {
			s.waits[id] = t.Now.Add(time.Hour) // an edit has taken it away meanwhile
			return nil
		}
		if !looked && looksAtHands(&v, t.Now) {
			looked = true
			if err := s.readByHand(ctx, t, s.campaignByID(id.Campaign)); err != nil {
				return err
			}
			continue
		}
		if v.Kind != campaigns.Needs {
			if v.Void.Code == "" {
				v.Void = void
			}
			return s.do(ctx, t, facts, &v)
		}
		for _, n := range v.Need {
			if err := facts.read(ctx, t, s.campaignByID(id.Campaign), n, &s.Account); err != nil {
				return err
			}
			if err := s.noteMoving(ctx, t, facts, n.Post); err != nil {
				return err
			}
		}
	}
}

// hears remembers what was read of the platform itself.
func (s *state) hears(f facts) {
	s.Uses.Silent = f.isSilent(s.Uses.Silent)
	s.AccountFacts.Silent = s.Uses.Silent
}
