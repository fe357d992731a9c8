package move

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
)

// carryAccount brings an account into the target, and compares it there with what it was.
func (m *mover) carryAccount(ctx context.Context, f *leaving, t *traveller) error {
	t.sums = make([]rowSum, len(m.tables))
	l := &loading{mover: m, t: t}
	start := slices.IndexFunc(m.tables, func(x movedTable) bool { return x.name == t.mark.Table }) // -1 for none
	for i := range m.tables {
		if err := l.copyTable(ctx, f, i, start); err != nil {
			return fmt.Errorf("copy the table %s: %w", m.tables[i].name, l.failed(ctx, err))
		}
	}
	if err := l.keep(ctx, len(m.tables)-1, nil); err != nil {
		return l.failed(ctx, err)
	}
	for i := range m.tables {
		same, err := m.compare(ctx, t, i)
		if err == nil && !same {
			err = m.repairTable(ctx, f, t, i)
		}
		if err != nil {
			return fmt.Errorf("compare the table %s: %w", m.tables[i].name, err)
		}
	}
	return nil
}

// loading stores the rows of an account, some with a commit.
type loading struct {
	*mover
	t       *traveller
	begun   bool // a transaction
	filling bool // a table
	rows    int  // since the last commit
}

// copyTable copies a table, from where it was interrupted.
func (l *loading) copyTable(ctx context.Context, f *leaving, i, start int) error {
	x, sum := &l.tables[i], &l.t.sums[i]
	there := i < start || i == start && l.t.mark.Key == nil // all of it
	skips := there || i == start
	if !skips && !l.t.fresh {
		if err := l.clear(ctx, x); err != nil {
			return err
		}
	}
	err := f.read(ctx, x, l.t.account, func(row *movedRow) error {
		l.sumRow(x, sum, row)
		if skips {
			skips = there || !row.hasKey(x, l.t.mark.Key)
			return nil
		}
		return l.put(ctx, i, row)
	})
	if err != nil {
		return err
	}
	return l.filled()
}

// sumRow takes a row into the sum of its table.
func (m *mover) sumRow(x *movedTable, sum *rowSum, row *movedRow) {
	m.sums.add(sum, row)
	if x.version >= 0 {
		if v := row.values[x.version].text; !m.named[string(v)] {
			m.named[string(v)] = true
		}
	}
	m.said.Done++
	m.tell()
}

// put stores a row.
func (l *loading) put(ctx context.Context, i int, row *movedRow) error {
	x := &l.tables[i]
	if err := l.beginCopy(ctx); err != nil {
		return err
	}
	if !l.filling {
		if err := l.to.fillTable(ctx, x); err != nil {
			return err
		}
		l.filling = true
	}
	l.rows++
	if l.rows < l.Step {
		return l.to.put(x, l.t.account, row)
	}
	key := row.keyOf(x) // before it is sealed
	if err := l.to.put(x, l.t.account, row); err != nil {
		return err
	}
	if err := l.filled(); err != nil {
		return err
	}
	return l.keep(ctx, i, key)
}

func (l *loading) beginCopy(ctx context.Context) error {
	if l.begun {
		return nil
	}
	err := l.to.begin(ctx)
	l.begun = err == nil
	return err
}

func (l *loading) filled() error {
	if !l.filling {
		return nil
	}
	l.filling = false
	return l.to.endFilling()
}

func (l *loading) clear(ctx context.Context, x *movedTable) error {
	if err := l.beginCopy(ctx); err != nil {
		return err
	}
	_, err := l.to.queryRows(ctx, x.clear(), int64(l.t.account.Shard()), string(l.t.account))
	return err
}

// keep makes last what was stored, with how far that is.
func (l *loading) keep(ctx context.Context, i int, key []store.KeyPart) error {
	l.rows = 0
	if !l.begun {
		return nil
	}
	l.t.mark.Table, l.t.mark.Key = l.tables[i].name, key
	// In the transaction of the rows: a mark ahead of them would skip rows for good, one behind would copy what is there already.
	if err := l.noteProgress(ctx, l.t); err != nil {
		return err
	}
	l.begun = false
	return l.Around(func() error { return l.to.commit(ctx) })
}

// failed takes back what is not stored yet.
func (l *loading) failed(ctx context.Context, err error) error {
	if l.begun {
		_ = l.to.rollback(context.WithoutCancel(ctx)) // the first error says it all
	}
	return err
}

// noteProgress notes in the target how far an account is.
func (m *mover) noteProgress(ctx context.Context, t *traveller) error {
	value, err := json.Marshal(t.mark)
	if err != nil {
		return err
	}
	_, err = m.to.queryRows(ctx, store.UpsertMark, store.ArrivingKey+string(t.account), string(value))
	return err
}

// compare reports whether the rows of a table are in the target as they were read.
func (m *mover) compare(ctx context.Context, t *traveller, i int) (bool, error) {
	var there rowSum
	err := m.to.read(ctx, &m.tables[i], t.account, func(row *movedRow) error {
		m.sums.add(&there, row)
		m.said.Checked++
		m.tell()
		return nil
	})
	return there == t.sums[i], err //mutate:move-compared
}

// repairs is how often a table is copied again that is not the same.
const repairs = 3

// repairTable copies a table again: the rows in the target were older, or the source has changed meanwhile.
func (m *mover) repairTable(ctx context.Context, f *leaving, t *traveller, i int) error {
	x := &m.tables[i]
	for range repairs {
		t.sums[i] = rowSum{}
		err := atOnce(ctx, m.to, m.Around, func() error {
			if _, err := m.to.queryRows(ctx, x.clear(), int64(t.account.Shard()), string(t.account)); err != nil {
				return err
			}
			if err := m.to.fillTable(ctx, x); err != nil {
				return err
			}
			err := f.read(ctx, x, t.account, func(row *movedRow) error {
				m.sumRow(x, &t.sums[i], row)
				return m.to.put(x, t.account, row)
			})
			if err != nil {
				return err
			}
			return m.to.endFilling()
		})
		if err != nil {
			return err
		}
		if same, err := m.compare(ctx, t, i); err != nil || same {
			return err
		}
	}
	return fmt.Errorf("%s: %w", f.name(), errUnsteady)
}

// tells is how many rows are looked at between two words about them.
const tells = 1000

// tell tells how far it is.
func (m *mover) tell() {
	if (m.said.Done+m.said.Checked)%tells == 0 {
		m.Say(m.said)
	}
}

// rowsOf returns the sum of a table of an account as it is now.
func (m *mover) rowsOf(ctx context.Context, s side, i int, account event.Account) (sum rowSum, err error) {
	err = s.read(ctx, &m.tables[i], account, func(row *movedRow) error {
		m.sums.add(&sum, row)
		return nil
	})
	return sum, err
}
