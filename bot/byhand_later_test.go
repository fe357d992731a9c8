package bot_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// opens answers each mention after a while.
func opens(options ...bot.Option) []bot.Route {
	return []bot.Route{bot.On("mention", bot.AnyMention(), func(_ context.Context, t *bot.Turn, _ event.Mention) error {
		return t.Reply("we are open", options...)
	})}
}

// repliesTo returns what the bot decided to answer a person in public that has come into a state.
func repliesTo(w *bottest.World, p *bottest.Person, state event.State) (all []event.Action) {
	for _, a := range actionsOf(w, p) {
		if a.Verb == event.VerbPost && a.State == state {
			all = append(all, a)
		}
	}
	return all
}

// withdrawn expects a reply to a person to be withdrawn, for a reason.
func withdrawn(t *testing.T, w *bottest.World, p *bottest.Person, reason string) {
	t.Helper()
	if all := repliesTo(w, p, event.StateWithdrawn); len(all) != 1 || !strings.Contains(all[0].Reason, reason) {
		t.Errorf("withdrawn are %+v, want one reply since %s\n%s", all, reason, w.Log())
	} else if x := &all[0]; !x.LeftAt.IsZero() && x.Tries == 0 {
		t.Errorf("it is to have left at %v, and never has: %+v", x.LeftAt, x)
	}
}

// threads is a network on which reads of threads are counted, and may fail or have no times; so may reads of their replies alone.
type threads struct {
	read            atomic.Int64
	broken, undated atomic.Bool
	blind           atomic.Bool // replies cannot be read back
}

func (n *threads) on(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		broken := n.broken.Load()
		switch path.Base(r.URL.Path) {
		case "thread_data":
			n.read.Add(1)
		case "thread_replys":
			broken = broken || n.blind.Load()
		default:
			return next.RoundTrip(r)
		}
		res, err := next.RoundTrip(r)
		if err != nil || !broken && !n.undated.Load() {
			return res, err
		}
		defer func() { _ = res.Body.Close() }()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			return nil, err
		}
		if broken {
			body, res.StatusCode = []byte(`{"code":500,"message":"internal error"}`), http.StatusInternalServerError
		}
		body = bytes.ReplaceAll(body, []byte("time_raw"), []byte("time_odd"))
		res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		return res, nil
	})
}

// A mention that a person of ours answers by hand while the bot's reply waits for its time is hers, as a message is.
func TestMentionAnsweredByHandBeforeTheReplyLeaves(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Bot: unasked(), Routes: opens(bot.In(9 * time.Hour))}, func(w *bottest.World) { // behind quiet hours
		ana, leo := w.Person("ana"), w.Person("leo")
		asked := ana.Mentions("@bot are you open?")
		leo.Mentions("@bot and you?")
		w.Advance(time.Minute)
		w.Platform().Reply(w.Account("bot").ID(), asked, "yes, until six")
		ana.ExpectsNothing(10 * time.Hour)
		withdrawn(t, w, ana, "a person of ours has answered it with the reply")
		leo.ExpectsReply("we are open")
	})
}

// So is one whose answer an earlier incarnation decided, or has under way.
func TestMentionAnsweredByHandBeforeACrash(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]struct{ before, after time.Duration }{"long before": {time.Hour, 0}, "when it is due": {9 * time.Hour, time.Millisecond}, "for a night": {time.Hour, 12 * time.Hour}} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, bottest.Config{Bot: unasked(), Routes: opens(bot.In(9 * time.Hour))}, func(w *bottest.World) {
				ana := w.Person("ana")
				asked := ana.Mentions("@bot are you open?")
				w.Advance(time.Minute)
				w.Platform().Reply(w.Account("bot").ID(), asked, "yes, until six")
				w.Advance(m.before)
				w.CrashStop()
				w.Advance(m.after)
				w.Start()
				ana.ExpectsNothing(10 * time.Hour)
				withdrawn(t, w, ana, "a person of ours has answered it")
			})
		})
	}
}

