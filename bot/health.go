package bot

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// Health says how well a source of an account is heard.
type Health struct {
	Account event.Account
	event.SourceHealth
}

// Health returns how well each source of each account is heard: the accounts in the order of the
// configuration, of each one messages, notifications and mentions. It may be called at any time; there is
// nothing before Ready is closed.
func (b *Bot) Health() []Health {
	select {
	case <-b.ready:
	default:
		return nil
	}
	all := make([]Health, 0, 3*len(b.accounts.all()))
	b.eachAtWork(func(a *account) {
		for _, h := range a.poller.Health() {
			all = append(all, Health{a.name, h})
		}
	})
	return all
}

// healthEvery is how often the watchdog looks.
const healthEvery = time.Minute

// watchHealth is the watchdog: it says once when a source becomes unhealthy, and once when it hears again, and ends the calls of a poll
// that is stuck.
func (b *Bot) watchHealth(ctx context.Context) {
	ticker := time.NewTicker(healthEvery)
	defer ticker.Stop()
	unhealthy := unhealthiness{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			b.report(ctx, unhealthy.newChanges(b.Health()))
			b.eachAtWork(func(a *account) {
				if n := a.poller.EndStuck(); n > 0 { //mutate:stuck-watched
					b.log.WarnContext(ctx, "a poll is stuck: its calls are ended, and it begins anew", "account", a.name, "calls", n)
				}
			})
		}
	}
}

// report logs what changed.
func (b *Bot) report(ctx context.Context, changes []change) {
	for _, c := range changes {
		if c.Unhealthy == "" {
			b.log.InfoContext(ctx, "a source is heard again", "account", c.Account, "sources", c.names(), "after", time.Since(c.UnhealthySince).Round(time.Second))
			continue
		}
		args := []any{"account", c.Account, "sources", c.names(), "why", c.Unhealthy, "since", c.UnhealthySince, "do", c.Advice()}
		if c.Cause != "" {
			args = append(args, "err", c.Cause)
		}
		b.log.WarnContext(ctx, "a source is unhealthy: nothing new is heard from it", args...)
	}
}

// unhealthiness is what the watchdog has said.
type unhealthiness map[sourceKey]Health

type sourceKey struct {
	account event.Account
	source  event.Source
}

// change is sources of one account that become unhealthy for one reason, or hear again: then Unhealthy is empty, and
// UnhealthySince says since when they had not.
type change struct {
	Health
	sources []event.Source
}

func (c change) names() string {
	names := make([]string, len(c.sources))
	for i, s := range c.sources {
		names[i] = s.String()
	}
	return strings.Join(names, ",")
}

// newChanges returns what is new since the last call. A source that is unhealthy for another reason is still unhealthy.
func (u unhealthiness) newChanges(now []Health) []change {
	var changes []change
	for _, h := range now {
		k := sourceKey{h.Account, h.Source}
		before, was := u[k]
		switch {
		case (h.Unhealthy != "") == was:
			continue
		case was:
			delete(u, k)
			h.UnhealthySince = before.UnhealthySince
		default:
			u[k] = h
		}
		same := func(c change) bool { return c.Account == h.Account && c.Unhealthy == h.Unhealthy }
		i := slices.IndexFunc(changes, same)
		if i < 0 {
			i = len(changes)
			changes = append(changes, change{Health: h})
		}
		changes[i].sources = append(changes[i].sources, h.Source)
	}
	maps.DeleteFunc(u, func(k sourceKey, _ Health) bool { // its account has gone
		return !slices.ContainsFunc(now, func(h Health) bool { return h.Account == k.account && h.Source == k.source })
	})
	return changes
}
