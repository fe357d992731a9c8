package bot_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
)

func TestTwoAccounts(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	bottest.Run(t, bottest.Config{
		Routes: []bot.Route{bot.On("count", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
			t.Label(m.Text)
			return t.Reply(string(t.Event.Account)+" "+strings.Join(t.Conversation.Labels, "+"), bot.AtMostInAll(3, 0, "all"))
		})},
		Accounts: []event.Account{"cafe", "shop"},
	}, func(w *bottest.World) {
		cafe, shop := w.Person("ana"), w.Account("shop").Person("ana")
		cafe.Says("a")
		cafe.Expects("cafe a")
		shop.Says("b")
		shop.Expects("shop b")
		w.Crash()
		cafe.Says("c", "d", "e")
		shop.Says("f")
		cafe.Expects("cafe a+c", "cafe a+c+d")
		shop.Expects("shop b+f")
		cafe.ExpectsNothing(time.Hour)
	})
}

// An account that cannot sign in holds up no other.
func TestOneAccountLockedOut(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	bottest.Run(t, bottest.Config{Routes: []bot.Route{echo()}, Accounts: []event.Account{"cafe", "shop"}}, func(w *bottest.World) {
		p, shop := w.Platform(), w.Account("shop")
		p.SetPassword(shop.ID(), "changed")
		p.Revoke(shop.ID())
		shop.Person("ana").Says("hi")
		w.Person("ana").Says("hi")
		w.Person("ana").Expects("hi")
		shop.Person("ana").ExpectsNothing(30 * time.Minute)
		if n := p.Calls("login"); n > 12 {
			t.Errorf("the bot hammered: %d sign-ins in half an hour", n)
		}
		p.SetPassword(shop.ID(), "correct horse")
		w.Advance(40 * time.Minute) // longer than the longest pause after a refused password
		shop.Person("ana").Expects("hi")
		w.Person("ana").ExpectsNothing(0)
	})
}

func TestRefusedPeers(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		echo(), bot.On("like", bot.AnyLike(), says[event.Like]("thank you")),
	}}, func(w *bottest.World) {
		ana, leo, menu := w.AddPerson(emulator.Person{Username: "ana", RefuseMessages: true}), w.Person("leo"), w.Posts("spring menu")
		ana.Likes(menu)
		leo.Likes(menu)
		leo.Expects("thank you")
		ana.ExpectsNothing(time.Hour)
		if n := w.Platform().Calls("send_message"); n != 2 {
			t.Errorf("%d messages were tried", n)
		}
		leo.Says("hi")
		leo.Expects("hi")
		leo.Blocks()
		leo.ExpectsNothing(time.Minute)
	})
}
