package poll_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/platform"
)

func TestKindsOfNotifications(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.start()
		r.cycle()
		want := map[int64]event.Kind{}
		for subject, kind := range map[platform.Subject]event.Kind{
			"subscribe":         event.KindFollow,
			"subscribe_request": event.KindFollowRequest,
			"subscribe_accept":  event.KindFollowAccept,
			"like":              event.KindLike,
			"reply":             event.KindReply,
			"repost":            event.KindRepost,
			"mention":           event.KindMention,
			"visit":             event.KindVisit,
			"announcement":      event.KindOther,
		} {
			want[r.model.notify("notifs", 50, subject, false).id] = kind
		}
		r.model.notify("notifs", me, platform.SubjectLike, false) // an own one
		r.cycle()
		r.memory.commit()
		got := map[int64]event.Kind{}
		for _, e := range r.memory.events {
			got[e.ID.Number] = e.Kind
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestEventOfANotification(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.start()
		r.cycle()
		n := r.model.notify("mentions", 50, platform.SubjectMention, false)
		r.cycle()
		r.memory.commit()
		id := event.ID{Source: event.Mentions, Number: n.id}
		got := r.memory.events[id]
		if got.SeenAt.Before(n.at) || got.NotBefore.After(n.at) || got.NotBefore.IsZero() || got.SaidAt.After(n.at) {
			t.Errorf("seen at %v, not before %v; it is of %v", got.SeenAt, got.NotBefore, n.at)
		}
		got.SeenAt, got.NotBefore, got.SaidAt = time.Time{}, time.Time{}, time.Time{}
		want := event.Event{
			Account: "shop", ID: id, Kind: event.KindMention, Peer: 50, Name: "X", User: "x",
			Post: platform.PostID(n.id), Subject: platform.SubjectMention,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestFirstStartOfNotifications(t *testing.T) {
	for _, c := range []struct {
		name    string
		backlog event.Backlog
		want    int
	}{{"skip", event.Skip, 1}, {"unread", event.Unread, 46}} {
		t.Run(c.name, func(t *testing.T) {
			play(t, habits{}, func(r *world) {
				for i := range 100 {
					n := r.model.notify("notifs", 50, platform.SubjectLike, false)
					n.read = i < 50 || i%10 == 3
				}
				r.start(func(cfg *poll.Config) { cfg.Backlog = c.backlog })
				r.cycle()
				r.model.notify("notifs", 51, platform.SubjectLike, false)
				r.run(time.Minute)
				if got := r.memory.notifs(); len(got) != c.want {
					t.Errorf("%d events, want %d", len(got), c.want)
				}
			})
		})
	}
}

// A burst larger than a cycle's budget is read over several cycles, over failures, while rows vanish
// and more come in, and is delivered oldest first.
func TestBurstOfNotifications(t *testing.T) {
	for _, h := range []habits{{}, {Cap: 7}, {Inclusive: true}} {
		play(t, h, func(r *world) {
			for range 30 {
				r.model.notify("notifs", 50, platform.SubjectLike, false)
			}
			r.start(func(c *poll.Config) { c.MaxPages = 3 })
			r.cycle()
			var want []int64
			for range 500 {
				want = append(want, r.model.notify("notifs", 50, platform.SubjectLike, false).id)
			}
			for i := range 10 {
				want = slices.Delete(want, len(want)-1-i*40, len(want)-i*40)
				r.model.vanish(i * 41)
			}
			r.model.vanish(500) // the row at the cursor
			batches := 0
			r.memory.check = func(b poll.Batch) {
				if n := len(b.Events); b.Cursor.Source == event.Notifs && n > 0 {
					batches++
					if !slices.IsSortedFunc(b.Events, func(x, y event.Event) int { return int(x.ID.Number - y.ID.Number) }) {
						t.Error("the events are out of order")
					}
					if b.Cursor.ID != b.Events[n-1].ID.Number {
						t.Errorf("the cursor is at %d, behind %d", b.Cursor.ID, b.Events[n-1].ID.Number)
					}
				}
			}
			for i := range 100 {
				switch i {
				case 2, 3:
					r.model.disturb(faultServer, faultCut, faultTruncated)
				case 5:
					want = append(want, r.model.notify("notifs", 50, platform.SubjectLike, false).id)
				case 7:
					r.model.vanish(300)
				}
				_, _ = r.try()
			}
			got := r.memory.notifs()
			missing := slices.DeleteFunc(slices.Clone(want), func(id int64) bool { return slices.Contains(got, id) })
			if len(missing) > 1 || len(got) > len(want) {
				t.Errorf("%d of %d events; missing %v", len(got), len(want), missing)
			}
			if batches != 3 {
				t.Errorf("%d batches, want two of the burst, and what came meanwhile", batches)
			}
		})
	}
}

// A list that ignores the offset shows only its first page: what it shows is delivered, and the log
// says that some may be missing.
func TestNotificationsThatIgnoreTheOffset(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.model.notify("notifs", 50, platform.SubjectLike, false)
		r.start()
		r.cycle()
		for range 50 {
			r.model.notify("notifs", 50, platform.SubjectLike, false)
		}
		r.model.set(func(w *model) { w.noOffset = true })
		r.cycle()
		if got := len(r.memory.notifs()); got != 20 {
			t.Errorf("%d events, want the 20 of the first page", got)
		}
		if got := r.log.with("shows no older rows"); len(got) != 1 {
			t.Errorf("log lines %q, want one", got)
		}
	})
}

func TestAccountIsNotKnownYet(t *testing.T) {
	play(t, habits{}, func(r *world) {
		unknown := errors.New("not signed in")
		failing := true
		r.start(func(c *poll.Config) {
			c.Me = func(context.Context) (platform.UserID, error) {
				if failing {
					return 0, unknown
				}
				return me, nil
			}
		})
		r.cycle()
		r.model.notify("notifs", me, platform.SubjectLike, false)
		n := r.model.notify("notifs", 50, platform.SubjectLike, false)
		if _, err := r.try(); !errors.Is(err, unknown) {
			t.Errorf("error %v, want %v", err, unknown)
		}
		failing = false
		r.cycle()
		if got, want := r.memory.notifs(), []int64{n.id}; !slices.Equal(got, want) {
			t.Errorf("events %v, want %v", got, want)
		}
	})
}
