package demo

import (
	"context"
	"strings"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
)

// The sample bot of the demo, and what the platform expects of it. Both are made of the same texts.

const (
	demoThanks  = "Thank you for passing our post on!"
	demoWelcome = "Welcome! Ask us anything here."
)

// demoAnswer is the sample bot's answer to a message.
func demoAnswer(text string) string {
	switch lower := strings.ToLower(text); {
	case strings.Contains(lower, "price") || strings.Contains(lower, "cost"):
		return "The small box is 12, the family box 28. Which one would you like?"
	case strings.Contains(lower, "open") || strings.Contains(lower, "hours"):
		return "We are open Mon-Fri 9:00-18:30 and Sat 10:00-14:00."
	}
	return "You wrote: " + print.ExcerptOf(text, 60)
}

func demoRoutes() []bot.Route {
	return []bot.Route{
		bot.On("answer", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
			return t.Reply(demoAnswer(m.Text))
		}),
		bot.On("like-mentions", bot.AnyMention(), func(_ context.Context, t *bot.Turn, m event.Mention) error {
			t.Like(m.Post)
			return nil
		}),
		bot.On("like-replies", bot.AnyReply(), func(_ context.Context, t *bot.Turn, r event.Reply) error {
			t.Like(r.Post)
			return nil
		}),
		bot.On("thank-reposters", bot.AnyRepost(), func(_ context.Context, t *bot.Turn, r event.Repost) error {
			return t.Message(demoThanks, bot.OncePerPost("thanks", r.Post))
		}),
		bot.On("welcome-followers", bot.AnyFollow(), func(_ context.Context, t *bot.Turn, _ event.Follow) error {
			t.Follow()
			return t.Message(demoWelcome, bot.Once("welcome"))
		}),
	}
}

// expectedJudge is what a correct sample bot does.
func (st *stage) expectedJudge(since int64) judge.Expect {
	if st.demo.Rules {
		return demoExpectRules(st.account, since)
	}
	return demoExpect(st.account, since)
}

// demoExpect is what a correct sample bot does.
func demoExpect(account platform.UserID, since int64) judge.Expect {
	return judge.Expect{
		Account: account, Since: since,
		Replies:          func(said emulator.Entry) []string { return []string{demoAnswer(said.Text)} },
		ThankReposts:     func(emulator.Entry) (string, bool) { return demoThanks, true },
		WelcomeFollowers: func(emulator.Entry) (string, bool) { return demoWelcome, true },
		LikeMentions:     true, LikeReplies: true, FollowBack: true,
	}
}
