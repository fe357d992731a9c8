package bot

import (
	"context"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"time"

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
	s, err := &site{clock: newClockWatch(b.log, a.BaseURL)}, error(nil)
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

// What has a time goes by the clock on the wall of this machine: slots, hours, latest departures, approvals. A machine whose clock is
// hours off – one that starts two systems, a small one without a battery, one that was restored from an image – does everything at the
// wrong hour, and nobody sees why. So it is compared with what the platform says.

// clockTolerance is by how much clocks may differ: nothing depends on less.
const clockTolerance = 2 * time.Minute

// clockWatch tells people that the clock of this machine is not the one of a platform.
type clockWatch struct {
	log      *slog.Logger
	platform string

	mu   sync.Mutex    // guards the fields below
	odd  time.Duration // what was heard last, when it was odd and is to be confirmed
	told time.Duration // what the log says
	sure bool          // most is known
	most time.Duration // the furthest that this machine was ahead
}

func newClockWatch(log *slog.Logger, platform string) *clockWatch {
	return &clockWatch{log: log, platform: platform}
}

// noteAhead is told by how much this machine is ahead. What is odd counts when it is heard twice: an answer that was read much later than it
// came, since the machine slept, is as odd as a wrong clock.
func (w *clockWatch) noteAhead(ahead time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.odd
	w.odd = 0
	switch {
	case ahead.Abs() < clockTolerance:
		w.sureLocked(ahead)
		if w.told != 0 {
			w.told = 0
			w.log.Info("the clock of this machine agrees with the one of the platform again", "platform", w.platform)
		}
	case w.told != 0 && (ahead-w.told).Abs() < clockTolerance:
		w.sureLocked(ahead)
	case before == 0 || (ahead-before).Abs() >= clockTolerance: //mutate:clock-twice
		w.odd = ahead
	default:
		w.sureLocked(ahead)
		w.told = ahead
		w.notifyAhead(ahead)
	}
}

// sureLocked notes by how much this machine is ahead, as two answers have it, or one that is not odd.
func (w *clockWatch) sureLocked(ahead time.Duration) {
	if !w.sure || ahead > w.most {
		w.sure, w.most = true, ahead
	}
}

// earliestTime returns when a moment was at the earliest by the clock of the platform, of which this machine's clock has told when it was: who
// has to know whether it was before something that the platform dates is on the safe side with that, also when the clock was set since.
func (w *clockWatch) earliestTime(at time.Time) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.sure {
		return at.Add(-w.odd)
	}
	return at.Add(-max(w.most, w.odd)) //mutate:clock-earliest
}

func (w *clockWatch) notifyAhead(ahead time.Duration) {
	about := []any{"platform", w.platform, "by", ahead.Abs().Round(time.Second)}
	if ahead < 0 {
		w.log.Warn("the clock of this machine is behind the one of the platform: what has a time comes that much too late; set the clock", about...)
		return
	}
	w.log.Warn("the clock of this machine is ahead of the one of the platform: what has a time comes that much too early; set the clock", about...)
}
