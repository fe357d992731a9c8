package demo

import (
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// door is where the requests of a demo's workers arrive at the platform. It sees for which account each is, by the first part of its
// path, and whose, by the road on which it has come.
type door struct {
	platform http.Handler

	mu     sync.Mutex     // guards the fields below
	roads  map[string]int // the incarnations of workers, by the addresses of their connections
	spells map[string][]Spell
}

// Spell is a time during which one incarnation of a worker served an account, as its requests tell.
type Spell struct {
	Incarnation int
	From, To    time.Time // the first request, and the last one
}

// spellGap is how far two requests of a spell are apart at most.
const spellGap = 400 * time.Millisecond

func newDoor(platform http.Handler) *door {
	return &door{platform: platform, roads: map[string]int{}, spells: map[string][]Spell{}}
}

// leadsTo says whose a connection is.
func (d *door) leadsTo(local net.Addr, incarnation int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.roads[local.String()] = incarnation
}

// ServeHTTP lets a request in.
func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	account, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	d.saw(account, r.RemoteAddr, time.Now())
	inside := r.Clone(r.Context())
	inside.URL.Path = "/" + rest
	d.platform.ServeHTTP(w, inside)
}

func (d *door) saw(account, from string, at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	incarnation := d.roads[from]
	all := d.spells[account]
	if n := len(all); n > 0 && all[n-1].Incarnation == incarnation && at.Sub(all[n-1].To) <= spellGap {
		all[n-1].To = at
		return
	}
	d.spells[account] = append(all, Spell{incarnation, at, at})
}

// allVisits returns the spells of all accounts.
func (d *door) allVisits() map[string][]Spell {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := make(map[string][]Spell, len(d.spells))
	for account, spells := range d.spells {
		all[account] = slices.Clone(spells)
	}
	return all
}

// servedCount returns for how many accounts an incarnation has made the last request.
func (d *door) servedCount(incarnation int) (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, spells := range d.spells {
		if spells[len(spells)-1].Incarnation == incarnation {
			n++
		}
	}
	return n
}
