package bot

import (
	"context"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
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