// What leaves at once was looked at in its turn, and costs no other look; what waited costs one.
func TestLooksBelowAMention(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		wait time.Duration
		want int64
	}{"at once": {0, 1}, "after a while": {10 * time.Second, 1}, "after hours": {9 * time.Hour, 2}} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			var net threads
			bottest.Run(t, bottest.Config{Bot: unasked(), Routes: opens(bot.In(c.wait)), Transport: net.on}, func(w *bottest.World) {
				ana := w.Person("ana")
				ana.Mentions("@bot are you open?")
				w.Advance(c.wait + time.Minute)
				ana.ExpectsReply("we are open")
				if n := net.read.Load(); n != c.want {
					t.Errorf("%d readings of the thread, want %d", n, c.want)
				}
			})
		})
	}
}

// Where take-overs are switched off, nobody looks; and what cannot be read at all, or is the account's own, keeps nothing back.
func TestMentionNotHers(t *testing.T) {
	effort.Long(t)
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: opens(bot.In(9 * time.Hour)), Bot: bot.Config{TakeoverFor: -1}}, func(w *bottest.World) {
		ana := w.Person("ana")
		asked := ana.Mentions("@bot are you open?")
		w.Advance(time.Minute)
		w.Platform().Reply(w.Account("bot").ID(), asked, "yes, until six")
		w.Advance(9 * time.Hour)
		ana.ExpectsReply("we are open")
	})
	thanks := bot.On("like", bot.AnyLike(), func(_ context.Context, t *bot.Turn, e event.Like) error {
		return t.ReplyTo(e.Post, "thanks to all of you", bot.In(9*time.Hour))
	})
	bottest.Run(t, bottest.Config{Routes: append(opens(bot.In(9*time.Hour)), thanks)}, func(w *bottest.World) {
		ana, leo := w.Person("ana"), w.Person("leo")
		asked := leo.Mentions("@bot are you open?")
		w.Advance(time.Minute)
		w.Platform().DeletePost(leo.ID(), asked)
		ours := w.Posts("soup today")
		ana.Likes(ours)
		w.Advance(time.Minute)
		w.Platform().Reply(w.Account("bot").ID(), ours, "and tomorrow, too")
		w.Advance(10 * time.Hour)
		if all := repliesTo(w, leo, event.StateRefused); len(all) != 1 || all[0].Post != asked {
			t.Errorf("refused are %+v", all)
		}
		if all := repliesTo(w, ana, event.StateDone); len(all) != 1 || all[0].Post != ours {
			t.Errorf("done are %+v\n%s", all, w.Log())
		}
	})
}

// While the thread cannot be read the reply waits, and others go on; then what stands there counts.
func TestMentionWhoseThreadCannotBeRead(t *testing.T) {
	effort.Long(t)
	t.Parallel()
	for _, answered := range []bool{true, false} {
		t.Run(fmt.Sprint("answered by hand: ", answered), func(t *testing.T) {
			var net threads
			bottest.Run(t, bottest.Config{Routes: append(opens(bot.In(9*time.Hour)), echo()), Transport: net.on}, func(w *bottest.World) {
				ana, leo := w.Person("ana"), w.Person("leo")
				asked := ana.Mentions("@bot are you open?")
				w.Advance(time.Minute)
				if answered {
					w.Platform().Reply(w.Account("bot").ID(), asked, "yes, until six")
				}
				net.broken.Store(true)
				ana.ExpectsNothing(9*time.Hour + time.Minute)
				leo.Says("hello")
				leo.Expects("hello")
				net.broken.Store(false)
				if !answered {
					ana.ExpectsReply("we are open")
					return
				}
				ana.ExpectsNothing(time.Hour)
				withdrawn(t, w, ana, "a person of ours has answered it")
			})
		})
	}
}

// A reply below the mention that may be what a held one of the bot's became is not taken for a person's.
func TestMentionAnsweredByWhatIsHeld(t *testing.T) {
	effort.Long(t)
	t.Parallel()
	var net threads
	route := bot.On("mention", bot.AnyMention(), func(_ context.Context, t *bot.Turn, _ event.Mention) error {
		if err := t.Reply("one moment please, we look"); err != nil {
			return err
		}
		return t.Reply("we are open", bot.In(9*time.Hour))
	})
	bottest.Run(t, bottest.Config{Routes: []bot.Route{route}, Transport: net.on}, func(w *bottest.World) {
		ana := w.Person("ana")
		w.Disturb("publish_post", emulator.CutAfter)
		net.blind.Store(true)
		ana.Mentions("@bot are you open?")
		w.Advance(time.Hour)
		ana.ExpectsReply("one moment please, we look")
		if all := repliesTo(w, ana, event.StateHeld); len(all) != 1 {
			t.Errorf("held are %+v\n%s", all, w.Log())
		}
		net.blind.Store(false)
		w.Advance(9 * time.Hour)
		ana.ExpectsReply("we are open")
	})
}

