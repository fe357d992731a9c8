package bot_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/crowd"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
	"github.com/nectar-bot/nectar/platform/session"
)

// TestCrowdInEveryDialect runs one bot end to end on every known disagreement between deployments: people write,
// mention, repost, follow and take it back, the session expires in the middle, and the platform's
// verdict has to be clear.
func TestCrowdInEveryDialect(t *testing.T) {
	for _, d := range dialects() {
		t.Run(d.Name, func(t *testing.T) {
			effort.Case(t)
			synctest.Test(t, func(t *testing.T) { runDialect(t, d.Dialect) })
		})
	}
}

func runDialect(t *testing.T, d emulator.Dialect) {
	t.Helper()
	p := emulator.New(emulator.Config{Seed: 7, Dialect: d})
	account := p.AddAccount(emulator.Person{Username: "bot", FirstName: "Bot"}, "bot@social.example", "secret")
	pipe := emulator.NewPipe(p)
	defer func() { _ = pipe.Close() }()
	st, err := store.Open(t.Context(), store.Options{Path: t.TempDir() + "/nectar.db", Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	router, err := bot.NewRouter(bot.RouterConfig{Routes: politeRoutes()})
	if err != nil {
		t.Fatal(err)
	}
	people := crowd.New(p, crowd.Config{
		Seed: 7, People: 6, Messages: 48, Account: account, Reactions: true,
		// Where get_messages is missing only the last message of a chat can be seen.
		Wait: d.Messages != emulator.Dialect{}.Messages, Pauses: 3 * time.Second, Replies: politeExpect(account, d).Replies,
	})
	since := p.Ledger().Len()
	b, err := bot.New(bot.Config{
		Accounts: []bot.Account{{
			Name: "main", BaseURL: pipe.BaseURL(), Credentials: session.Credentials{Email: "bot@social.example", Password: "secret"},
		}},
		Store: st, Router: router, Transport: pipe.Transport(), Pace: &event.Pace{}, PollInterval: time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- b.Run(ctx) }()
	time.Sleep(10 * time.Second) // virtual: the first polls set the cursors
	if err := people.Run(ctx); err != nil {
		t.Fatal(err)
	}
	p.Expire(account)
	p.Say(p.AddPerson(emulator.Person{Username: "late"}), account, "after the session expired")
	if err := judge.AwaitQuiet(ctx, p, politeExpect(account, d), 10*time.Minute); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Minute) // virtual: a second copy would come now
	stop()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	expect := politeExpect(account, d)
	expect.Since = since
	if v := judge.Platform(p, expect); !v.OK() || v.Messages < 49 {
		t.Errorf("%s\n%v", v, v.Details)
	}
}

// politeRoutes is a bot that answers, likes, thanks and follows back.
func politeRoutes() []bot.Route {
	return []bot.Route{
		bot.On("answer", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
			return t.Reply(politeAnswer(m.Text))
		}),
		bot.On("like", bot.AnyMention(), func(_ context.Context, t *bot.Turn, m event.Mention) error {
			t.Like(m.Post)
			return nil
		}),
		bot.On("thank", bot.AnyRepost(), func(_ context.Context, t *bot.Turn, r event.Repost) error {
			return t.Message("thank you", bot.OncePerPost("thanks", r.Post))
		}),
		bot.On("welcome", bot.AnyFollow(), func(_ context.Context, t *bot.Turn, _ event.Follow) error {
			t.Follow()
			return t.Message("welcome", bot.Once("welcome"))
		}),
	}
}

// politeAnswer repeats the beginning of a text: one dialect shows no more of it.
func politeAnswer(text string) string {
	begin := []rune(strings.TrimSpace(text))
	return "echo: " + string(begin[:min(20, len(begin))])
}

func politeExpect(account platform.UserID, d emulator.Dialect) judge.Expect {
	return judge.Expect{
		Account: account,
		Replies: func(said emulator.Entry) []string {
			if d.RawText { // where nothing is escaped, nobody can tell what somebody typed from the markup of a page
				said.Text = strings.NewReplacer("<b>", "", "</b>", "").Replace(said.Text)
			}
			return []string{politeAnswer(said.Text)}
		},
		ThankReposts:     func(emulator.Entry) (string, bool) { return "thank you", true },
		WelcomeFollowers: func(emulator.Entry) (string, bool) { return "welcome", true },
		LikeMentions:     true, FollowBack: true,
	}
}
