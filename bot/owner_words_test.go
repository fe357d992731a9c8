package bot_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// What a person of ours answered while the bot was down is not answered again, nor is who writes back to her: whatever
// the earlier incarnation left, and however it ended.
func TestAnsweredByHandWhileDown(t *testing.T) {
	t.Parallel()
	for _, left := range []string{"nothing", "pending", "due", "on its way"} {
		for name, end := range map[string]func(*bottest.World){"stop": (*bottest.World).Stop, "crash": (*bottest.World).CrashStop} {
			t.Run(left+" before a "+name, func(t *testing.T) {
				effort.Case(t)
				answeredByHand(t, left, end)
			})
		}
	}
}

func answeredByHand(t *testing.T, left string, end func(*bottest.World)) {
	t.Helper()
	ready := left != "pending"
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		bot.On("answer", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
			switch {
			case !ready:
				return errors.New("not now")
			case left == "due":
				return t.Reply("you said "+m.Text, bot.In(30*time.Minute))
			}
			return t.Reply("you said " + m.Text)
		}),
	}}, func(w *bottest.World) {
		var people []*bottest.Person
		for i := range 10 {
			people = append(people, w.Person(fmt.Sprint("ana", i)))
		}
		ask := func() {
			for _, p := range people {
				p.Says("a question")
			}
		}
		if left == "on its way" {
			w.Disturb("send_message", hangs(20)...)
		}
		if left != "nothing" {
			ask()
			w.Advance(40 * time.Second)
		}
		end(w)
		w.Advance(time.Minute)
		if left == "nothing" {
			ask()
		}
		for i, p := range people {
			w.Account("bot").Tells(p, "I answer by hand")
			if i%2 == 0 {
				p.Says("thank you, Ines")
			}
		}
		ready = true
		w.Start()
		w.Advance(2 * time.Hour)
		for _, p := range people {
			if c := w.Conversation(p); c.Owner != bot.OwnedByPerson {
				t.Errorf("the conversation belongs to %q", c.Owner)
			}
			if n := said(w, w.Account("bot").ID(), p.ID()); n > 0 {
				t.Errorf("the bot said %d things over what was answered by hand", n)
			}
			for _, tr := range w.Decisions(p) {
				if (left == "nothing" || left == "pending") && strings.HasPrefix(tr.Trigger, "message:") && tr.Outcome == bot.OutcomeHandled {
					t.Errorf("decided before it was known who has spoken: %v", tr)
				}
			}
		}
	})
}

// hangs is requests that never reach the platform, and get no answer.
func hangs(n int) []emulator.Fault {
	faults := make([]emulator.Fault, n)
	for i := range faults {
		faults[i] = emulator.CutBefore
	}
	return faults
}

// Nothing leaves in a conversation once an answer of the platform has shown words of a person of ours there, and what was
// said behind them is hers.
func TestNothingLeavesOverTheOwnersWords(t *testing.T) {
	t.Parallel()
	for _, before := range []string{"", "a question"} {
		t.Run("after "+before, func(t *testing.T) {
			effort.Case(t)
			watch := &overWords{}
			bottest.Run(t, bottest.Config{
				Routes: []bot.Route{echo()}, Transport: watch.on, Bot: bot.Config{PollInterval: 500 * time.Millisecond},
			}, func(w *bottest.World) {
				for i := range 10 {
					p := w.Person(fmt.Sprint("ana", i))
					if before != "" {
						p.Says(before)
					}
					w.Account("bot").Tells(p, "I have this one")
					p.Says("thank you")
					w.Advance(time.Duration(i) * 130 * time.Millisecond)
				}
				w.Advance(time.Minute)
				for i := range 10 {
					p := w.Person(fmt.Sprint("ana", i))
					if n := said(w, w.Account("bot").ID(), p.ID()); n > 0 {
						t.Errorf("%d answers to %d over the owner's words", n, i)
					}
				}
			})
			watch.verdict(t)
		})
	}
}

