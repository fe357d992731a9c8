package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
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
	uses    int
	columns []string
	rows    [][]any
}

// takeAnswer returns an answer that is there; nil when there is none.
func (a *answers) takeAnswer(text string, args []driver.NamedValue) driver.Rows {
	a.mu.Lock()
	defer a.mu.Unlock()
	got := a.given[question(text, args[min(len(args), ofTerm):])]
	if got == nil || got.uses == 0 {
		return nil
	}
	got.uses--
	return &readRows{got.columns, got.rows}
}

func (a *answers) forgetAnswers() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.given = nil
}

// ofTerm is how many parameters say which account it is: the first ones.
const ofTerm = 2

// question names what was asked about an account.
func question(text string, args []driver.NamedValue) string {
	var b strings.Builder
	b.WriteString(text)
	for _, a := range args {
		switch v := a.Value.(type) {
		case bind.Instant:
			// Each beginning has an instant of its own, and asks the same by it. As read, the answer is of the instant of who asked for all.
			b.WriteString("\x00now")
		case int64:
			b.WriteByte(0)
			b.WriteString(strconv.FormatInt(v, 10))
		default:
			fmt.Fprintf(&b, "\x00%T%v", v, v)
		}
	}
	return b.String()
}

// probing notes what is asked about an account, and finds nothing.
type probing struct {
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

func (p *probing) noteQuery(text string, args []driver.NamedValue) {
	if len(args) < ofTerm || args[0].Value != int64(p.account.Shard()) || args[1].Value != string(p.account) {
		return // it is about something else, and is read by each
	}
	name := question(text, args[ofTerm:])
	if i := slices.IndexFunc(p.asked, func(q *asked) bool { return q.name == name }); i >= 0 {
		p.asked[i].uses++
		return
	}
	q := &asked{text: text, name: name, uses: 1}
	for _, v := range args[ofTerm:] {
		q.args = append(q.args, v.Value)
	}
	p.asked = append(p.asked, q)
}

// readAhead returns the rows of a statement that need not be asked for; nil when they have to be.
func (r *Reader) readAhead(ctx context.Context, text string, args []any) (*sql.Rows, error) {
	if r.answers == nil || ctx.Value(aheadKey{}) == nil {
		return nil, nil //nolint:nilnil // see above
	}
	rows, err := r.answers.QueryContext(context.WithoutCancel(ctx), text, args...)
	if errors.Is(err, errAsk) {
		return nil, nil //nolint:nilnil // see above
	}
	return rows, err
}

var errAsk = errors.New("this has to be asked for")

// answerer makes rows of what was read ahead. It is what database/sql takes for a database, and for a connection to it, of which there
// are enough for everybody.
type answerer struct{}

func (answerer) Connect(context.Context) (driver.Conn, error) { return answerer{}, nil }
func (answerer) Driver() driver.Driver                        { return nil }
func (answerer) Close() error                                 { return nil }
func (answerer) Prepare(string) (driver.Stmt, error)          { return nil, errors.ErrUnsupported }
func (answerer) Begin() (driver.Tx, error)                    { return nil, errors.ErrUnsupported }

func (answerer) CheckNamedValue(v *driver.NamedValue) error { return bind.AsParameter(v) }

// QueryContext answers a statement.
func (answerer) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	switch a := ctx.Value(aheadKey{}).(type) {
	case *probing:
		a.noteQuery(text, args)
		return &readRows{}, nil
	case *answers:
		if rows := a.takeAnswer(text, args); rows != nil {
			return rows, nil
		}
	}
	return nil, errAsk
}

// readRows are rows that were read before.
type readRows struct {
	columns []string
	rows    [][]any
}

// Columns returns the names of the columns.
func (r *readRows) Columns() []string { return r.columns }

// Close does nothing.
func (r *readRows) Close() error { return nil }

// Next returns the next row.
func (r *readRows) Next(dest []driver.Value) error {
	if len(r.rows) == 0 {
		return io.EOF
	}
	for i, v := range r.rows[0] {
		dest[i] = v
	}
	r.rows = r.rows[1:]
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
	probe := &probing{account: accounts[0]}
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
		found[i] = answer{uses: q.uses, columns: columns[1:]}
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
