package bot

import (
	"context"
	"net/url"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/budget"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/platform"
)

// site is a platform, for all accounts there.
type site struct {
	client *platform.Client // without a session
	clock  *clockWatch
}

// siteOf returns an account's platform.
func (b *Bot) siteOf(a *Account) (*site, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s := b.sites[canonicalBase(a.BaseURL)]; s != nil {
		return s, nil
	}
	s, err := &site{clock: &clockWatch{log: b.log, platform: a.BaseURL, changed: b.tellClock}}, error(nil)
	s.client, err = platform.New(platform.Config{
		BaseURL: a.BaseURL, Transport: b.cfg.Transport, Timeout: b.cfg.RequestTimeout, AllowPlainHTTP: a.AllowPlainHTTP,
		MaxList: b.cfg.ListLimit, Limiter: b.hostLimiter(a.BaseURL), Clock: s.clock.noteAhead,
	})
	if err == nil {
		b.sites[canonicalBase(a.BaseURL)] = s
	}
	return s, err
}

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
