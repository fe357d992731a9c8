package bot

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
)

const rivalChoice = "rival/" // the decisions about a rival, with what is decided and when

// What people are told about a rival.
const (
	saysStopped = "another bot answers on this account: this one has stopped by itself, and nothing of it leaves here"
	saysGoesOn  = "another bot answers on this account: this one goes on, the other one should stop by itself"
	saysInsists = "another bot answers on this account: this one goes on, since it was told to or nobody else had answered"
	saysProven  = "another bot answers on this account what this one holds, since it has stopped"
	saysReturns = "nobody else answers on this account any more: this one goes on"
)

// logNews says news in the log, and returns the text, what to do about it, and as what people of ours are told; "" when they are not.
func (a *account) logNews(ctx context.Context, what news) (text, advice string, why event.ReasonCode) {
	log, resume := a.bot.log.With("account", a.name), "nectar accounts resume "+string(a.name)
	switch what {
	case stops:
		advice = "end one of the two; if this one is to stay: " + resume
		log.ErrorContext(ctx, saysStopped, "do", advice)
		return saysStopped, advice, event.WhyRivalStops
	case warns, leads:
		advice = "end the other one; if that one is to stay, end this one and let it go on there: " + resume
		log.WarnContext(ctx, saysGoesOn, "do", advice)
		return saysGoesOn, advice, event.WhyRivalWarns
	case insists:
		advice = "end the other one"
		log.WarnContext(ctx, saysInsists, "do", advice)
		return saysInsists, advice, event.WhyRivalStays
	case returns:
		advice = "make sure that no other bot signs in as this account"
		log.WarnContext(ctx, saysReturns, "do", advice)
		return saysReturns, advice, event.WhyRivalGone
	default: // proves
		advice = "end one of the two; if this one is to stay: " + resume
		log.WarnContext(ctx, saysProven, "do", advice)
		return saysProven, advice, ""
	}
}

// tellLocked does what follows from news, stores it, and tells people.
func (a *account) tellLocked(what news, now time.Time) {
	switch what {
	case noNews:
		return
	case stops:
		a.outbox.HaltAll() //mutate:rival-halt
	case leads, returns:
		a.goOnLocked()
	default:
	}
	text, advice, why := a.logNews(a.term, what)
	trigger := event.Trigger{
		Kind: event.ByRequest, Key: event.Key{Account: a.name}, Choice: fmt.Sprintf("%s%d/%d", rivalChoice, what, now.UnixMicro()),
	}
	turn := &store.Turn{Trigger: trigger, Known: a.rivals.toFacts(now), Record: event.DecisionRecord{Outcome: OutcomeHandled, Note: text}, At: now}
	if why != "" {
		host, _ := os.Hostname() // it only helps to find the bot
		d := event.Details{Why: event.Because(why), Over: what == returns}
		if why == event.WhyRivalStops || why == event.WhyRivalWarns {
			d.Do = "nectar accounts resume " + string(a.name)
		}
		turn.Notices = []event.Notice{{
			Account: a.name, ID: trigger.ID() + "/0", Who: event.Everybody, At: now,
			Kind: event.CallSecondBot, Details: d.Encode(),
			Text: fmt.Sprintf("From the bot on %s, account %s: %s. Please %s.", host, a.name, text, advice),
		}}
	}
	a.save(turn)
}

// goOnLocked lets actions leave again, unless something else keeps them.
func (a *account) goOnLocked() {
	p := a.currentPauses()
	if a.rivals.Stopped.IsZero() && a.rivals.twin == "" && (p == nil || p.Account == nil) { //mutate:paused-and-rival
		a.outbox.Resume(a.term)
	} else if a.rivals.Stopped.IsZero() && a.rivals.twin == "" {
		a.outbox.OnlyPaused()
	}
}

// isStopped reports whether nothing of the account leaves.
func (a *account) isStopped() bool {
	a.rivals.mu.Lock()
	defer a.rivals.mu.Unlock()
	return !a.rivals.Stopped.IsZero() || a.rivals.twin != ""
}

// toFacts returns how the account stands, as it is stored.
func (r *rivalry) toFacts(now time.Time) []event.Fact {
	value, err := json.Marshal(r.Rivalry)
	if err != nil {
		panic(err) // times and truths always encode
	}
	return []event.Fact{{Name: rivalryFact, Value: value, ReadAt: now}}
}

// save stores a turn about the account itself. What the store refuses is tried again.
func (a *account) save(turn *store.Turn) {
	a.bot.store.Commit(store.Write{Turn: turn, Done: func(r store.Receipt) {
		if r.Err != nil {
			a.rivals.mu.Lock()
			defer a.rivals.mu.Unlock()
			a.rivals.unsaved = append(a.rivals.unsaved, turn)
		}
	}})
}

// restoreRivalry takes up how the account stood in an earlier incarnation.
func (a *account) restoreRivalry(ctx context.Context) error {
	was, err := RivalryOf(ctx, a.bot.store, a.name)
	if err != nil {
		return err
	}
	a.rivals.mu.Lock()
	defer a.rivals.mu.Unlock()
	a.rivals.Rivalry, a.rivals.began = was, time.Now().Round(0)
	if !was.Stopped.IsZero() { //mutate:rival-restore
		a.outbox.HaltAll()
		a.bot.log.Warn("the account is still stopped, since another bot answers on it: nothing of it leaves here", "account", a.name,
			"since", was.Stopped, "do", "make sure that the other one has ended, then: nectar accounts resume "+string(a.name))
	}
	return nil
}

// letGo lets the account go on because a person wants that.
func (a *account) letGo(q *event.Request) {
	now := time.Now()
	a.rivals.mu.Lock()
	defer a.rivals.mu.Unlock()
	then := rivalry{Rivalry: a.rivals.Rivalry}
	note := fmt.Sprintf("%s was not stopped", a.name)
	if then.resume(now) {
		note = fmt.Sprintf("%s goes on", a.name)
	}
	note += fmt.Sprintf("; whatever other bots do, it does not stop by itself until %s", then.Spared.UTC().Format(time.RFC3339))
	turn := &store.Turn{Trigger: q.Trigger(), Known: then.toFacts(now), Record: event.DecisionRecord{Outcome: OutcomeHandled, Note: note}, At: now}
	a.bot.store.Commit(store.Write{Turn: turn, Done: func(r store.Receipt) {
		a.rivals.mu.Lock()
		defer a.rivals.mu.Unlock()
		if r.Err == nil && !r.Dropped {
			a.bot.log.Info("an account goes on, since a person wants that", "account", a.name, "spared_until", then.Spared)
			a.rivals.resume(now)
			a.goOnLocked() //mutate:rival-resume
		}
		a.requests.done(q)
	}})
}
