//go:build unix

package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/store"
)

// hands lets the shard of ana have had so many owners.
func hands(t *testing.T, url string, owners int) {
	t.Helper()
	sqlOn(t, url, fmt.Sprintf(`INSERT INTO shard VALUES (%d, 0, 0, %d, 0, '[]', '') ON CONFLICT (shard) DO UPDATE SET epoch = excluded.epoch RETURNING 1`, ana.Shard(), owners))
}

// TestAgesOfTheLastOwner: how long ago a request was given up is the next owner's to know. Behind another one, which may be of a version that calls
// again without a word about it, it counts no more; what was moved from elsewhere does.
func TestAgesOfTheLastOwner(t *testing.T) {
	t.Parallel()
	url := pgServer(t).schema(t)
	w := &world{tb: t, Store: openServer(t, store.Options{Path: url, Key: "key"})}
	turn := says(turnOf(message(7, 1)), "one")
	w.must(turn)
	key := turn.Actions[0].Key
	want := map[string]outbox.Age{key: {GivenUp: time.Second, Boot: "boot", Steady: time.Hour}}
	none := map[string]outbox.Age{}
	hands(t, url, 5)
	w.QueueMarks(ageOf(key, time.Second, "boot", time.Hour))
	w.flush()
	for owners, ages := range []map[string]outbox.Age{5: want, 6: want, 7: none, 8: none} {
		if owners >= 5 {
			hands(t, url, owners)
			w.same(fmt.Sprintf("with %d owners", owners), ages, w.ages())
		}
	}
	hands(t, url, 12) // which counts anew
	w.QueueMarks(ageOf(key, time.Second, "boot", time.Hour))
	w.flush()
	hands(t, url, 13)
	w.same("the thirteenth", want, w.ages())
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	from, to, back := home{t, url, "key"}, newHome(t, "key"), newServerHome(t)
	to.moves(from)
	to.incarnations(func(w *world) { w.same("in a file", want, w.ages()) })
	back.incarnations(func(*world) {})
	hands(t, back.path, 99)
	back.moves(to)
	back.incarnations(func(w *world) { w.same("on another server", want, w.ages()) })
}
