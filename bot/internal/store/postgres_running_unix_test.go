//go:build unix

package store_test

import (
	"testing"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lease"
)

// Whether an account is run is told by who has its shard, and whether that worker was heard of.
func TestRunningByLeases(t *testing.T) {
	t.Parallel()
	url := pgServer(t).schema(t)
	d := openServerInspector(t, url)
	is := func(want bool, accounts ...event.Account) {
		t.Helper()
		if got, err := d.Running(accounts...); got != want || err != nil {
			t.Errorf("%v run: %v, %v", accounts, got, err)
		}
	}
	is(false)
	is(false, ana)
	b := openBoard(t, url)
	seat, err := b.AddWorker(t.Context(), lease.Card{Name: "a"})
	if err != nil {
		t.Fatal(err)
	}
	is(true)
	is(false, ana)
	planned, err := b.StorePlan(t.Context(), seat, func(*lease.View) []lease.Want { return []lease.Want{{Shard: ana.Shard(), Worker: seat.Worker}} })
	if !planned || err != nil {
		t.Fatal(planned, err)
	}
	is(true, ana) // it is about to be
	is(false, ana, berk)
	if _, err := b.Acquire(t.Context(), seat); err != nil {
		t.Fatal(err)
	}
	is(true, ana)
	sqlOn(t, url, `UPDATE worker SET seen_at = seen_at - 10000000`)
	is(false)
	is(false, ana)
}
