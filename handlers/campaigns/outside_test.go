package campaigns_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
)

// What rules and programs publish counts once, from when it is decided on, however often it is read; what comes to nothing counts
// no more, and what is concluded is not read again.
func TestOutside(t *testing.T) {
	t.Parallel()
	day := text.Limit{Max: 24, Per: 24 * time.Hour}
	now := at(t, "2027-03-01 12:00")
	u := campaigns.Uses{Published: []campaigns.Published{{At: now.Add(-time.Hour)}}}
	look := func(after time.Duration, all ...campaigns.Outsider) {
		since := u.Since(now.Add(after), day)
		u = u.Outside(all, since, now.Add(after), day, len(all))
	}
	counts := func(want ...time.Duration) {
		t.Helper()
		var got []time.Duration
		for _, p := range u.Published {
			got = append(got, p.At.Sub(now))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	if since := u.Since(now, day); now.Sub(since) < 24*time.Hour {
		t.Errorf("read since %v first", since)
	}
	waits := campaigns.Outsider{Key: "a", At: now.Add(10 * time.Minute), Post: "post:1"}
	vain := campaigns.Outsider{Key: "b", At: now.Add(20 * time.Minute), Post: "post:2"}
	look(0, waits, vain)
	look(time.Minute, waits, vain)
	counts(-time.Hour, 10*time.Minute, 20*time.Minute)
	if last := u.Posts["post:1"].Last; !last.IsZero() {
		t.Errorf("the post was published at %v", last)
	}
	look(15*time.Minute, waits) // late, and the other one was withdrawn
	counts(-time.Hour, 15*time.Minute)
	if since := u.Since(now.Add(2*time.Hour), day); since.After(waits.At) {
		t.Errorf("what may still change is read since %v", since)
	}
	waits.At, waits.Done, waits.Over = now.Add(13*time.Minute), true, true
	look(20*time.Minute, waits)
	look(time.Hour)
	counts(-time.Hour, 13*time.Minute)
	if last := u.Posts["post:1"].Last; !last.Equal(waits.At) {
		t.Errorf("the post was published at %v", last)
	}
	if since := u.Since(now.Add(time.Hour), day); !since.After(waits.At) {
		t.Errorf("what is settled is read since %v", since)
	}
}
