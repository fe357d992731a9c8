package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/internal/reason"
	"pgregory.net/rapid"
)

// Uses at times of their own, in whatever order they are asked for: as many are granted as fit, and no time of the limit's length
// ever has more. What left later than it was to counts from then on; what is given back does not count.
func TestLimitUsesAround(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	stories := 0
	rapid.Check(t, func(t *rapid.T) {
		stories++
		most := rapid.IntRange(1, 4).Draw(t, "most")
		const within = time.Hour
		granted := map[string]time.Time{}
		fits := func(key string, at time.Time) bool {
			all := []time.Time{at}
			for k, x := range granted {
				if k != key {
					all = append(all, x)
				}
			}
			slices.SortFunc(all, time.Time.Compare)
			for i := range all {
				if i >= most && all[i].Sub(all[i-most]) < within && !all[i].Before(at) && !all[i-most].After(at) {
					return false
				}
			}
			return true
		}
		for n := range rapid.IntRange(1, 20).Draw(t, "claims") {
			at := noon.Add(time.Duration(rapid.IntRange(0, 240).Draw(t, "minute")) * time.Minute)
			turn := says(turnOf(message(7, int64(stories*1000+n))), "hi")
			a := &turn.Actions[0]
			a.Key, a.Due = fmt.Sprintf("s%d/%d", stories, n), at
			turn.At = noon
			a.LimitUses = []event.LimitUse{{Limit: event.PublishingLimit, Scope: fmt.Sprint("story ", stories), Max: most, Within: within, GiveBack: true, At: at, Of: a.Key}}
			want := fits(a.Key, at)
			if got := len(f.commit(store.Write{Turn: turn}).Denied) == 0; got != want {
				t.Fatalf("%s at %v: granted %v, want %v of %v", a.Key, at, got, want, granted)
			}
			if !want {
				continue
			}
			granted[a.Key] = at
			if rapid.IntRange(0, 4).Draw(t, "comes to nothing") == 0 {
				gone := turn.Actions[0].Action
				gone.State = event.StateRefused
				if err := f.MarkNow(t.Context(), outbox.MarkOf(&gone)); err != nil {
					t.Fatal(err)
				}
				delete(granted, a.Key)
			}
		}
	})
}

// What was published is told of by when it left, with who decided it; what is too old to be kept, by its time alone, as long as it
// counts.
func TestPublished(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	turn := turnOf(message(7, 17))
	turn.At = noon
	act := func(key string, verb event.Verb, change func(*record.Action)) {
		x := record.Action{Action: event.Action{Key: key, Account: ana, Peer: 7, Verb: verb, Post: 5, Want: true, State: event.StateDue, Due: noon, DecidedAt: noon}}
		change(&x)
		turn.Actions = append(turn.Actions, x)
	}
	nothing := func(*record.Action) {}
	act("name:shop/daily", event.VerbPost, func(x *record.Action) {
		x.Post, x.Due, x.Apart = 0, noon.Add(time.Hour), 90*time.Minute
		x.LimitUses = []event.LimitUse{{Limit: event.PublishingLimit, Max: 9, Within: 24 * time.Hour, GiveBack: true, At: x.Due, Of: x.Key}}
	})
	act("message:17/shop/wish/1", event.VerbRepost, nothing)
	act("message:17/wish/2", event.VerbRenew, func(x *record.Action) { x.Rule = "wishes" })
	act("message:17/wish/3", event.VerbRepost, func(x *record.Action) { x.State = event.StateHeld })
	act("message:17/wish/4", event.VerbPost, nothing) // a reply
	act("message:17/wish/5", event.VerbRepost, func(x *record.Action) { x.Want = false })
	act("message:17/wish/6", event.VerbRepost, func(x *record.Action) { x.State, x.Why, x.LeftAt = event.StateDone, event.Because(reason.WasSo), noon })
	act("message:17/wish/8", event.VerbRepost, func(x *record.Action) { x.State, x.Reason, x.LeftAt = event.StateDone, "it was so already", noon })
	act("timer:7/a/b/1234/shop/next/7", event.VerbRepost, func(x *record.Action) { x.Due = noon.Add(-time.Hour) })
	f.must(turn)
	told := func(since time.Time) (lines []string) {
		all, err := f.db.Published(t.Context(), ana, since)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range all {
			lines = append(lines, fmt.Sprintf("%v %s %s %d %s %v", p.At.Sub(noon), p.By, p.Verb, p.Post, p.State, p.Apart))
		}
		return lines
	}
	f.same("published", []string{
		"0s shop/wish repost 5 due 0s", "0s wishes renew 5 due 0s", "1h0m0s shop/daily post 0 due 1h30m0s",
	}, told(noon))
	f.same("published before, too", "-1h0m0s shop/next repost 5 due 0s", told(noon.Add(-2 * time.Hour))[0])

	gone := turn.Actions[0].Action
	gone.State, gone.LeftAt, gone.EndedAt, gone.Result = event.StateDone, noon.Add(2*time.Hour), noon.Add(3*time.Hour), 99
	m := outbox.MarkOf(&gone)
	m.Left = true
	if err := f.MarkNow(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	f.same("when it has left", "2h0m0s shop/daily post 99 done 1h30m0s", told(noon.Add(time.Hour))[0])
	if err := f.db.Pragma("foreign_keys = 0; DELETE FROM action"); err != nil {
		t.Fatal(err)
	}
	f.same("when nothing else is kept", []string{"3h0m0s shop/daily  0 done 0s"}, told(noon.Add(time.Hour)))
}
