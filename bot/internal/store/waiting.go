package store

import (
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/internal/reason"
	"github.com/nectar-bot/nectar/platform"
)

// Wait is what a turn means for who waits for a person of ours: see record.Waiting. That stands beside what it comes from, in the same commit.
type Wait struct {
	Does  WaitChange
	Words event.ID // the person's last words that it is about; for WaitDealtWith, up to which
	// Action is the key of an action that answers them, where nobody has these at hand; "" for Words. One that answers none changes nothing.
	Action string
	Said   time.Time    // when these were said; zero for when their event says; for WaitPutOff, until when it is put off
	Since  time.Time    // for WaitBegins: when the first of them was said
	Why    event.Reason // for WaitBegins
	Lasts  bool         // for WaitBegins: an answer of the bot to later words does not end it
}

// WaitChange is what becomes of a wait.
type WaitChange uint8

// The changes of a wait.
const (
	WaitBegins    WaitChange = iota + 1 // or goes on, with further words
	WaitAnswered                        // by the bot; a wait that lasts stays
	WaitDealtWith                       // by a person of ours, as far as that person has read
	WaitDone                            // a person of ours has said so, for any kind of wait
	WaitPutOff                          // until a time, or further words
)

// waiting are the statements about who waits.
type waiting struct {
	wait, waitFor, waitAnswered, waitDealt, waitDone, waitLater statement
	lapsing, lapsingHeld                                        statement
	whoWaits, turnWhy, wordsSaid                                statement
}

const (
	insertWaiting = `INSERT INTO waiting (shard, account, peer, since, source, number, said_at, why, lasts, later) `
	// Somebody who waits already goes on to wait since their first words, now for the last ones.
	stillWaiting = ` ON CONFLICT (shard, account, peer) DO UPDATE SET since = -max(-waiting.since, -excluded.since),
		source = CASE WHEN excluded.said_at >= waiting.said_at THEN excluded.source ELSE waiting.source END,
		number = CASE WHEN excluded.said_at >= waiting.said_at THEN excluded.number ELSE waiting.number END,
		why = CASE WHEN excluded.lasts >= waiting.lasts THEN excluded.why ELSE waiting.why END,
		said_at = max(waiting.said_at, excluded.said_at), lasts = max(waiting.lasts, excluded.lasts), later = 0`
	ofPeer            = ` WHERE shard = ? AND account = ? AND peer = ?`
	selectLapsing     = `SELECT key, peer, verb FROM action INDEXED BY action_due WHERE state = 'due' AND ` + isStale
	selectLapsingHeld = `SELECT key, peer, verb FROM action INDEXED BY action_open WHERE ` + isOpen + isStale + heldForIt
)

func (w *waiting) statementTexts() map[*statement]string {
	return map[*statement]string{
		&w.wait: insertWaiting + `VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0)` + stillWaiting,
		&w.waitFor: insertWaiting + `SELECT shard, account, peer, CASE WHEN said_at > 0 THEN said_at ELSE seen_at END, source, number,
			CASE WHEN said_at > 0 THEN said_at ELSE seen_at END, ?, ?, 0 FROM event WHERE shard = ? AND account = ? AND source = ? + 0 AND number = ?
			AND outcome <> 'left alone'` + stillWaiting, // who asked for silence, and is not told so, wants nothing
		// Of words of one place it is known which came first; of others, when they were said.
		&w.waitAnswered: `DELETE FROM waiting` + ofPeer + ` AND lasts = 0 AND (source = ? AND number <= ? OR source <> ? AND said_at <= ?)`,
		&w.wordsSaid:    `SELECT CASE WHEN said_at > 0 THEN said_at ELSE seen_at END FROM event WHERE shard = ? AND account = ? AND source = ? + 0 AND number = ?`,
		// Of messages it is known which came first; of what was written elsewhere, when.
		&w.waitDealt: `DELETE FROM waiting` + ofPeer + ` AND (source = 1 AND number < ? OR source <> 1 AND said_at <= ?)`,
		&w.waitDone:  `DELETE FROM waiting` + ofPeer,
		&w.waitLater: `UPDATE waiting SET later = ?` + ofPeer,
		&w.lapsing:   selectLapsing, &w.lapsingHeld: selectLapsingHeld,
		// What begins a key is the highest id up to it.
		&w.turnWhy:  `SELECT id, why FROM turn WHERE shard = ? AND account = ? AND id <= ? ORDER BY id DESC LIMIT 1`,
		&w.whoWaits: `SELECT peer FROM waiting WHERE shard = ? AND account = ? LIMIT ? + 0`,
	}
}

