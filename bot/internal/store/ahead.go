package store

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/sourcegraph/conc/pool"
)

// Ahead is what the beginnings of many terms will read first, read for all of them at once. Each answer is given as often as it was
// asked for, to nobody else, and not any more when its term has begun: by then it may have changed. nil is nothing.
type Ahead struct{ of map[event.Account]*answers }

// WithAnswers returns a context for the beginning of a term, with which an answer that is there is not asked for again. done forgets them.
func (a *Ahead) WithAnswers(ctx context.Context, account event.Account) (_ context.Context, done func()) {
	if a == nil || a.of[account] == nil {
		return ctx, func() {}
	}
	of := a.of[account]
	return context.WithValue(ctx, aheadKey{}, of), of.forgetAnswers
}

type aheadKey struct{}

// answers are those about an account, by what was asked.
type answers struct {
	mu    sync.Mutex // guards the field below
	given map[string]*answer
}

// answer is what a statement has found.
type answer struct {
	uses int
	rows [][]any
}

// takeAnswer returns an answer that is there; nil when there is none.
func (a *answers) takeAnswer(text string, args []any) *readRows {
	a.mu.Lock()
	defer a.mu.Unlock()
	got := a.given[question(text, args[min(len(args), ofTerm):])]
	if got == nil || got.uses == 0 {
		return nil
	}
	got.uses--
	return &readRows{rows: got.rows}
}

func (a *answers) forgetAnswers() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.given = nil
}

// ofTerm is how many parameters say which account it is: the first ones.
const ofTerm = 2

// question names what was asked about an account.
func question(text string, args []any) string {
	var b strings.Builder
	b.WriteString(text)
	for _, v := range args {
		if _, is := v.(bind.Instant); is {
			// Each beginning has an instant of its own, and asks the same by it. As read, the answer is of the instant of who asked for all.
			b.WriteString("\x00now")
			continue
		}
		fmt.Fprintf(&b, "\x00%T%v", v, v)
	}
	return b.String()
}

// asking notes what the beginning of a term asks about an account.
type asking struct {
	account event.Account
	asked   []*asked
}

// asked is a statement about an account.
type asked struct {
	text string
	args []any // behind those that say which account
	name string
	uses int
}

func (a *asking) noteQuery(text string, args []any) {
	if len(args) < ofTerm || args[0] != a.account.Shard() || args[1] != string(a.account) {
		return // it is about something else, and is read by each
	}
	name := question(text, args[ofTerm:])
	if i := slices.IndexFunc(a.asked, func(q *asked) bool { return q.name == name }); i >= 0 {
		a.asked[i].uses++
		return
	}
	a.asked = append(a.asked, &asked{text: text, args: args[ofTerm:], name: name, uses: 1})
}

// readAhead returns the rows of a statement that need not be asked for; nil when they have to be. While it is found out what a beginning asks, there
// are none.
func (r *Reader) readAhead(ctx context.Context, text string, args []any) resultRows {
	if !r.server {
		return nil
	}
	switch a := ctx.Value(aheadKey{}).(type) {
	case *asking:
		a.noteQuery(text, args)
		return &readRows{}
	case *answers:
		if rows := a.takeAnswer(text, args); rows != nil {
			return rows
		}
	}
	return nil
}

// readRows are rows that were read before.
type readRows struct {
	rows [][]any
	row  []any
}

// Next goes to the next row.
func (r *readRows) Next() bool {
	if len(r.rows) == 0 {
		return false
	}
	r.row, r.rows = r.rows[0], r.rows[1:]
	return true
}

// Scan reads the row.
func (r *readRows) Scan(dest ...any) error {
	for i, d := range dest {
		if err := assignColumn(d, r.row[i]); err != nil {
			return fmt.Errorf("column %d: %w", i, err)
		}
	}
	return nil
}

// Err tells nothing: that the rows were read went well.
func (r *readRows) Err() error { return nil }

// Close does nothing.
func (r *readRows) Close() error { return nil }

