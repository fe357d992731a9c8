package campaigns

import (
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
)

// One campaign must not stop the others of its account: one that cannot be decided is left aside until the next start, or the next edit.
// What panics anywhere else than in the plan has left half of something in the turn: that is thrown away, and the next try knows which
// campaign to leave out. A turn that fails for good is followed by another one.

const (
	watch      = "campaigns/watch" // the timer of the turn that follows one that has failed for good
	watchAfter = 10 * time.Minute
	watchAgain = time.Hour
)

// lookAnew lets slots be looked at anew: a turn that was to do so has not.
func (p *Plugin) lookAnew(_ context.Context, t *bot.Turn, _ event.Timer) error {
	t.Note("slots were to be looked at, and were not; they are now")
	t.SetTimer(next, t.Now, nil)
	t.After(watchAgain, watch)
	return nil
}

// doFor does something for a campaign. When it panics the turn fails, and comes again without the campaign.
func (s *state) doFor(id string, do func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			s.plugin.fell(s.account, id, fmt.Errorf("%v", r)) //mutate:sick-with
			s.plugin.cfg.Log.Error("a campaign cannot be decided", "account", s.account, "campaign", id, "panic", r, "stack", string(debug.Stack()))
			err = fmt.Errorf("the campaign %s cannot be decided: %v", id, r)
		}
	}()
	return do()
}

// fell remembers that something of a campaign panicked.
func (p *Plugin) fell(account event.Account, id string, why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fallen[account] == nil {
		p.fallen[account] = map[string]error{}
	}
	p.fallen[account][id] = why
}

// forgetPanics forgets what has panicked: the campaigns are written otherwise now.
func (p *Plugin) forgetPanics(account event.Account) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.fallen, account)
}

// leaveOutPanicked leaves out the campaigns of which something has panicked.
func (s *state) leaveOutPanicked(ctx context.Context, t *bot.Turn) error {
	s.plugin.mu.Lock()
	s.fallen = maps.Clone(s.plugin.fallen[s.account])
	s.plugin.mu.Unlock()
	if len(s.fallen) == 0 {
		return nil
	}
	return s.leave(ctx, t, func(c *campaigns.Campaign) error { return s.fallen[c.ID] })
}

// takeStock leaves out what has panicked, and takes over what others publish and what became of what was done.
func (s *state) takeStock(ctx context.Context, t *bot.Turn) error {
	if err := s.leaveOutPanicked(ctx, t); err != nil {
		return err
	}
	if err := s.readElsewhere(ctx, t); err != nil {
		return err
	}
	return s.concludeDone(ctx, t)
}

// leaveOutUnplannable leaves out the campaigns that cannot be planned.
func (s *state) leaveOutUnplannable(ctx context.Context, t *bot.Turn) error {
	return s.leave(ctx, t, func(c *campaigns.Campaign) error {
		alone := s.Account
		alone.Campaigns = []*campaigns.Campaign{c}
		return plans(&alone, t.Now)
	})
}

// leave leaves out campaigns, and tells people of each once.
func (s *state) leave(ctx context.Context, t *bot.Turn, out func(c *campaigns.Campaign) error) error {
	told, _, err := sickValue.Load(ctx, t)
	if err != nil {
		return err
	}
	known := len(told)
	s.Campaigns = slices.DeleteFunc(slices.Clone(s.Campaigns), func(c *campaigns.Campaign) bool {
		why := out(c)
		if why == nil {
			return false
		}
		t.Note("the campaign %s cannot be decided: %v", c.ID, why)
		if !slices.Contains(told, c.ID) {
			told = append(told, c.ID)
			t.Notify(event.Notice{Who: event.Everybody, Text: fmt.Sprintf("The campaign %s cannot be decided, which is a fault of this program: %v. It does not run; the others do.", c.ID, why)})
		}
		return true
	})
	if len(told) == known {
		return nil
	}
	return sickValue.Save(ctx, t, told)
}

// sickValue has the campaigns that people were told of.
var sickValue = bot.NewAccountValue[[]string](group, "sick")

// plans goes through the slots that come, and returns why that cannot be done; nil when it can.
func plans(a *campaigns.Account, now time.Time) error {
	return catchPanic(func() {
		for range campaigns.Plan(a, now, time.Time{}, now.Add(horizon)) { //nolint:revive // only whether it can be done counts
		}
	})
}

// catchPanic returns why something panicked; nil when it did not.
func catchPanic(do func()) (why error) {
	defer func() {
		if r := recover(); r != nil {
			why = fmt.Errorf("%v", r)
		}
	}()
	do()
	return nil
}
