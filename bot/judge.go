package bot

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/recorder"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/session"
)

const (
	// goneAfter is how long nothing of an account can be read before that is told: a call that fails, or a restart over there, is over by then.
	goneAfter = time.Minute
	// judgedNamed is how many accounts are named that are not well: with all of them, a judgement would not fit where it is kept.
	judgedNamed = 200
	saysMost    = 300 // of what is said of one thing, in letters
)

// judge keeps since when something has not been well.
type judge struct {
	kept  string    // what whoever looks at the database can see; it belongs to Bot.startBeat
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
	now, heard := time.Now(), map[event.Account][]event.SourceHealth{}
	for _, h := range b.Health() {
		heard[h.Account] = append(heard[h.Account], h.SourceHealth)
	}
	j, all := record.Judgement{Version: store.Version(), Seen: now, Process: b.processTroubles()}, map[event.Account][]record.Trouble{}
	for _, a := range b.accounts.all() {
		if found := append(a.troubles(heard[a.name], now, b.judge.began), b.overdues.accountTroubles(a.name)...); len(found) > 0 {
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
	if b.cfg.Troubles != nil {
		all = append(all, b.cfg.Troubles()...)
	}
	return all
}

// troubles returns what is not well with the account. A pause that a person has asked for is none.
func (a *account) troubles(sources []event.SourceHealth, now, began time.Time) (all []record.Trouble) {
	if a.isStopped() {
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

// keepJudgement puts how all stands where whoever looks at the database can see it, when that has changed.
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
	for len(text) > recorder.MostVerdict { // whoever is left out counts among the others
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