// assignColumn puts a number, a text or bytes into what dest points to, as database/sql does.
func assignColumn(dest, v any) error {
	if s, is := dest.(sql.Scanner); is {
		return s.Scan(v)
	}
	if b, is := v.([]byte); is {
		v = bytes.Clone(b) // the answer may be given again
	}
	to, from := reflect.ValueOf(dest).Elem(), reflect.ValueOf(v)
	switch n, isNumber := v.(int64); {
	case isNumber && to.CanInt() && !to.OverflowInt(n):
		to.SetInt(n)
	case isNumber && to.CanUint() && n >= 0 && !to.OverflowUint(uint64(n)):
		to.SetUint(uint64(n))
	case isNumber && to.Kind() == reflect.Bool && (n == 0 || n == 1):
		to.SetBool(n == 1)
	case !isNumber && from.IsValid() && from.CanConvert(to.Type()):
		to.Set(from.Convert(to.Type()))
	default:
		return fmt.Errorf("%T is no %s", v, to.Type())
	}
	return nil
}

// aheadAtOnce is how many connections read ahead: others have to read, too.
const aheadAtOnce = readers - 1

// BeginAll makes ready for terms of accounts, as Begin does for one, which follows for each with Ahead.WithAnswers, and reads ahead: what reads asks
// about an account, by statements that name it, is asked about all of them at once. What cannot be read so is read by each, which
// then says why.
func (m *memory) BeginAll(ctx context.Context, accounts []event.Account, reads func(ctx context.Context, account event.Account)) (*Ahead, error) {
	if _, some := m.served.shardList(); !some || !m.server || len(accounts) == 0 {
		return nil, nil //nolint:nilnil // nothing is no error
	}
	if err := m.commitNow(ctx, Write{begins: accounts}); err != nil {
		return nil, fmt.Errorf("begin with %d accounts: %w", len(accounts), err)
	}
	probe := &asking{account: accounts[0]}
	ctx2 := context.WithValue(ctx, aheadKey{}, probe)
	_, _ = m.positionOf(ctx2, probe.account) // nothing is found, of course
	reads(ctx2, probe.account)
	all := &Ahead{of: make(map[event.Account]*answers, len(accounts))}
	shards, names := make(bind.Numbers, len(accounts)), make(bind.Words, len(accounts))
	for i, a := range accounts {
		shards[i], names[i] = int64(a.Shard()), string(a)
		all.of[a] = &answers{given: make(map[string]*answer, len(probe.asked))}
	}
	work := pool.New().WithMaxGoroutines(aheadAtOnce)
	for _, q := range probe.asked {
		work.Go(func() {
			found, err := m.ofAll(ctx, q, shards, names)
			if err != nil {
				return
			}
			for i, a := range accounts {
				of := all.of[a]
				of.mu.Lock()
				of.given[q.name] = &found[i]
				of.mu.Unlock()
			}
		})
	}
	work.Wait()
	return all, nil
}

// ofTheTerm finds the parameters that say which account it is.
var ofTheTerm = regexp.MustCompile(`\$[12]\b`)

// forEach returns a statement that asks about many accounts what text asks about one. Rows of an account come in their order.
func forEach(text string) string {
	return `SELECT want.n, found.* FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS want(shard, account, n) CROSS JOIN LATERAL (` +
		ofTheTerm.ReplaceAllStringFunc(text, func(p string) string {
			if p == "$1" {
				return "want.shard"
			}
			return "want.account"
		}) + `) AS found`
}

// ofAll asks about accounts.
func (r *Reader) ofAll(ctx context.Context, q *asked, shards bind.Numbers, names bind.Words) ([]answer, error) {
	found := make([]answer, len(names))
	rows, err := r.db.QueryContext(ctx, forEach(q.text), slices.Concat([]any{shards, names}, q.args)...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for i := range found {
		found[i].uses = q.uses
	}
	for rows.Next() {
		i, row, err := scanAny(rows, len(columns))
		if err != nil {
			return nil, err
		}
		found[i-1].rows = append(found[i-1].rows, row)
	}
	return found, rows.Err()
}

// scanAny reads a row as the driver has it: a number, and what stands behind it.
func scanAny(rows *sql.Rows, columns int) (n int64, row []any, err error) {
	row = make([]any, columns-1)
	dest := make([]any, columns)
	dest[0] = &n
	for i := range row {
		dest[i+1] = &row[i]
	}
	return n, row, rows.Scan(dest...)
}
