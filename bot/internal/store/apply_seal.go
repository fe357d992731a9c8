package store

import (
	"time"

	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/seal"
)

// sealing are the statements of the sealer.
type sealing struct {
	progressed, retire statement
	reseals            []statement // of seal.Tables
}

func (s *sealing) statementTexts() map[*statement]string {
	if s.reseals == nil {
		s.reseals = make([]statement, len(seal.Tables))
	}
	all := map[*statement]string{
		&s.progressed: `INSERT INTO sealing (number, looked, done_at) VALUES (?, ?, ?) ON CONFLICT (number) DO UPDATE SET looked = excluded.looked, done_at = excluded.done_at`,
		// A secret leaves with the newest key alone: where the next one has come meanwhile, this process has still to take that into use.
		&s.retire: `DELETE FROM seal_key WHERE number < ?1 OR leaves = 1 AND ?1 = (SELECT max(number) FROM seal_key)`,
	}
	for i := range seal.Tables {
		all[&s.reseals[i]] = seal.Tables[i].ChangeStatement()
	}
	return all
}

// storeProgress seals rows, unless they have changed meanwhile: then they are sealed with the newest key. When all
// is sealed, the other keys go.
func (a *applier) storeProgress(p *sealProgress) error {
	p.values = 0
	for i := range p.rows {
		row := &p.rows[i]
		st := &a.reseals[row.table]
		for k := range row.Old {
			if row.Fresh[k] != nil {
				st.addSealed(row.Fresh[k])
			} else {
				st.value(&row.Old[k])
			}
		}
		for _, k := range row.Key {
			st.any(k)
		}
		for k := range row.Old {
			st.value(&row.Old[k])
		}
		if err := st.runThen(func(n int64) { p.values += n * row.Changes }); err != nil {
			return err
		}
	}
	doneAt := int64(0)
	if p.done { //mutate:retire
		doneAt = time.Now().UnixMicro()
		if a.emptying == nil {
			a.emptying = &erasing{} // the log has what was there before
		}
		if err := a.retire.int(int64(p.number)).do(); err != nil {
			return err
		}
	}
	return a.progressed.int(int64(p.number)).int(p.looked).int(doneAt).do()
}

// value adds a value as it was read.
func (s *statement) value(v *seal.Value) {
	if v.Sealed != nil {
		s.addSealed(v.Sealed)
	} else {
		s.str(v.Text)
	}
}

// any adds a part of a key.
func (s *statement) any(v any) *statement {
	if n, ok := v.(int64); ok {
		return s.int(n)
	}
	return s.str(bind.WordOf(v))
}
