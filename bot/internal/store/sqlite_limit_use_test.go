package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform"
)

// TestSweptLimitUses: limit uses of people who wrote once do not stay for ever; those that count do.
func TestSweptLimitUses(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	f := newFile(t)
	const people = 1200
	talks := func(peer int64, at time.Time) *store.Turn {
		scope := fmt.Sprintf("peer:%d", peer)
		turn := says(turnOf(message(platform.UserID(peer), at.UnixMicro()+peer)), "hi", claiming(
			event.LimitUse{Limit: "hourly", Scope: scope, Max: 1, Within: time.Hour}, event.LimitUse{Limit: "once", Scope: scope, Max: 1}))
		turn.At = at
		return turn
	}
	var turns []*store.Turn
	for peer := range int64(people) {
		turns = append(turns, talks(peer+1, noon))
	}
	f.must(turns...)
	left := func() string {
		t.Helper()
		return column(t, f.path, `SELECT count(*) FROM claim WHERE name = 'hourly'`)[0]
	}
	f.same("an hour later", "1200", left())
	for i, want := range []string{"701", "202", "3", "4", "5"} {
		f.must(talks(int64(people+1+i), noon.Add(25*time.Hour+time.Duration(i)*time.Second)))
		f.same("swept", want, left())
	}
	f.same("claims for ever", []string{fmt.Sprint(people + 5)}, column(t, f.path, `SELECT count(*) FROM claim WHERE name = 'once'`))
	f.same("receipt", store.Receipt{Denied: []int{0}}, f.commit(store.Write{Turn: talks(1, noon.Add(26*time.Hour))}))
	f.same("receipt", store.Receipt{Denied: []int{0}}, f.commit(store.Write{Turn: talks(people+1, noon.Add(25*time.Hour+time.Minute))}))
}
