package rival

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform"
)

// LookEvery is how often a Watch has to look; see Watch.LookAgain.
const LookEvery = 500 * time.Millisecond

const (
	aloneAfter   = 30 * time.Second // how long what is held has to wait, at least, before it counts as not answered
	alonePolls   = 8                // and so many middle pauses between polls: a rival polls as we do
	aloneLonger  = 5                // and up to so many times longer: two that have both stopped do not go on at one moment
	aloneEvery   = 10 * time.Second // between looks, and up to twice that: two that have stopped at one moment do not look at the same ones
	aloneUnheard = 30 * time.Second // so long without a good read, nobody would be heard
	manyWaiting  = 256              // actions that are looked at
)

// lookAfter is how soon a chat is read again after an answer, while a rival is suspected.
var lookAfter = []time.Duration{500 * time.Millisecond, 2 * time.Second}

// look is a chat that is to be read at a time.
type look struct {
	peer platform.UserID
	at   time.Time
}

// NoteSent notes that a message was sent. While a rival is suspected, its chat is read soon, so that it is known whether
// another answer came within seconds: the chat list, which shows the same text, does not tell.
func (w *Watch) NoteSent(peer platform.UserID) {
	until := w.alert.Load()
	if until == 0 { // nobody was ever suspected
		return
	}
	if now := time.Now(); now.UnixMicro() < until { //mutate:rival-look
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, d := range lookAfter {
			w.looks = append(w.looks, look{peer, now.Add(d)})
		}
	}
}

// dueLocked takes the chats that are to be read now.
func (w *Watch) dueLocked(now time.Time) (peers []platform.UserID) {
	rest := w.looks[:0]
	for _, l := range w.looks {
		if l.at.After(now) {
			rest = append(rest, l)
		} else {
			peers = append(peers, l.peer)
		}
	}
	w.looks = rest
	return peers
}

// LookAgain does what is to be done about rivals at this moment.
func (w *Watch) LookAgain(ctx context.Context) {
	now := time.Now()
	w.mu.Lock()
	peers, unsaved := w.dueLocked(now), w.unsaved
	w.unsaved = nil
	every := aloneEvery + aloneEvery*time.Duration(w.drawLot()&1023)/1024
	check := !w.Stopped.IsZero() && !w.Proven && now.Sub(w.checked) >= every
	if check {
		if now.Round(0).Sub(w.checked.Round(0)) >= 3*aloneEvery { // nobody has looked: it was at work, or the machine has slept
			w.unheard = now.UnixMicro()
		}
		w.checked = now
	}
	stands := standing{Rivalry: w.Rivalry}
	w.mu.Unlock()
	if len(peers) > 0 {
		w.ReadSoon(peers)
	}
	for _, t := range unsaved {
		t.Known = stands.toFacts(now) // as it is by now
		w.save(t)
	}
	if !check { //mutate:rival-alone
		return
	}
	if alone, err := w.isAlone(ctx, now, &stands); err != nil || !alone {
		return // what cannot be read now is read later
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tellLocked(ctx, w.noteAlone(now), now)
}

// isAlone reports whether nobody answers what this bot holds, in as many conversations as it takes to stop. Only those
// count in which it has said nothing lately: a rival would leave the others to a person.
func (w *Watch) isAlone(ctx context.Context, now time.Time, stopped *standing) (bool, error) {
	patience := max(aloneAfter, alonePolls*w.PollInterval)
	patience += patience * aloneLonger * time.Duration(stopped.drawLot()>>10) / 1024
	if !w.hearsOthers(now, patience) {
		return false, nil // what others have said may be there
	}
	waiting, err := w.Store.DueActions(ctx, w.Account, now.Add(-patience), nil, manyWaiting)
	talks := map[platform.UserID]bool{}
	for i := 0; i < len(waiting) && len(talks) < rivalTalks && err == nil; i++ {
		x := &waiting[i]
		if x.Verb != event.VerbMessage || !strings.HasPrefix(x.Key, event.Messages.String()+":") || talks[x.Peer] {
			continue
		}
		var fresh bool
		//mutate:rival-fresh
		if fresh, err = w.saidNothing(ctx, x.Conversation(), now); fresh {
			talks[x.Peer] = true
		}
	}
	return len(talks) >= rivalTalks, err
}

// hearsOthers reports whether somebody else's answers would have been heard for as long as patience. While the platform is away nobody answers: two
// bots that have both stopped would take each other for gone the moment that it is back.
func (w *Watch) hearsOthers(now time.Time, patience time.Duration) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	good := true
	for _, h := range w.Health() {
		if h.Source != event.Messages {
			continue
		}
		good = h.Failures == 0 && h.Unhealthy == ""
		//mutate:rival-unheard
		if now.Sub(h.LastGood) > max(aloneUnheard, alonePolls*w.PollInterval) {
			w.unheard = now.UnixMicro()
		}
	}
	return good && now.Sub(time.UnixMicro(w.unheard)) > patience
}

