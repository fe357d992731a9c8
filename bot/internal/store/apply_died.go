package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// How often the process has died while a trigger ran alone stands in the list of those that were tried (see Tried), as the value in the place of "true":
// for every kind of trigger, also an event that has to be read anew, and until its turn is stored. Where workers share a database there stands, too, that
// it runs alone.

// Suspect is a trigger that may have ended its process, as far as it is stored.
type Suspect struct {
	Account event.Account `json:"-"`
	Trigger string        `json:"-"`
	Deaths  int           `json:"deaths,omitempty"` // how often the process died while it ran alone
	// The others are of workers that share a database.
	Rounds int  `json:"rounds,omitempty"` // how often it has begun to run alone
	Alone  bool `json:"alone,omitempty"`  // it runs alone, and does not wait for anything
}

// KeepSuspect stores what is known of a suspect, and returns when that is durable. A Write with it does the same without a wait.
func (w *Writer) KeepSuspect(ctx context.Context, s Suspect) error {
	return w.commitNow(ctx, Write{Suspect: &s})
}

// SuspectOf returns what is stored of a trigger in a fact of Tried.
func SuspectOf(account event.Account, f *event.Fact) Suspect {
	s := Suspect{Account: account, Trigger: f.Name}
	if json.Unmarshal(f.Value, &s.Deaths) != nil && json.Unmarshal(f.Value, &s) != nil {
		s.Deaths, s.Rounds, s.Alone = 0, 0, false // it was listed for another reason
	}
	return s
}

func (s *Suspect) value() string {
	if s.Rounds == 0 && !s.Alone {
		return strconv.Itoa(s.Deaths)
	}
	text, _ := json.Marshal(s) //nolint:errchkjson // numbers
	return string(text)
}

func (a *applier) storeSuspect(s *Suspect) error {
	list, err := a.triedOf(s.Account)
	if err != nil {
		return err
	}
	list[occurrencePlace(s.Trigger)] = s.Trigger
	return a.know.key(s.Account).str(Tried).str(s.Trigger).str(s.value()).at(time.Now()).do()
}

const selectHasTurn = `SELECT 1 FROM turn WHERE shard = $1 AND account = $2 AND id = $3`

// IsDecided reports whether the turn of a trigger is stored.
func (r *Reader) IsDecided(ctx context.Context, account event.Account, trigger string) (bool, error) {
	if id, err := event.ParseID(trigger); err == nil {
		stored, err := r.StoredEvents(ctx, account, []event.ID{id})
		return stored[id], err
	}
	var one int
	decided, err := r.queryOne(ctx, selectHasTurn, []any{&one}, account.Shard(), string(account), trigger)
	if err != nil {
		return false, fmt.Errorf("read whether %s is decided: %w", trigger, err)
	}
	return decided, nil
}