// A turn that is under way, and an answer that is due, when the owner's words are read: neither leaves.
func TestOwnersWordsTakeBackWhatIsDecided(t *testing.T) {
	t.Parallel()
	watch := &overWords{}
	var slow chan struct{}
	bottest.Run(t, bottest.Config{
		Routes: []bot.Route{
			bot.On("slow", saying("slow"), func(_ context.Context, t *bot.Turn, _ event.Message) error {
				<-slow
				return t.Reply("at last")
			}),
			bot.On("later", saying("later"), func(_ context.Context, t *bot.Turn, _ event.Message) error {
				return t.Reply("here", bot.In(10*time.Second))
			}),
		}, Transport: watch.on, Bot: bot.Config{PollInterval: 500 * time.Millisecond, HandlerTimeout: time.Hour},
	}, func(w *bottest.World) {
		slow = make(chan struct{})
		ana, leo := w.Person("ana"), w.Person("leo")
		ana.Says("slow")
		leo.Says("later")
		w.Advance(5 * time.Second)
		w.Account("bot").Tells(ana, "let me")
		w.Account("bot").Tells(leo, "let me")
		w.Advance(4 * time.Second)
		close(slow)
		w.Advance(time.Minute)
		for _, p := range []*bottest.Person{ana, leo} {
			if n := said(w, w.Account("bot").ID(), p.ID()); n > 0 {
				t.Errorf("%d answers over the owner's words", n)
			}
		}
	})
	watch.verdict(t)
}

// The dispatcher, who reads a chat to find out what became of a message, may be the first to see the owner's words there:
// neither the message nor what waits behind it leaves any more.
func TestOwnersWordsThatTheDispatcherReads(t *testing.T) {
	t.Parallel()
	watch := &overWords{}
	bottest.Run(t, bottest.Config{
		Routes: []bot.Route{echo()}, Transport: watch.on, Bot: bot.Config{PollInterval: 10 * time.Minute},
	}, func(w *bottest.World) {
		ana := w.Person("ana")
		w.Disturb("send_message", emulator.CutBefore)
		ana.Says("one", "two")
		for watch.sends() == 0 {
			w.Advance(time.Second)
		}
		w.Account("bot").Tells(ana, "let me")
		w.Advance(time.Hour)
		if n := said(w, w.Account("bot").ID(), ana.ID()); n > 0 {
			t.Errorf("%d answers over the owner's words", n)
		}
	})
	watch.verdict(t)
}

// The first page of a long chat may show the owner's words long before the last one is read: nothing leaves meanwhile.
func TestOwnersWordsAboveManyPages(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	watch := &overWords{}
	slowly := func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			if path.Base(r.URL.Path) == "get_messages" {
				time.Sleep(2 * time.Second)
			}
			return next.RoundTrip(r)
		})
	}
	bottest.Run(t, bottest.Config{
		Routes:    []bot.Route{later(10 * time.Second)},
		Transport: func(next http.RoundTripper) http.RoundTripper { return watch.on(slowly(next)) },
		Bot:       bot.Config{PollInterval: 500 * time.Millisecond},
	}, func(w *bottest.World) {
		leo := w.Person("leo")
		leo.Says("later")
		w.Advance(5 * time.Second)
		for i := range 300 {
			leo.Says(fmt.Sprint("and ", i))
		}
		w.Account("bot").Tells(leo, "let me")
		w.Advance(time.Hour)
	})
	watch.verdict(t)
}

