package store_test

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/store"
)

// An account's timers are looked through only where one of them may have been set by a later clock, however many there are, and where a version
// before this one has set them.
func TestTimersAreReadAfterAStepBackAlone(t *testing.T) {
	t.Parallel()
	w, path := keeping(t)
	waits := alarm(7, "waits", 1, noon.Add(time.Hour))
	waits.Set = noon
	w.must(sets(1, waits))
	later, now := noon.Add(2*time.Hour).UnixMicro(), noon.Add(time.Minute)
	wait := func() { now = now.Add(2 * time.Second) }                          // what is noted is exact to a second
	ahead := func() { change(t, path, `UPDATE timer SET set_at = $1`, later) } // nobody does so: it shows whether timers are read
	pulled := func(what string, want int) {
		t.Helper()
		n, err := w.PullIn(w.Context(), ana, now)
		w.same(what, []any{want, nil}, []any{n, err})
	}
	ahead()
	pulled("of a clock that was not set back", 0)
	change(t, path, `UPDATE fact SET read_at = $1 WHERE name = 'last_set'`, later)
	pulled("of one that was ahead when the last one was set", 1)
	pulled("when they have been", 0)
	wait()
	ahead()
	pulled("as if they had not been", 0)
	change(t, path, `DELETE FROM fact WHERE name = 'last_set'`)
	pulled("where nothing is noted", 1)
	// What is set from now on is noted, over a start and a group that fails.
	w.restart()
	fresh := alarm(8, "fresh", 1, noon.Add(3*time.Hour))
	fresh.Set = noon.Add(2 * time.Hour)
	change(t, path, `CREATE TRIGGER stop BEFORE INSERT ON timer BEGIN SELECT RAISE(ABORT, 'not now'); END`)
	first := sets(2, fresh)
	if r := w.commit(store.Write{Turn: first}); r.Err == nil {
		t.Error("it is stored")
	}
	change(t, path, `DROP TRIGGER stop`)
	w.must(sets(2, fresh))
	pulled("of the one that was set since", 1)
}