// What a person approves after she has answered in public leaves; what she answers after that, or nobody knows when, keeps it back.
func TestMentionAnsweredByHandAndApproved(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answered, approved, wait time.Duration
		undated                  bool
		clock                    time.Duration // by how much the platform's is ahead of ours
		reason                   string
	}{
		"approved later":                             {answered: time.Hour, approved: 2 * time.Hour},
		"approved later, waits":                      {answered: time.Hour, approved: 2 * time.Hour, wait: 9 * time.Hour},
		"approved then":                              {answered: time.Hour, approved: time.Hour + 10*time.Second, reason: "or at about that time"},
		"approved before":                            {answered: 2 * time.Hour, approved: time.Hour, wait: 9 * time.Hour, reason: "after this was approved"},
		"approved before, by a clock that is ahead":  {answered: 2 * time.Hour, approved: time.Hour, clock: -3 * time.Hour, wait: 9 * time.Hour, reason: "after this was approved"},
		"approved before, by a clock that is behind": {answered: 2 * time.Hour, approved: time.Hour, clock: 3 * time.Hour, wait: 9 * time.Hour, reason: "after this was approved"},
		"nobody knows what first":                    {answered: time.Hour, approved: 2 * time.Hour, undated: true, reason: "nobody knows whether this was approved after that"},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			var net threads
			net.undated.Store(c.undated)
			bottest.Run(t, bottest.Config{Bot: rarely(), Routes: opens(bot.In(c.wait), bot.Held(event.NeedsApproval)), Transport: net.on}, func(w *bottest.World) {
				w.Platform().SetClock(c.clock)
				w.Advance(5 * time.Minute)
				ana := w.Person("ana")
				asked := ana.Mentions("@bot are you open?")
				w.Advance(time.Minute)
				q := about(ana, event.WishRelease)
				q.Action = repliesTo(w, ana, event.StateHeld)[0].Key
				answer := func() { w.Platform().Reply(w.Account("bot").ID(), asked, "yes, until six") }
				approve := func() { w.Ask(q) }
				at, first, second := min(c.answered, c.approved), answer, approve
				if c.approved < c.answered {
					first, second = approve, answer
				}
				w.Advance(at)
				first()
				w.Advance(max(c.answered, c.approved) - at)
				second()
				if c.reason == "" {
					w.Advance(12 * time.Hour)
					ana.ExpectsReply("we are open")
					return
				}
				ana.ExpectsNothing(12 * time.Hour)
				withdrawn(t, w, ana, c.reason)
			})
		})
	}
}

// So does what she answers while a reply that was decided just now waits for a session.
func TestMentionAnsweredByHandDuringARenewal(t *testing.T) {
	t.Parallel()
	var away, over atomic.Bool
	var expire func()
	cut := func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			switch endpoint := path.Base(r.URL.Path); {
			case endpoint == "publish_post" && !over.Swap(true):
				expire()
				away.Store(true)
			case away.Load() && (endpoint == "refresh_access_token" || endpoint == "login"):
				return nil, io.ErrUnexpectedEOF
			}
			return next.RoundTrip(r)
		})
	}
	bottest.Run(t, bottest.Config{Routes: opens(), Transport: cut}, func(w *bottest.World) {
		expire = func() { w.Platform().Expire(w.Account("bot").ID()) }
		ana := w.Person("ana")
		asked := ana.Mentions("@bot are you open?")
		w.Advance(5 * time.Minute)
		w.Platform().Reply(w.Account("bot").ID(), asked, "yes, until six")
		w.Advance(5 * time.Minute)
		if !away.Swap(false) {
			t.Error("the session did not end")
		}
		ana.ExpectsNothing(time.Hour)
		withdrawn(t, w, ana, "a person of ours has answered it")
	})
}
