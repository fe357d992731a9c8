package session

import (
	"context"
	"log/slog"
	"math"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// unhindered is how many accounts sign in for the first time without waiting, where nobody has for a while.
	unhindered = 20
	// mostRefused is how many of them may be refused in a row: then it is not this or that password.
	mostRefused = 20
	// nearlyOne is how much of a turn may be missing: times are rounded.
	nearlyOne = 1e-6
	// lookAgain is how long an account waits at most for its turn where others share the pace.
	lookAgain = time.Minute
	// askAgain is how long an account waits where none may sign in yet, since other processes share the pace.
	askAgain = time.Second
	// knockEvery is how often one account is tried after that.
	knockEvery = 15 * time.Minute
)

// Entrance lets accounts that have never signed in do so one after another, at each host of the platform: thousands at once look like
// an attack. When many in a row are refused there, it stops them: each further try may lock an account. From then on one is tried
// each quarter of an hour; the first that gets in lets the others follow. Its methods may be called at the same time.
type Entrance struct {
	every time.Duration
	log   *slog.Logger
	share func(host string) float64 // which part of that is this process's; nil for all of it

	mu    sync.Mutex // guards the field below
	doors map[string]*Door
}

// Door is the entrance at one host. Brokers of accounts there share it.
type Door struct {
	of   *Entrance
	host string

	mu      sync.Mutex // guards the fields below
	turns   int64      // that were given
	let     float64    // turns that have come
	at      time.Time  // when that was so
	refused []string   // accounts, in a row
	shut    bool
	knock   time.Time // when one is tried although it is shut
}

// NewEntrance returns an entrance that lets so many accounts a second in at each host, after the first twenty.
func NewEntrance(perSecond float64, log *slog.Logger) *Entrance {
	return &Entrance{every: time.Duration(float64(time.Second) / perSecond), log: log, doors: map[string]*Door{}}
}

// ShareBy says which part of the pace is this process's at a host: others have the rest. It must be called before the first account
// comes, and the function may not block.
func (e *Entrance) ShareBy(share func(host string) float64) { e.share = share }

// pace returns how long it takes from one account to the next at a host, and how many need not wait; false when none may come yet.
func (e *Entrance) pace(host string) (every time.Duration, at int, ok bool) {
	if e.share == nil {
		return e.every, unhindered, true
	}
	part := e.share(host) //mutate:entrance-share
	if part <= 0 {
		return 0, 0, false
	}
	part = min(part, 1)
	return time.Duration(float64(e.every) / part), max(1, int(unhindered*part)), true
}

// At returns the door at a host; none of no entrance.
func (e *Entrance) At(host string) *Door {
	if e == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	d := e.doors[host]
	if d == nil {
		d = &Door{of: e, host: host}
		e.doors[host] = d
	}
	return d
}

// Open lets accounts in again where they were stopped: somebody has corrected passwords, perhaps.
func (e *Entrance) Open() {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, d := range e.doors {
		d.mu.Lock()
		d.shut, d.refused = false, nil
		d.mu.Unlock()
	}
}

// enter tells when an account may sign in; zero for now. turn is the number of its turn, as was given before; 0: it has none.
func (d *Door) enter(turn *int64) time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	if d.shut { //mutate:entrance-shut
		*turn = 0
		if now.Before(d.knock) {
			return d.knock
		}
		// Moved before the try, not after it: else all that wait here would knock at the same moment.
		d.knock = now.Add(knockEvery)
		return time.Time{}
	}
	every, together, ok := d.of.pace(d.host)
	if !ok {
		return now.Add(askAgain)
	}
	if d.at.IsZero() {
		d.let = float64(together)
	}
	// Turns come while nobody wants one, but no more than may go together: a quiet night does not let a thousand in at once.
	d.let = min(d.let+float64(now.Sub(d.at))/float64(every), float64(d.turns+int64(together)))
	d.at = now
	if *turn == 0 {
		d.turns++ //mutate:entrance-turn
		*turn = max(d.turns, 1)
	}
	if missing := float64(*turn) - d.let; missing > nearlyOne {
		wait := time.Duration(math.Ceil(missing * float64(every)))
		if d.of.share != nil { // the part may grow
			wait = min(wait, lookAgain)
		}
		return now.Add(wait)
	}
	// The turn is used up. A try that fails needs another one, at the end of the row.
	*turn = 0
	return time.Time{}
}

// noteEntered hears what became of a sign-in: it was refused, or, without that, accepted.
func (d *Door) noteEntered(ctx context.Context, account string, refused bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case !refused:
		if d.shut {
			d.of.log.InfoContext(ctx, "accounts that have never signed in are tried again: one was accepted", "host", d.host)
		}
		d.shut, d.refused = false, nil
	case d.shut, slices.Contains(d.refused, account):
	default:
		if d.refused = append(d.refused, account); len(d.refused) < mostRefused { //mutate:entrance-refused
			return
		}
		d.shut, d.knock = true, time.Now().Add(knockEvery)
		d.of.log.ErrorContext(ctx, manyRefused, "host", d.host, "accounts", strings.Join(d.refused, " "), "do", "look whether their passwords are right, "+
			"and whether the platform keeps this machine out; as soon as an account is changed, or one is accepted, the others are tried again")
	}
}

const manyRefused = "20 accounts in a row were refused that had never signed in: of those no more are tried at this host than one each 15 minutes"

// turnError says that it is not yet an account's turn to sign in.
type turnError struct{ until time.Time }

func (*turnError) Error() string {
	return "it signs in for the first time when its turn has come"
}

// mayEnter reports whether an account that has never signed in may do so now; anybody else may.
func (b *Broker) mayEnter(old *Kept) (first bool, err error) {
	if b.cfg.Door == nil || old.User != 0 || old.Identity != "" || b.cfg.identityKey() == "" {
		return false, nil
	}
	if until := b.cfg.Door.enter(&b.turn); !until.IsZero() {
		return true, &turnError{until}
	}
	return true, nil
}
