package simulate_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
)

// served counts, in a conversation, the messages that were answered in it.
var served = bot.NewValue[int]("simulate", "served")

// routes are what the bot does: it answers each message with its number in the conversation, likes and
// reposts mentions and answers them with a post, follows and welcomes followers, and thanks for
// reposts a little later, by a timer or with a message that waits.
func routes(posts []platform.PostID) []bot.Route {
	all := []bot.Route{
		bot.On("answer", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
			n, _, err := served.Load(t)
			if err != nil {
				return err
			}
			return errors.Join(served.Save(t, n+1), t.Reply(answer(n+1, m.Text)))
		}),
		bot.On("mention", bot.AnyMention(), func(_ context.Context, t *bot.Turn, m event.Mention) error {
			if m.Text == "" { // it was decided without the post
				return t.Publish(fmt.Sprintf("blind to %d", m.Post))
			}
			t.Like(m.Post)
			t.Repost(m.Post)
			return t.Publish(fmt.Sprintf("seen %d", m.Post))
		}),
		bot.On("reply", bot.AnyReply(), func(_ context.Context, t *bot.Turn, r event.Reply) error {
			t.Like(r.Post)
			return nil
		}),
		bot.On("follow", bot.AnyFollow(), func(_ context.Context, t *bot.Turn, _ event.Follow) error {
			t.Follow()
			return t.Message("welcome", bot.Once("welcome"))
		}),
		bot.On("repost", bot.AnyRepost(), func(_ context.Context, t *bot.Turn, r event.Repost) error {
			if r.Post == posts[0] {
				return t.Message(thanks(r.Post), bot.In(4*time.Second), bot.Once(thanks(r.Post)))
			}
			t.After(3*time.Second, thanks(r.Post))
			return nil
		}),
	}
	return append(all, timers(posts)...)
}

// timers are what thanks for reposts of posts.
func timers(posts []platform.PostID) (all []bot.Route) {
	for _, post := range posts {
		name := thanks(post)
		all = append(all, bot.On(name, bot.Timer(name), func(_ context.Context, t *bot.Turn, _ event.Timer) error {
			return t.Message(name, bot.Once(name))
		}))
	}
	return all
}

func thanks(post platform.PostID) string { return fmt.Sprint("thanks for ", post) }

// answer is the answer to the n-th message of somebody. Some answers are twins of one another.
func answer(n int, text string) string {
	if n%4 == 0 {
		return "one moment"
	}
	return fmt.Sprintf("%d: %s", n, text)
}

// expect is the measure for what the bot did since that position of the ledger.
func expect(account platform.UserID, since int64) judge.Expect {
	count := map[platform.UserID]int{}
	return judge.Expect{
		Account: account, Since: since,
		Replies: func(said emulator.Entry) []string {
			count[said.From]++
			return []string{answer(count[said.From], said.Text)}
		},
		Publishes: func(e emulator.Entry) []string {
			if e.Kind != emulator.Mentioned {
				return nil
			}
			return []string{fmt.Sprintf("seen %d", e.Post)}
		},
		ThankReposts:     func(r emulator.Entry) (string, bool) { return thanks(r.Post), true },
		WelcomeFollowers: func(emulator.Entry) (string, bool) { return "welcome", true },
		LikeMentions:     true, LikeReplies: true, RepostMentions: true, FollowBack: true,
	}
}

// mostStumbles is how often a turn may fail: fewer tries than lead to quarantine.
const mostStumbles = 3

// unsteady lets some tries of turns take their time, and some fail.
func (s *simulation) unsteady(next bot.Handler) bot.Handler {
	return bot.HandlerFunc(func(ctx context.Context, t *bot.Turn) error {
		name := fmt.Sprintf("try %s %s", t.Trigger.Key.Account, t.Trigger.ID())
		d := s.dice.draw(name)
		if err := s.dice.wait(ctx, nil, d.between(time.Microsecond, 500*time.Microsecond), name); err != nil {
			return err
		}
		if err := next.Handle(ctx, t); err != nil {
			return err
		}
		if s.plan.stumbles > 0 && d.time <= mostStumbles {
			switch d.n(int64(s.plan.stumbles)) {
			case 0:
				return errors.New("stumbled")
			case 1:
				panic("fell")
			}
		}
		return nil
	})
}