// saying is what people are told of news.
type saying struct {
	level        slog.Level
	code         event.ReasonCode // "": it stands in the log alone
	text, advice string
	resumes      bool // the advice ends with how a person lets this account go on
}

var sayings = map[news]saying{
	stops: {
		slog.LevelError, event.WhyRivalStops, "another bot answers on this account: this one has stopped by itself, and nothing of it leaves here",
		"end one of the two; if this one is to stay: ", true,
	},
	warns: {
		slog.LevelWarn, event.WhyRivalWarns, "another bot answers on this account: this one goes on, the other one should stop by itself",
		"end the other one; if that one is to stay, end this one and let it go on there: ", true,
	},
	insists: {
		slog.LevelWarn, event.WhyRivalStays, "another bot answers on this account: this one goes on, since it was told to or nobody else had answered",
		"end the other one", false,
	},
	proves: {
		slog.LevelWarn, "", "another bot answers on this account what this one holds, since it has stopped",
		"end one of the two; if this one is to stay: ", true,
	},
	returns: {
		slog.LevelWarn, event.WhyRivalGone, "nobody else answers on this account any more: this one goes on",
		"make sure that no other bot signs in as this account", false,
	},
}

// tellLocked does what follows from news, stores it, and tells people.
func (w *Watch) tellLocked(ctx context.Context, what news, now time.Time) {
	says := what
	switch what {
	case noNews:
		return
	case stops:
		w.Halt() //mutate:rival-halt
	case leads:
		says = warns
		w.goOnLocked()
	case returns:
		w.goOnLocked()
	default:
	}
	s := sayings[says]
	if s.resumes {
		s.advice += w.resumeCommand()
	}
	w.Log.Log(ctx, s.level, s.text, "account", w.Account, "do", s.advice) //nolint:sloglint // it is one of the sayings
	trigger := event.Trigger{Kind: event.ByRequest, Key: event.Key{Account: w.Account}, Choice: fmt.Sprintf("%s/%d/%d", Fact, what, now.UnixMicro())}
	turn := &store.Turn{Trigger: trigger, Known: w.toFacts(now), Record: event.DecisionRecord{Outcome: store.Handled, Note: s.text}, At: now}
	if s.code != "" {
		host, _ := os.Hostname() // it only helps to find the bot
		d := event.Details{Why: event.Because(s.code), Over: what == returns}
		if s.resumes {
			d.Do = w.resumeCommand()
		}
		turn.Notices = []event.Notice{{
			Account: w.Account, ID: trigger.ID() + "/0", Who: event.Everybody, At: now,
			Kind: event.CallSecondBot, Details: d.Encode(),
			Text: fmt.Sprintf("From the bot on %s, account %s: %s. Please %s.", host, w.Account, s.text, s.advice),
		}}
	}
	w.save(turn)
}

// save stores a turn about the account itself. What the store refuses is tried again by the next look.
func (w *Watch) save(turn *store.Turn) {
	w.Store.Commit(store.Write{Turn: turn, Done: func(r store.Receipt) {
		if r.Err != nil {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.unsaved = append(w.unsaved, turn)
		}
	}})
}