// A message that is refused since the session has ended does not leave again once the owner's words have come.
func TestOwnersWordsDuringARenewal(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	watch := &overWords{}
	var expire atomic.Pointer[func()]
	slowly := func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			endpoint := path.Base(r.URL.Path)
			answer, err := next.RoundTrip(r)
			switch {
			case expire.Load() == nil:
			case endpoint == "get_messages":
				(*expire.Load())()
				time.Sleep(5 * time.Second)
			case endpoint == "refresh_access_token":
				time.Sleep(10 * time.Second)
			}
			return answer, err
		})
	}
	bottest.Run(t, bottest.Config{
		Routes:    []bot.Route{later(10 * time.Second)},
		Transport: func(next http.RoundTripper) http.RoundTripper { return watch.on(slowly(next)) },
		Bot:       bot.Config{PollInterval: 500 * time.Millisecond},
	}, func(w *bottest.World) {
		leo := w.Person("leo")
		leo.Says("later")
		w.Advance(9 * time.Second)
		once := sync.OnceFunc(func() { w.Platform().Expire(w.Account("bot").ID()) })
		expire.Store(&once)
		w.Account("bot").Tells(leo, "let me")
		w.Advance(time.Hour)
		if n := said(w, w.Account("bot").ID(), leo.ID()); n > 0 {
			t.Errorf("%d answers over the owner's words", n)
		}
	})
	watch.verdict(t)
}

// later answers after a while.
func later(after time.Duration) bot.Route {
	return bot.On("later", saying("later"), func(_ context.Context, t *bot.Turn, _ event.Message) error {
		return t.Reply("here", bot.In(after))
	})
}

// A mention or a reply that a person of ours has answered by hand, in its thread, is hers; one that the bot has answered
// is not.
func TestMentionAnsweredByHand(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for name, ended := range map[string]bool{"": false, "read without a session": true} { // which then is answered as if none was sent
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			var end func()
			transport := func(next http.RoundTripper) http.RoundTripper {
				return roundTripper(func(r *http.Request) (*http.Response, error) {
					if ended && path.Base(r.URL.Path) == "thread_data" {
						end()
					}
					return next.RoundTrip(r)
				})
			}
			bottest.Run(t, bottest.Config{Transport: transport, Platform: emulator.Config{Dialect: emulator.Dialect{StaleIsAnonymous: ended}}, Routes: []bot.Route{
				bot.On("mention", bot.AnyMention(), func(_ context.Context, t *bot.Turn, _ event.Mention) error { return t.Reply("thanks") }),
				bot.On("reply", bot.AnyReply(), func(_ context.Context, t *bot.Turn, _ event.Reply) error { return t.Reply("thanks") }),
			}}, func(w *bottest.World) {
				me := w.Account("bot").ID()
				end = func() { w.Platform().Expire(me) }
				ana, leo := w.Person("ana"), w.Person("leo")
				w.Stop()
				asked := ana.Mentions("@bot are you open?")
				w.Platform().Reply(me, asked, "yes, until six")
				leo.Mentions("@bot hello")
				w.Start()
				leo.ExpectsReply("thanks")
				ana.ExpectsNothing(time.Hour)
				decisions := w.Decisions(ana)
				if len(decisions) == 0 || decisions[0].Outcome != bot.OutcomeOwned || !strings.Contains(decisions[0].Note, "answered") {
					t.Errorf("the decisions are %v", decisions)
				}
			})
		})
	}
}

// Who takes a conversation over with the command takes back what waits behind a request that hangs, too, also when the
// bot is killed before anything more is stored.
func TestTakeOverBehindARequestThatHangs(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*bottest.World){"running": func(*bottest.World) {}, "killed": (*bottest.World).Crash} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, bottest.Config{Routes: []bot.Route{echo()}, Bot: bot.Config{PollInterval: time.Second}}, func(w *bottest.World) {
				ana := w.Person("ana")
				w.Disturb("send_message", emulator.CutBefore)
				ana.Says("one", "two", "three")
				w.Advance(3 * time.Second)
				takeOver := about(ana, event.WishTakeOver)
				takeOver.Owner = "ines"
				decides(t, w, takeOver, bot.OutcomeHandled, "ines has the conversation")
				end(w)
				w.Advance(5 * time.Minute)
				if n := said(w, w.Account("bot").ID(), ana.ID()); n > 0 {
					t.Errorf("the bot said %d things after the conversation was taken over", n)
				}
			})
		})
	}
}
