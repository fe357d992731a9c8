package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/platform"
)

// selfFact is the name of the fact that says which user an account is on its platform.
const selfFact = "self"

// Self says which user an account is on its platform.
type Self struct {
	Account  event.Account   `json:"-"`
	Platform string          `json:"platform"` // its base address, in one spelling
	User     platform.UserID `json:"user"`
}

// ErrBrokenSelf is the error of an account with a self that cannot be read, while those of others can.
var ErrBrokenSelf = errors.New("decode who")

const selectSelves = `SELECT account, value, read_at FROM fact WHERE trigger_id = '` + ofAccount + `' AND name = '` + selfFact + `' AND read_at >= $1`

// SelvesSince returns who accounts are, of all workers, as far as that was enrolled at a time or later; zero for all. newest is the time of
// the last one. What cannot be decoded of one account hides none of the others: they come beside the error.
func (r *Reader) SelvesSince(ctx context.Context, since time.Time) (all []Self, newest time.Time, err error) {
	var broken error
	newest = since
	err = r.eachRare(ctx, selectSelves, func(rows scanner) error {
		var account event.Account
		var value seal.Value
		var at int64
		if err := rows.Scan(&account, &value, &at); err != nil {
			return err
		}
		text, err := value.TextFrom(r.vault, seal.FactValue.CellWithin(account, ofAccount, selfFact))
		self := Self{Account: account}
		if err == nil {
			err = json.Unmarshal([]byte(text), &self)
		}
		if err != nil {
			if broken == nil {
				broken = fmt.Errorf("%w %s is: %w", ErrBrokenSelf, account, err)
			}
			return nil
		}
		all = append(all, self)
		// At that time or later, next time: of two that were enrolled at one moment the second one may be stored after this look.
		if t := bind.FromMicros(at); t.After(newest) {
			newest = t
		}
		return nil
	}, bind.ToMicros(since))
	if err != nil {
		return nil, since, fmt.Errorf("read who the accounts are: %w", err)
	}
	return all, newest, broken
}

// ReadSelves returns who the accounts are, which are looked up one by one. What cannot be decoded of one account hides none of the others: they
// come beside the error.
func (r *Reader) ReadSelves(ctx context.Context) (all []Self, err error) {
	accounts, err := r.Accounts(ctx)
	if err != nil {
		return nil, err
	}
	var broken error
	for _, account := range accounts {
		f, ok, err := r.Known(ctx, account, selfFact)
		switch self := (Self{Account: account}); {
		case err != nil:
			return nil, fmt.Errorf("read who %s is: %w", account, err)
		case !ok:
		case json.Unmarshal(f.Value, &self) != nil:
			broken = fmt.Errorf("%w %s is", ErrBrokenSelf, account)
		default:
			all = append(all, self)
		}
	}
	return all, broken
}

// StoreSelf stores who an account is, for later starts and for the other workers.
func (w *Writer) StoreSelf(s Self) {
	value, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Sprintf("an address and a number do not encode: %v", err)) // cannot happen
	}
	w.Commit(Write{Known: &Known{Account: s.Account, Fact: event.Fact{Name: selfFact, Value: value, ReadAt: time.Now()}}, Done: func(Receipt) {}})
}
