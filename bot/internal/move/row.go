package move

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/internal/store"
)

// movedRow is a row on its way. Its sealed values are decrypted, so that the other database can seal them with its own key.
type movedRow struct {
	values []movedValue
	key    []any // room
}

// movedValue is a number, or a text of any bytes, which are good until the next row is read.
type movedValue struct {
	number int64
	text   []byte
	isText bool
	sealed bool // text is sealed, or the bytes of a session
}

// cells returns where the values stand that may be sealed.
func (r *movedRow) cells(t *movedTable, account event.Account) []seal.Cell {
	r.key = r.key[:0]
	for _, k := range t.keys {
		if v := &r.values[k]; v.isText {
			r.key = append(r.key, string(v.text))
		} else {
			r.key = append(r.key, v.number)
		}
	}
	also := int64(0)
	if t.also >= 0 {
		also = r.values[t.also].number
	}
	return t.cells(account, r.key, also)
}

// open opens what is sealed.
func (r *movedRow) open(v *seal.Vault, t *movedTable, account event.Account) error {
	var at []seal.Cell
	for i, c := range t.sealed {
		value := &r.values[c]
		if !value.sealed {
			continue
		}
		if at == nil {
			at = r.cells(t, account)
		}
		var text string
		var err error
		if at[i].Column == seal.SessionTokens && seal.NumberOf(value.text) == 0 && len(value.text) > 0 {
			text, err = v.Secret.OpenSession(account, value.text)
		} else {
			text, err = v.Open(at[i], value.text)
		}
		if err != nil {
			return fmt.Errorf("open what stands in the table %s of %q: %w", t.name, account, err)
		}
		value.text, value.sealed = []byte(text), false
	}
	return nil
}

// seal seals what is to be sealed; without a key it stays in the clear.
func (r *movedRow) seal(v *seal.Vault, t *movedTable, account event.Account) {
	if t.cells == nil {
		return
	}
	seals := v.IsSealing()
	var at []seal.Cell
	for i, c := range t.sealed {
		value := &r.values[c]
		if len(value.text) == 0 {
			continue
		}
		if at == nil {
			at = r.cells(t, account)
		}
		switch {
		case seals: //mutate:moved-sealed
			value.text, value.sealed = v.Seal(at[i], string(value.text)), true
		case at[i].Column == seal.SessionTokens:
			value.text, value.sealed = append([]byte{seal.ClearSession}, value.text...), true
		}
	}
}

// keyOf returns the key of a row behind shard and account.
func (r *movedRow) keyOf(t *movedTable) []store.KeyPart {
	key := make([]store.KeyPart, len(t.keys))
	for i, k := range t.keys {
		key[i] = store.KeyPart{Number: r.values[k].number, Text: bytes.Clone(r.values[k].text)}
	}
	return key
}

// hasKey reports whether the row has this key.
func (r *movedRow) hasKey(t *movedTable, key []store.KeyPart) bool {
	for i, k := range t.keys {
		if v := &r.values[k]; v.number != key[i].Number || !bytes.Equal(v.text, key[i].Text) {
			return false
		}
	}
	return true
}

// rowSum tells a set of rows from another one, in any order: how many there are, and the sum of the hashes of each.
type rowSum struct {
	rows      int64
	sequences [4]uint64
}

// summer makes such sums.
type summer struct{ room []byte }

// add adds a row, with what is open of it.
func (s *summer) add(to *rowSum, r *movedRow) {
	b := s.room[:0]
	for i := range r.values {
		if v := &r.values[i]; v.isText {
			b = binary.BigEndian.AppendUint64(append(b, 't'), uint64(len(v.text)))
			b = append(b, v.text...)
		} else {
			b = binary.BigEndian.AppendUint64(append(b, 'n'), uint64(v.number))
		}
	}
	s.room = b
	hash := sha256.Sum256(b)
	to.rows++
	for i := range to.sequences {
		to.sequences[i] += binary.BigEndian.Uint64(hash[8*i:])
	}
}
