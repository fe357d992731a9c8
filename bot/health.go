package bot

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/recorder"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/session"
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
	if !b.isReady() {
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

// Standing is how an account stands.
type Standing struct {
	Account event.Account
	Session session.State
	Stopped bool // nothing of it leaves, since another bot answers on it; see RivalryOf
}

// Standing returns how the accounts stand, in the order of the configuration. It asks nobody, and may be called at any
// time.
func (b *Bot) Standing() []Standing {
	accounts := b.accounts.all()
	all := make([]Standing, len(accounts))
	for i, a := range accounts {
		all[i] = Standing{Account: a.name, Session: a.broker.State(), Stopped: a.rivals.IsStopped()}
	}
	return all
}

const (
	// goneAfter is how long nothing of an account can be read before that is told: a call that fails, or a restart over there, is over by then.
	goneAfter = time.Minute
	// judgedNamed is how many accounts are named that are not well: with all of them, a judgement would not fit where it is kept.
	judgedNamed = 200
	saysMost    = 300 // of what is said of one thing, in letters
)

// judge keeps since when something has not been well.
type judge struct {
	kept  string    // what a command that looks at the database can see; it belongs to Bot.startBeat
	began time.Time // set by New

	mu    sync.Mutex // guards the field below
	since map[judged]time.Time
}

// judged names a thing that is not well.
type judged struct {
	account event.Account
	code    event.ReasonCode
	subject string
}

// Judgement returns how the process and its accounts stand. It asks nobody, and may be called at any time.
func (b *Bot) Judgement() record.Judgement {
	now := time.Now()
	j, all := record.Judgement{Version: store.Version(), Seen: now, Process: b.processTroubles()}, map[event.Account][]record.Trouble{}
	for _, a := range b.accounts.all() {
		if found := append(a.troubles(a.heardSources(), now, b.judge.began), b.overdues.accountTroubles(a.name)...); len(found) > 0 {
			all[a.name] = found
		}
	}
	b.judge.date(j.Process, all, now)
	if len(all) == 0 {
		return j
	}
	j.Accounts = all
	for i, name := range j.Names() {
		if i >= judgedNamed {
			delete(all, name)
			j.More++
		}
	}
	return j
}

// heardSources returns how well each source of the account is heard; nothing before Ready is closed. It is one account's alone: of thousands
// at once it would be megabytes, with each sign of life.
func (a *account) heardSources() []event.SourceHealth {
	if !a.bot.isReady() || !a.beginWork() {
		return nil
	}
	defer a.endWork()
	return a.poller.Health()
}

// isReady reports whether Ready is closed.
func (b *Bot) isReady() bool {
	select {
	case <-b.ready:
		return true
	default:
		return false
	}
}

// date says since when something has not been well that does not tell itself.
func (j *judge) date(process []record.Trouble, accounts map[event.Account][]record.Trouble, now time.Time) {
	lasting := map[judged]time.Time{}
	j.mu.Lock()
	defer j.mu.Unlock()
	of := func(account event.Account, all []record.Trouble) {
		for i := range all {
			t := &all[i]
			if t.Says = shortened(t.Says); t.Since.IsZero() {
				key := judged{account, t.Why.Code(), t.Why.Param("source")}
				t.Since = cmp.Or(j.since[key], now)
				lasting[key] = t.Since
			}
			t.Since = t.Since.UTC().Truncate(time.Second)
		}
	}
	of("", process)
	for account, all := range accounts {
		of(account, all)
	}
	j.since = lasting
}

func shortened(text string) string {
	if letters := []rune(text); len(letters) > saysMost {
		return string(letters[:saysMost]) + "…"
	}
	return text
}

// processTroubles returns what is not well with all accounts at once.
func (b *Bot) processTroubles() (all []record.Trouble) {
	if since := b.store.Faulty(); !since.IsZero() {
		all = append(all, record.Trouble{
			Why: event.Because(record.TroubleStore), Since: since, Says: "the database takes no writes: nothing new is handled until it does",
			Do: "make room on the disk, or find out what is wrong with it",
		})
	}
	all = append(all, store.DiskTrouble(b.store.FolderPath())...)
	all = append(all, b.clockTroubles()...)
	if b.cfg.Troubles != nil {
		all = append(all, b.cfg.Troubles()...)
	}
	return all
}

// troubles returns what is not well with the account. A pause that a person has asked for is none.
func (a *account) troubles(sources []event.SourceHealth, now, began time.Time) (all []record.Trouble) {
	if a.rivals.IsStopped() {
		all = append(all, record.Trouble{
			Why: event.Because(record.TroubleSecondBot), Says: "another bot answers on it, and nothing of it leaves here", Do: "end one of the two; if this one is to stay: nectar accounts resume " + string(a.name),
		})
	}
	s := a.broker.State()
	if s.Phase == session.Parked || s.Phase == session.Paused && errors.Is(s.Err, platform.ErrBadCredentials) {
		return append(all, record.Trouble{
			Why: event.Because(record.TroubleRefused, "by", refusedBy(s.Err)), Says: "it cannot sign in: " + errorText(s.Err), Do: "give it what it needs to sign in; nectar doctor tries",
		})
	}
	if t, gone := unreadTrouble(sources, now, began); gone {
		if s.Phase == session.Paused {
			t.Says, t.Why = "it has no session, and nothing of it can be read: "+errorText(s.Err), event.Because(record.TroubleSession)
		}
		return append(all, t)
	}
	for i := range sources {
		if h := &sources[i]; h.Unhealthy != "" {
			all = append(all, record.Trouble{
				Why: event.Because(record.TroubleUnhealthy, "source", h.Source.String()), Since: h.UnhealthySince,
				Says: fmt.Sprintf("its %s are not heard: %s", h.Source, cmp.Or(h.Cause, h.Unhealthy)), Do: h.Advice(),
			})
		}
	}
	return all
}

// refusedBy names what an account cannot sign in with: its password, its token, one of somebody else, or none.
func refusedBy(err error) string {
	parked, is := errors.AsType[*session.ParkedError](err)
	switch {
	case err == nil:
		return "none"
	case !is:
		return "password"
	case parked.Other.ID != 0:
		return "another"
	case parked.Provider != "":
		return "token"
	}
	return "none"
}

// unreadTrouble reports whether nothing of an account can be read any more.
func unreadTrouble(sources []event.SourceHealth, now, began time.Time) (t record.Trouble, gone bool) {
	last, cause, failing := time.Time{}, "", false
	for i := range sources {
		h := &sources[i]
		if h.LastGood.After(last) {
			last = h.LastGood
		}
		failing, cause = failing || h.Failures > 0, cmp.Or(cause, h.Cause)
	}
	since := cmp.Or(last, began)
	if !failing || now.Sub(since) < goneAfter {
		return t, false
	}
	return record.Trouble{
		Why: event.Because(record.TroubleGone), Since: since, Says: "the platform cannot be read" + after(": ", cause),
		Do: "look whether the platform answers; nothing is lost, and reading goes on by itself once it does",
	}, true
}

func after(between, text string) string {
	if text == "" {
		return ""
	}
	return between + text
}

func errorText(err error) string {
	if err == nil {
		return "it has no session"
	}
	if p, ok := errors.AsType[*session.PausedError](err); ok { // not when it tries next, which changes all the time
		return p.Err.Error()
	}
	return err.Error()
}

// keepJudgement puts how all stands where a command that looks at the database can see it, when that has changed.
func (b *Bot) keepJudgement(ctx context.Context, r *recorder.Recorder) {
	j := b.Judgement()
	j.Seen = time.Time{} // the sign of life beside it says that
	text, err := json.Marshal(j)
	if err != nil {
		panic(err) // texts, times and numbers always encode
	}
	whole := string(text)
	if whole == b.judge.kept {
		return
	}
	for len(text) > recorder.MostVerdict { // an account that is left out counts among the others
		for name := range j.Accounts {
			delete(j.Accounts, name)
			j.More++
			break
		}
		if text, err = json.Marshal(j); err != nil {
			panic(err)
		}
	}
	if err := r.SetVerdict(text); err == nil && ctx.Err() == nil {
		b.judge.kept = whole
	}
}

// Free returns how many bytes are free on the disk of the database; false where that is not known, or not a file.
func (b *Bot) Free() (uint64, bool) {
	dir := b.store.FolderPath()
	if dir == "" {
		return 0, false
	}
	return store.Free(dir)
}
