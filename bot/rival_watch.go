package bot

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform"
)

const (
	rivalPause   = 500 * time.Millisecond // between looks at what is to be done about rivals
	aloneAfter   = 30 * time.Second       // how long what is held has to wait, at least, before it counts as not answered
	alonePolls   = 8                      // and so many middle pauses between polls: a rival polls as we do
	aloneLonger  = 5                      // and up to so many times longer: two that have both stopped do not go on at one moment
	aloneEvery   = 10 * time.Second       // between looks, and up to twice that: two that have stopped at one moment do not look at the same ones
	aloneUnheard = 30 * time.Second       // so long without a good read, nobody would be heard
	manyWaiting  = 256                    // actions that are looked at
)

// lookAfter is how soon a chat is read again after an answer, while a rival is suspected.
var lookAfter = []time.Duration{500 * time.Millisecond, 2 * time.Second}

// look is a chat that is to be read at a time.
type look struct {
	peer platform.UserID
	at   time.Time
}

// noteSent notes that a message was sent. While a rival is suspected, its chat is read soon, so that it is known whether
// another answer came within seconds: the chat list, which shows the same text, does not tell.
func (r *rivals) noteSent(peer platform.UserID) {
	until := r.alert.Load()
	if until == 0 { // nobody was ever suspected
		return
	}
	if now := time.Now(); now.UnixMicro() < until { //mutate:rival-look
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, d := range lookAfter {
			r.looks = append(r.looks, look{peer, now.Add(d)})
		}
	}
}

// dueLocked takes the chats that are to be read now.
func (r *rivals) dueLocked(now time.Time) (peers []platform.UserID) {
	rest := r.looks[:0]
	for _, l := range r.looks {
		if l.at.After(now) {
			rest = append(rest, l)
		} else {
			peers = append(peers, l.peer)
		}
	}
	r.looks = rest
	return peers
}

// watchRivals does what is to be done about rivals, every now and then, until ctx is done.
func (b *Bot) watchRivals(ctx context.Context) {
	runEvery(ctx, rivalPause, func() { b.eachAtWork(func(a *account) { a.watch(ctx) }) })
}

func (a *account) watch(ctx context.Context) {
	r, now := &a.rivals, time.Now()
	r.mu.Lock()
	peers, unsaved := r.dueLocked(now), r.unsaved
	r.unsaved = nil
	every := aloneEvery + aloneEvery*time.Duration(r.lot()&1023)/1024
	check := !r.Stopped.IsZero() && !r.Proven && now.Sub(r.checked) >= every
	if check {
		if now.Round(0).Sub(r.checked.Round(0)) >= 3*aloneEvery { // nobody has looked: it was at work, or the machine has slept
			r.unheard = now.UnixMicro()
		}
		r.checked = now
	}
	stopped := r.Rivalry
	var known []event.Fact
	if len(unsaved) > 0 { // which is rare, and this runs each second for each account
		known = r.toFacts(now)
	}
	r.mu.Unlock()
	for _, p := range peers {
		a.poller.NoteTouched(p)
	}
	if len(peers) > 0 {
		a.bot.schedule.MakeDue(a.poller)
	}
	for _, t := range unsaved {
		t.Known = known
		a.save(t)
	}
	if !check { //mutate:rival-alone
		return
	}
	if alone, err := a.isAlone(ctx, now, stopped); err != nil || !alone {
		return // what cannot be read now is read later
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	a.tellLocked(r.noteAlone(now), now)
}

// isAlone reports whether nobody answers what this bot holds, in as many conversations as it takes to stop. Only those
// count in which it has said nothing lately: a rival would leave the others to a person.
func (a *account) isAlone(ctx context.Context, now time.Time, stopped Rivalry) (bool, error) {
	patience := max(aloneAfter, alonePolls*a.cfg.withDefaults(a.bot.cfg).PollInterval)
	patience += patience * aloneLonger * time.Duration(stopped.lot()>>10) / 1024
	if !a.hearsOthers(now, patience) {
		return false, nil // what others have said may be there
	}
	waiting, err := a.bot.store.DueActions(ctx, a.name, now.Add(-patience), nil, manyWaiting)
	talks := map[platform.UserID]bool{}
	for i := 0; i < len(waiting) && len(talks) < rivalTalks && err == nil; i++ {
		x := &waiting[i]
		if x.Verb != event.VerbMessage || !strings.HasPrefix(x.Key, event.Messages.String()+":") || talks[x.Peer] {
			continue
		}
		var fresh bool
		//mutate:rival-fresh
		if fresh, err = a.saidNothing(ctx, x.Conversation(), now); fresh {
			talks[x.Peer] = true
		}
	}
	return len(talks) >= rivalTalks, err
}

// hearsOthers reports whether somebody else's answers would have been heard for as long as patience. While the platform is away nobody answers: two
// bots that have both stopped would take each other for gone the moment that it is back.
func (a *account) hearsOthers(now time.Time, patience time.Duration) bool {
	r := &a.rivals
	r.mu.Lock()
	defer r.mu.Unlock()
	good := true
	for _, h := range a.poller.Health() {
		if h.Source != event.Messages {
			continue
		}
		good = h.Failures == 0 && h.Unhealthy == ""
		//mutate:rival-unheard
		if now.Sub(h.LastGood) > max(aloneUnheard, alonePolls*a.cfg.withDefaults(a.bot.cfg).PollInterval) {
			r.unheard = now.UnixMicro()
		}
	}
	return good && now.Sub(time.UnixMicro(r.unheard)) > patience
}

// lot returns 20 bits that are other ones for another bot, which has stopped for another answer: even for neighbours they are wide apart.
func (r *Rivalry) lot() uint64 { return uint64(r.Answer) * 0x9e3779b97f4a7c15 >> 44 }

// saidNothing reports whether this bot has said nothing in a conversation for as long as it would be left to a person.
func (a *account) saidNothing(ctx context.Context, key event.Key, now time.Time) (bool, error) {
	said, err := a.bot.store.SaidSince(ctx, key, now.Add(-max(a.bot.cfg.TakeoverFor, 0)))
	for i := range said {
		if said[i].State == event.StateDone {
			return false, err
		}
	}
	return err == nil, err
}

// notePoll takes note of a poll.
func (a *account) notePoll(r event.PollResult, err error) {
	if err == nil {
		a.rivals.notePoll(r)
	}
	a.bot.cfg.Observe(a.name, r, err)
}

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
