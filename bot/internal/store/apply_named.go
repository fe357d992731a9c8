package store

import (
	"context"
	"fmt"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
)

// An action whose key is a name does not say what started its turn: the table named does.

// naming are the statements of actions that have names.
type naming struct{ name, dropNamed statement }

func (n *naming) statementTexts() map[*statement]string {
	return map[*statement]string{
		&n.name:      `INSERT INTO named (shard, account, key, trigger_id) VALUES (?, ?, ?, ?) ON CONFLICT (shard, account, key) DO UPDATE SET trigger_id = excluded.trigger_id`,
		&n.dropNamed: `DELETE FROM named WHERE shard = ? AND account = ? AND key = ?`,
	}
}

// storeName stores what started the turn of an action that has a name. One that there was before makes the turn stale: it
// runs again, and finds it.
func (a *applier) storeName(t *Turn, x *record.Action, isNew bool) error {
	_, named := x.Name()
	switch {
	case !named || x.Held || x.TakenBack:
		return nil
	case !isNew: //mutate:own-named
		return ErrStale
	}
	return a.name.key(x.Account).str(x.Key).str(t.Trigger.ID()).do()
}

// forgetName forgets what started the turn of an action that goes, if it has a name.
func (a *applier) forgetName(account event.Account, key string) error {
	if !event.IsNamed(key) {
		return nil
	}
	return a.dropNamed.key(account).str(key).do()
}

const (
	selectNamer   = `SELECT trigger_id FROM named WHERE shard = $1 AND account = $2 AND key = $3`
	selectNamedBy = selectAction + `WHERE (shard, account, key) IN (SELECT shard, account, key FROM named INDEXED BY named_trigger
		WHERE shard = $1 AND account = $2 AND trigger_id >= $3 AND trigger_id < $4) LIMIT $5 + 0`
)

// TriggerOf returns the id of what started the turn of an action that has a name; "" for any other action.
func (in *Inspector) TriggerOf(ctx context.Context, account event.Account, key string) (string, error) {
	if !event.IsNamed(key) {
		return "", nil
	}
	var trigger string
	if _, err := in.queryOne(ctx, selectNamer, []any{&trigger}, account.Shard(), string(account), key); err != nil {
		return "", fmt.Errorf("read what led to %s of %s: %w", key, account, err)
	}
	return trigger, nil
}