// storeWait stores what a turn means for who waits.
func (a *applier) storeWait(key event.Key, w *Wait) error {
	if w.Does == 0 {
		return nil
	}
	peer, words := int64(key.Peer), w.Words
	if w.Action != "" {
		var err error
		if words, err = a.wordsOf(key.Account, w.Action); err != nil || words == (event.ID{}) {
			return err
		}
	}
	if w.Does == WaitBegins {
		a.waiters.add(key)
		if w.Said.IsZero() {
			return a.waitFor.str(string(w.Why)).bool(w.Lasts).key(key.Account).int(int64(words.Source)).int(words.Number).do()
		}
		return a.wait.key(key.Account).int(peer).at(w.Since).int(int64(words.Source)).int(words.Number).at(w.Said).str(string(w.Why)).bool(w.Lasts).do()
	}
	if may, err := a.mayWait(key); err != nil || !may {
		return err
	}
	switch w.Does {
	case WaitAnswered:
		said := bind.ToMicros(w.Said)
		if w.Said.IsZero() {
			st := &a.wordsSaid
			if _, err := st.key(key.Account).int(int64(words.Source)).int(words.Number).each(func() { said = st.columnNumber(0) }); err != nil {
				return err
			}
		}
		return a.waitAnswered.key(key.Account).int(peer).int(int64(words.Source)).int(words.Number).int(int64(words.Source)).int(said).do()
	case WaitDealtWith:
		return a.waitDealt.key(key.Account).int(peer).int(words.Number).at(w.Said).do()
	case WaitPutOff:
		return a.waitLater.at(w.Said).key(key.Account).int(peer).do()
	default:
		return a.waitDone.key(key.Account).int(peer).do()
	}
}

// failedAnswer makes a person wait when the action that was to answer their words has failed. An action that answers nobody changes nothing.
func (a *applier) failedAnswer(key event.Key, action string, state event.State) error {
	why := event.Because(record.WaitsFailed, "action", action, "state", state.String())
	return a.storeWait(key, &Wait{Does: WaitBegins, Action: action, Why: why})
}

// WhyAnswers is the reason of a timer's turn that answers the words of an event.
const WhyAnswers event.ReasonCode = "turn.answers"

// wordsOf returns the words that an action answers: those of its trigger, or what its trigger's turn says; the zero ID when it answers nobody.
func (a *applier) wordsOf(account event.Account, action string) (event.ID, error) {
	trigger, _, _ := strings.Cut(action, "/")
	if id, err := event.ParseID(trigger); err == nil {
		if id.Source == event.Deliveries { //mutate:delivery-words
			return event.ID{}, nil // which nobody has said
		}
		return id, nil
	}
	var words event.ID
	st := &a.turnWhy
	_, err := st.key(account).str(action).each(func() {
		if why := event.Reason(st.columnWord(1)); why.Code() == WhyAnswers && strings.HasPrefix(action, st.columnWord(0)+"/") {
			words, _ = event.ParseID(why.Param("words"))
		}
	})
	return words, err
}

// isFailedAnswer reports whether what a mark stores was to be said, and was not, by nobody's decision.
func isFailedAnswer(m *outbox.Mark) bool {
	return m.Says != 0 && isFailed(m.State) && (m.State != event.StateWithdrawn || !reason.IsNeedless(m.Why))
}

// lapsed is an action that is withdrawn together with others.
type lapsed struct {
	key  event.Key
	id   string
	verb event.Verb
}

// failAnswers makes people wait when st, which withdraws several actions at once, has withdrawn their answers.
func (a *applier) failAnswers(account event.Account, st *statement) error {
	var gone []lapsed
	if _, err := st.each(func() {
		gone = append(gone, lapsed{event.Key{Account: account, Peer: platform.UserID(st.columnNumber(1))}, st.columnWord(0), event.Verb(st.columnWord(2))})
	}); err != nil {
		return err
	}
	for _, x := range gone {
		if !x.verb.Makes() {
			continue
		}
		if err := a.failedAnswer(x.key, x.id, event.StateWithdrawn); err != nil {
			return err
		}
	}
	return nil
}

// mostWaiters is of how many people of an account it is remembered that they may wait.
const mostWaiters = 50_000

// waiters are the people who may wait, by account, for the accounts that were asked for. Nearly everybody is not among them, and has no wait to end.
type waiters map[event.Account]*waitersOf

type waitersOf struct {
	all   bool // too many to remember
	peers map[platform.UserID]struct{}
}

// add notes that a person waits from now on.
func (w waiters) add(key event.Key) {
	of := w[key.Account]
	if of == nil {
		return
	}
	if of.peers[key.Peer] = struct{}{}; len(of.peers) > mostWaiters {
		of.all, of.peers = true, map[platform.UserID]struct{}{}
	}
}

// mayWait reports whether a person may wait.
func (a *applier) mayWait(key event.Key) (bool, error) {
	of := a.waiters[key.Account]
	if of == nil {
		of = &waitersOf{peers: map[platform.UserID]struct{}{}}
		st := &a.whoWaits
		if _, err := st.key(key.Account).int(mostWaiters + 1).each(func() { of.peers[platform.UserID(st.columnNumber(0))] = struct{}{} }); err != nil {
			return false, err
		}
		of.all = len(of.peers) > mostWaiters
		a.waiters[key.Account] = of
	}
	_, is := of.peers[key.Peer]
	return of.all || is, nil
}
