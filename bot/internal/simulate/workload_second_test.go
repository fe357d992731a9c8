package simulate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
)

const secondName event.Account = "second"

// second is another account of the same bot, which does the same as the first one, at a pace and with
// sessions of its own. It deals with the four people, with somebody who knows it alone, and with the
// first account: its owner writes to that one, and is not answered.
type second struct {
	s       *simulation
	account platform.UserID
	own     platform.UserID
	posts   []platform.PostID
	said    int
}

func drawSecond(dice *rand.Rand) []string {
	deeds := []string{
		"says", "says", "says", "says", "says", "says", "mentions", "answers", "follows", "unfollows", "reposts",
		"tells", "hears", "expires",
	}
	steps := make([]string, 15+dice.IntN(25))
	for i := range steps {
		what := deeds[dice.IntN(len(deeds))]
		if what == "expires" && dice.IntN(3) == 0 {
			what = "revokes"
		}
		steps[i] = fmt.Sprintf("%s %d", what, dice.IntN(people+1))
	}
	return steps
}

func newSecond(s *simulation) workload { return &second{s: s} }

func (g *second) begin() {
	g.account = g.s.addAccount(secondName)
	g.own = g.s.platform.AddPerson(emulator.Person{Username: "guest-second"})
	g.posts = []platform.PostID{g.s.platform.Post(g.account, "menu three"), g.s.platform.Post(g.account, "menu four")}
}

// configure adds the account. Its address is the one of the first account, written in another way.
func (g *second) configure(cfg *bot.Config) {
	a := accountAt(strings.Replace(cfg.Accounts[0].BaseURL, ".localhost/", ".localhost:80/", 1), secondName)
	a.Pace = &event.Pace{Account: event.Rate{PerSecond: 3, Burst: 3}}
	a.PollInterval = cfg.PollInterval + 333*time.Millisecond
	cfg.Accounts = append(cfg.Accounts, a)
}

// routes adds what depends on the account's own posts to what the bot does for both.
func (g *second) routes() []bot.Route { return timers(g.posts) }

func (g *second) do(_ context.Context, what string) error {
	g.said++
	var deed string
	var n int
	if _, err := fmt.Sscan(what, &deed, &n); err != nil {
		return err
	}
	who, post, p := append(g.s.people[:people:people], g.own)[n], g.posts[n%len(g.posts)], g.s.platform
	line := fmt.Sprint("second line ", g.said/2) // there are twins
	switch deed {
	case "says":
		p.Say(who, g.account, line)
	case "mentions":
		p.Mention(who, g.account, fmt.Sprint("look second ", g.said))
	case "answers":
		p.Reply(who, post, fmt.Sprint("well ", g.said))
	case "follows":
		p.Follow(who, g.account)
	case "unfollows":
		p.Unfollow(who, g.account)
	case "reposts":
		p.Repost(who, post)
	case "tells":
		p.SayAs(g.account, g.s.account, line)
	case "hears":
		p.SayAs(g.s.account, g.account, line)
	case "expires":
		p.Expire(g.account)
	case "revokes":
		p.Revoke(g.account)
	}
	return nil
}

func (g *second) knows(e emulator.Entry) bool {
	mine := []platform.UserID{g.account, g.own}
	return slices.Contains(mine, e.From) || slices.Contains(mine, e.To)
}

// judge measures the account as the first one. The two have nothing to say to each other but what their
// owners write.
func (g *second) judge(mine []emulator.Entry) (wrong []string) {
	theirs := mine[:0]
	for _, e := range mine {
		switch e.From + e.To {
		case g.account + g.s.account:
			if e.ByAPI {
				wrong = append(wrong, fmt.Sprintf("the accounts talk to each other: %s %q", e.Kind, e.Text))
			}
		default:
			theirs = append(theirs, e)
		}
	}
	verdict := judge.Entries(theirs, expect(g.account, 0))
	if !verdict.OK() {
		wrong = append(append(wrong, verdict.String()), verdict.Details...)
	}
	return wrong
}

func (g *second) after(context.Context) error { return nil }
