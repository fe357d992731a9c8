package session

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// How many sessions an account gets, for all uses together: a platform that ends them all the time would otherwise be asked for more and more,
// and an account that signs in that often is locked.
const (
	mostAMinute = 6  // with the password; see Config.PerMinute
	timesAnHour = 10 // times as many in an hour
	byPassword  = 2  // what a sign-in costs
	byRefresh   = 1  // what a renewal costs: half
)

// grant is a session that was got, or may have been.
type grant struct {
	at   time.Time
	cost int
}

// limitError says that an account may not get another session yet.
type limitError struct {
	until     time.Time
	perMinute int
}

func (e *limitError) Error() string {
	return fmt.Sprintf("its sessions end too soon: it gets %d new ones a minute and %d an hour at most, two renewals counting for one",
		e.perMinute, e.perMinute*timesAnHour)
}

// mayGet returns a *limitError while the account may not get a session of that cost.
func (b *Broker) mayGet(cost int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	grants, most := b.pastLocked().grants, byPassword*b.cfg.PerMinute
	until := later(freeAt(grants, now, time.Minute, most-cost), freeAt(grants, now, time.Hour, most*timesAnHour-cost))
	if !until.After(now) { //mutate:session-limit
		return nil
	}
	return &limitError{until, b.cfg.PerMinute}
}

// noteGrant notes that a session was got, or may have been.
func (b *Broker) noteGrant(cost int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p, now := b.pastLocked(), time.Now()
	p.grants = append(slices.DeleteFunc(p.grants, func(g grant) bool { return now.Sub(g.at) >= time.Hour }), grant{now, cost})
}

// freeAt returns when the grants of a span, the oldest first, cost no more than most.
func freeAt(grants []grant, now time.Time, span time.Duration, most int) time.Time {
	sum := 0
	for i := len(grants) - 1; i >= 0 && now.Sub(grants[i].at) < span; i-- {
		if sum += grants[i].cost; sum > most {
			return grants[i].at.Add(span)
		}
	}
	return now
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// grantsText writes grants down for Kept: a start must not grant them anew.
func grantsText(grants []grant) string {
	var text strings.Builder
	for _, g := range grants {
		fmt.Fprintf(&text, "%d:%d ", g.at.UnixMilli(), g.cost)
	}
	return strings.TrimSpace(text.String())
}

// grantsOf reads what lately has written. What is from after now says nothing: the clock was set back.
func grantsOf(text string, now time.Time) (grants []grant) {
	for word := range strings.FieldsSeq(text) {
		at, cost, _ := strings.Cut(word, ":")
		milli, err := strconv.ParseInt(at, 10, 64)
		g := grant{at: time.UnixMilli(milli)}
		if g.cost, _ = strconv.Atoi(cost); err == nil && g.cost > 0 && !g.at.After(now) {
			grants = append(grants, g)
		}
	}
	return grants
}
