package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// How often the process has died while a trigger ran alone stands in the list of those that were tried (see Tried), as the value in the place of "true":
// for every kind of trigger, also an event that has to be read anew, and until its turn is stored.

// died is a try that ended with the process.
type died struct {
	account event.Account
	trigger string
	tries   int
	at      time.Time
}

// CountDeath stores how many tries of a trigger the process has died of, and returns when that is durable.
func (w *Writer) CountDeath(ctx context.Context, account event.Account, trigger string, tries int) error {
	return w.commitNow(ctx, Write{died: &died{account, trigger, tries, time.Now()}})
}

// DeathsOf returns what CountDeath has stored in a fact of Tried; 0 for nothing.
func DeathsOf(f *event.Fact) (tries int) {
	if json.Unmarshal(f.Value, &tries) != nil {
		return 0 // it was listed for another reason
	}
	return tries
}

func (a *applier) storeDied(d *died) error {
	list, err := a.triedOf(d.account)
	if err != nil {
		return err
	}
	list[place(d.trigger)] = d.trigger
	return a.know.key(d.account).str(Tried).str(d.trigger).str(strconv.Itoa(d.tries)).at(d.at).do()
}

const selectHasTurn = `SELECT 1 FROM turn WHERE shard = $1 AND account = $2 AND id = $3`

// Decided reports whether the turn of a trigger is stored.
func (r *Reader) Decided(ctx context.Context, account event.Account, trigger string) (bool, error) {
	if id, err := event.ParseID(trigger); err == nil {
		stored, err := r.Stored(ctx, account, []event.ID{id})
		return stored[id], err
	}
	decided := false
	err := r.each(ctx, r.hasTurn, func(*sql.Rows) error {
		decided = true
		return nil
	}, account.Shard(), string(account), trigger)
	if err != nil {
		return false, fmt.Errorf("read whether %s is decided: %w", trigger, err)
	}
	return decided, nil
}
