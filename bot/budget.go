package bot

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/budget"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/platform"
)

// hostOf returns the host of a base address, as a budget names it: with a port only where it is an odd one.
func hostOf(base string) string {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil {
		return base
	}
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if port == "" || u.Scheme == "https" && port == "443" || u.Scheme == "http" && port == "80" {
		return host
	}
	return host + ":" + port
}

// Budget is how many requests each host of the platform gets from a process, or from all workers together: what acts goes first.
// nil is no limit.
type Budget struct{ hosts *budget.Budget }

// NewBudget returns a budget of so many requests a second for each host; 0 for any number.
func NewBudget(perSecond float64) *Budget { return &Budget{budget.New(perSecond)} }

// Rate returns how many requests a second a host gets from all, as this process is set; 0 for any number.
func (b *Budget) Rate() float64 { return b.hosts.Rate() }

// hostBudget returns the budget of the host at a base address; nil for none.
func (b *Bot) hostBudget(base string) *budget.Host {
	if b.cfg.Budget == nil {
		return nil
	}
	return b.cfg.Budget.hosts.HostAt(hostOf(base))
}

// hostLimiter returns the same as a client takes it.
func (b *Bot) hostLimiter(base string) platform.Limiter {
	if h := b.hostBudget(base); h != nil {
		return h
	}
	return nil
}

// Budgets returns how the budget of each host is used that has a limit.
func (b *Bot) Budgets() []event.HostUse {
	if b.cfg.Budget == nil {
		return nil
	}
	return b.cfg.Budget.hosts.UsageCounts()
}

// shareEntrance lets accounts that have never signed in do so no faster than is this process's part of that.
func (c *Config) shareEntrance() {
	if c.Budget != nil && c.Entrance != nil {
		c.Entrance.ShareBy(func(home string) float64 { return c.Budget.hosts.ShareFraction(hostOf(home)) })
	}
}

// activeSoon is how soon something of an account must come due for the account to be active.
const activeSoon = time.Minute

// flowsLooked is how many conversations are looked at for a flow.
const flowsLooked = 16

// IsActive reports whether something goes on with an account, beside what was read lately: a timer rings, something is to leave soon, or
// a conversation is in the middle of a flow.
func (a *account) IsActive() bool {
	a.timers.mu.Lock()
	rings := a.timers.ahead > 0
	a.timers.mu.Unlock()
	return rings || a.outbox.AtWork(activeSoon) || a.lanes.inFlow()
}

// inFlow reports whether a conversation is in the middle of a flow, as far as a short look tells.
func (ls *lanes) inFlow() bool {
	looks := flowsLooked
	ls.mu.Lock()
	defer ls.mu.Unlock()
	for _, l := range ls.of {
		if looks--; looks < 0 {
			return false
		}
		if conv := l.conv.Load(); conv != nil && conv.Flow.Flow != "" {
			return true
		}
	}
	return false
}

// pollBudget returns what an account's polls wait for; nil for nothing.
func (a *account) pollBudget() poll.Budget {
	if a.polls == nil {
		return nil
	}
	return a.polls
}

// sharedBudget is a budget as workers share it.
type sharedBudget struct{ *budget.Budget }

// Wishes implements lease.Budget.
func (s sharedBudget) Wishes() (all []lease.Wish) {
	for _, w := range s.Budget.Wishes() {
		all = append(all, lease.Wish{Host: w.Host, Acts: w.Acts, Polls: w.Polls})
	}
	return all
}

var _ lease.Budget = sharedBudget{}

// slots bounds the requests in flight of one account.
type slots struct{ free chan struct{} }

func newSlots(n int) *slots { return &slots{make(chan struct{}, n)} }

// Acquire waits for a slot as long as ctx allows.
func (s *slots) Acquire(ctx context.Context) error {
	if s.try() {
		return nil
	}
	select {
	case s.free <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// try takes a slot, if one is free.
func (s *slots) try() bool {
	select {
	case s.free <- struct{}{}:
		return true
	default:
		return false
	}
}

// Release gives a slot back.
func (s *slots) Release() { <-s.free }

// actSlots are an account's slots as those take them that do not poll: while they wait, the polls that have the slots need not wait
// behind those of other accounts.
type actSlots struct {
	*slots
	polls *budget.Polls // nil: the host has no budget
}

// Acquire waits for a slot as long as ctx allows.
func (s actSlots) Acquire(ctx context.Context) error {
	if s.polls == nil || !s.polls.IsLimited() {
		return s.slots.Acquire(ctx)
	}
	if s.try() {
		return nil
	}
	defer s.polls.LetHurry()()
	return s.slots.Acquire(ctx)
}
