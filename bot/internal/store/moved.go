package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/record"
)

// Which accounts have gone from a database, and which are on their way into it, stands in its table meta, by these
// beginnings of keys and the name of the account; "" is for all that there is.
const (
	GoneKey     = "gone/"
	ArrivingKey = "arriving/"
)

// What is asked about marks, and stored of them.
const (
	selectMarks = `SELECT key, value FROM meta WHERE key >= ? AND key < ? ORDER BY key`
	UpsertMark  = `INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`
	DeleteMark  = `DELETE FROM meta WHERE key = ?`
	isAway      = `SELECT key, value FROM meta WHERE key = $1 OR key = $2 OR key = $3`
)

// GoneMark is where an account has gone.
type GoneMark struct {
	To   string    `json:"to"`
	Move string    `json:"move"` // which move that was
	At   time.Time `json:"at"`
}

// ArrivingMark is how far an account has come that is on its way.
type ArrivingMark struct {
	From  string    `json:"from"`
	Move  string    `json:"move"`
	At    time.Time `json:"at"`              // when it began
	Whole bool      `json:"whole,omitempty"` // all of it is here, and was compared
	Table string    `json:"table,omitempty"` // the one of the last row that is here; of those before it all are
	Key   []KeyPart `json:"key,omitempty"`   // of that row; none: all of the table are here
}

// KeyPart is a part of the key of a row, as it is noted.
type KeyPart struct {
	Number int64  `json:"n,omitempty"`
	Text   []byte `json:"t,omitempty"` // any bytes, also no UTF-8
}

// markReader runs a statement that reads marks.
type markReader func(ctx context.Context, text string, args ...any) ([][]any, error)

// MarksOf reads marks, by their accounts.
func MarksOf[M any](ctx context.Context, ask markReader, kind string) (map[event.Account]M, error) {
	rows, err := ask(ctx, selectMarks, kind, kind[:len(kind)-1]+"0") // which is behind "/"
	if err != nil {
		return nil, fmt.Errorf("read what was moved: %w", err)
	}
	marks := map[event.Account]M{}
	for _, row := range rows {
		var m M
		if err := json.Unmarshal([]byte(bind.WordOf(row[1])), &m); err != nil {
			return nil, fmt.Errorf("read what was moved: %w", err)
		}
		marks[event.Account(bind.WordOf(row[0])[len(kind):])] = m
	}
	return marks, nil
}

// markReaderOf lets a querier be asked.
func markReaderOf(db seal.Querier) markReader {
	return func(ctx context.Context, text string, args ...any) (all [][]any, err error) {
		rows, err := db.QueryContext(ctx, text, args...) //nolint:rowserrcheck // walkRows does
		if err != nil {
			return nil, err
		}
		err = walkRows(ctx, rows, func(rows scanner) error {
			var key, value string
			err := rows.Scan(&key, &value)
			all = append(all, []any{key, value})
			return err
		})
		return all, err
	}
}

// CheckRemains makes sure that a bot may work on a database: that it was not moved elsewhere, and that nothing is on its way into
// it.
func CheckRemains(ctx context.Context, db seal.Querier) error {
	arriving, err := MarksOf[ArrivingMark](ctx, markReaderOf(db), ArrivingKey)
	if err != nil {
		return err
	}
	if len(arriving) > 0 { //mutate:arriving-refused
		return ArrivingErrorOf(arriving)
	}
	gone, err := MarksOf[GoneMark](ctx, markReaderOf(db), GoneKey)
	if err != nil {
		return err
	}
	if m, all := gone[""]; all { //mutate:moved-refused
		return &record.MovedError{To: m.To, At: m.At}
	}
	return nil
}

// ArrivingErrorOf makes an error of what is on its way; nil for nothing.
func ArrivingErrorOf(marks map[event.Account]ArrivingMark) error {
	e := &record.ArrivingError{}
	for account, m := range marks {
		e.Accounts = append(e.Accounts, account)
		e.From = max(e.From, m.From)
	}
	slices.Sort(e.Accounts)
	return e
}

// checkHere makes sure that what somebody decides about an account is decided where the account is.
func checkHere(ctx context.Context, db seal.Querier, account event.Account) error {
	rows, err := markReaderOf(db)(ctx, isAway, GoneKey, GoneKey+string(account), ArrivingKey+string(account))
	if err != nil {
		return fmt.Errorf("look where the account is: %w", err)
	}
	if len(rows) == 0 {
		return nil
	}
	key, value := bind.WordOf(rows[0][0]), []byte(bind.WordOf(rows[0][1]))
	var gone GoneMark
	var arriving ArrivingMark
	if strings.HasPrefix(key, ArrivingKey) {
		err = json.Unmarshal(value, &arriving)
	} else {
		err = json.Unmarshal(value, &gone)
	}
	switch {
	case err != nil:
		return fmt.Errorf("look where the account is: %w", err)
	case gone.To == "":
		return ArrivingErrorOf(map[event.Account]ArrivingMark{account: arriving})
	}
	return &record.MovedError{Account: event.Account(key[len(GoneKey):]), To: gone.To, At: gone.At}
}

// allHere is here for many accounts.
func allHere(ctx context.Context, db seal.Querier, accounts []event.Account) error {
	gone, err := MarksOf[GoneMark](ctx, markReaderOf(db), GoneKey)
	if err != nil {
		return err
	}
	arriving, err := MarksOf[ArrivingMark](ctx, markReaderOf(db), ArrivingKey)
	if err != nil || len(gone)+len(arriving) == 0 {
		return err
	}
	for _, account := range accounts {
		for _, name := range []event.Account{"", account} {
			if m, ok := gone[name]; ok {
				return &record.MovedError{Account: name, To: m.To, At: m.At}
			}
		}
		if m, ok := arriving[account]; ok {
			return ArrivingErrorOf(map[event.Account]ArrivingMark{account: m})
		}
	}
	return nil
}

// isElsewhere reports whether an error says that an account is not here, or not yet.
func isElsewhere(err error) bool {
	return errors.As(err, new(*record.MovedError)) || errors.As(err, new(*record.ArrivingError))
}

// CheckAway returns a MovedError when an account has gone from the database to another one, nil otherwise.
func (m *memory) CheckAway(account event.Account) error {
	if moved, gone := m.gone[account]; gone {
		return moved
	}
	return nil
}

// Gone returns where accounts have gone that were in the database, or all of it, as that of the account "".
func (r *Reader) Gone(ctx context.Context) (map[event.Account]*record.MovedError, error) {
	marks, err := MarksOf[GoneMark](ctx, markReaderOf(r.db), GoneKey)
	if err != nil {
		return nil, err
	}
	gone := map[event.Account]*record.MovedError{}
	for account, m := range marks {
		gone[account] = &record.MovedError{Account: account, To: m.To, At: m.At}
	}
	return gone, nil
}

// Arriving returns an ArrivingError when something is on its way into the database.
func (r *Reader) Arriving(ctx context.Context) error {
	marks, err := MarksOf[ArrivingMark](ctx, markReaderOf(r.db), ArrivingKey)
	if err != nil || len(marks) == 0 {
		return err
	}
	return ArrivingErrorOf(marks)
}
