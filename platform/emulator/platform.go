package emulator

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// Config describes a platform. Its zero value is a documented one without faults.
type Config struct {
	// Seed decides all that is drawn: faults, gaps between ids, tokens.
	Seed uint64

	// Dialect is the shape of the answers. Defaults to the documented one.
	Dialect Dialect

	// Faults disturb calls. Defaults to none.
	Faults Faults

	// SessionTTL is how long a session lives. Defaults to 3650 days, as in the documented samples.
	SessionTTL time.Duration

	// PageCap is the largest page_size, in rows; more is cut to it. Defaults to none.
	PageCap int
}

func (c Config) withDefaults() Config {
	if c.SessionTTL <= 0 {
		c.SessionTTL = 3650 * 24 * time.Hour
	}
	return c
}

// Platform is the whole platform: its state, and the http.Handler that serves the API.
// All methods may be called by many goroutines at once.
//
// One lock guards the state. A call holds it for a microsecond or so, which is little beside what
// HTTP costs, and it makes the order of the ledger the order of the effects.
type Platform struct {
	cfg       Config
	endpoints map[string]*endpoint
	ahead     atomic.Int64 // Dialect.Clock, for the headers
	calls     sync.Pool    // of *call
	ledger    Ledger

	mu             sync.Mutex // guards the fields below: each call of the API, and each step of a test, holds it around all that it does
	dialect        Dialect
	dialectVersion int // counts SetDialect; encoded rows of another version are stale
	faultInjector  faultInjector
	trouble        ListTrouble
	unending       []Unending
	restless       int // lists that restless phantoms were in
	ids            ids

	users  map[platform.UserID]*user
	names  map[string]*user // by lower-case user name
	emails map[string]*user // by lower-case e-mail address
	people []*user          // by id

	messages []*message // by id
	posts    []*post    // by id, with deleted ones
	timeline []*showing // posts and reposts, by row
	tags     tags

	misnumbered misnumbering

	sessions  map[string]*session
	refreshes map[string]*session // by refresh token
	oauth     map[string]*user    // by provider and token
	logins    int
	renewals  int
}

// New returns an empty platform.
func New(cfg Config) *Platform {
	cfg = cfg.withDefaults()
	p := &Platform{
		cfg:       cfg,
		dialect:   cfg.Dialect,
		ids:       newIDs(cfg.Seed),
		users:     map[platform.UserID]*user{},
		names:     map[string]*user{},
		emails:    map[string]*user{},
		sessions:  map[string]*session{},
		refreshes: map[string]*session{},
		oauth:     map[string]*user{},
	}
	p.ahead.Store(int64(cfg.Dialect.Clock))
	p.faultInjector.set(cfg.Seed, cfg.Faults)
	p.endpoints = allEndpoints()
	p.calls.New = func() any { return newCall(p) }
	return p
}

// pageSize returns how many rows a page holds.
func (p *Platform) pageSize(asked, standard int) int {
	if asked <= 0 {
		asked = standard
	}
	for _, limit := range []int{p.cfg.PageCap, p.dialect.PageCap} {
		if limit > 0 {
			asked = min(asked, limit)
		}
	}
	return max(asked, p.dialect.PageLeast)
}
