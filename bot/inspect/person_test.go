package inspect_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/stored"
	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

func TestFind(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, s *shelf) {
		t.Helper()
		for n, who := range []struct {
			account event.Account
			peer    platform.UserID
			user    string
			known   bool // a conversation has the name, too
		}{{"shop", 7, "ana", true}, {"shop", 8, "berk", true}, {"cafe", 8, "berk", true}, {"shop", 9, "twin", true}, {"shop", 10, "twin", true}, {"shop", 11, "glimpsed", false}} {
			e := event.Event{Account: who.account, ID: event.ID{Source: event.Messages, Number: int64(n + 1)}, Kind: event.KindMessage, Peer: who.peer, User: who.user, SeenAt: noon}
			turn := &stored.Turn{Trigger: event.Trigger{Kind: event.ByEvent, Key: e.Key(), Event: e}, Record: event.DecisionRecord{Outcome: bot.OutcomeHandled}, At: noon}
			if who.known {
				turn.Conversation = &conversation.State{Key: e.Key(), Version: 1, User: who.user}
			}
			s.put(t, stored.Write{Turn: turn})
			s.store.QueueCursors(record.Cursor{Account: who.account, Source: event.Messages, ID: 9, PolledAt: noon})
		}
		if err := s.store.MarkNow(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct{ text, of, want, kept string }{
			{"@ana", "", "shop 7", "shop 7"},
			{"ANA", "", "shop 7", "shop 7"},
			{"7", "", "shop 7", "shop 7"},
			{"7", "cafe", "nobody is known as", "nobody is known as"},
			{"@berk", "", "deals with several accounts", "deals with several accounts"},
			{"@berk", "cafe", "cafe 8", "cafe 8"},
			{"twin", "shop", "several people were", "several people were"},
			{"@glimpsed", "", "nobody is known as", "shop 11"},
			{"11", "", "shop 11", "shop 11"},
			{"@", "", "nobody is known as", "nobody is known as"},
			{"0", "", "nobody is known as", "nobody is known as"},
		} {
			var of []event.Account
			if c.of != "" {
				of = append(of, event.Account(c.of))
			}
			key, err := inspect.Find(t.Context(), s, c.text, of...)
			fits(t, "Find "+c.text, c.want, key, err)
			p, err := inspect.FindKept(t.Context(), s, c.text, of...)
			if p != nil {
				key = p.Key
			}
			fits(t, "FindKept "+c.text, c.kept, key, err)
		}
	})
}

// fits wants a key, or an error that says something.
func fits(t *testing.T, what, want string, key event.Key, err error) {
	t.Helper()
	have := fmt.Sprintf("%s %d", key.Account, key.Peer)
	if unclear := (*inspect.PersonError)(nil); errors.As(err, &unclear) {
		have = unclear.Error()
	} else if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(have, want) {
		t.Errorf("%s: %s, want %s", what, have, want)
	}
}

// What is decided beside a bot that runs is done by it, and it says so.
func TestDecide(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hello")
		w.Advance(time.Minute)
		ctx := context.Background() // the test's own is not of this time
		w.Inspect(func(i inspect.Inspector) {
			key, err := inspect.Find(ctx, i, "@ana")
			if err != nil {
				t.Fatal(err)
			}
			asked, running, err := inspect.Decide(ctx, i, "ines", event.Request{Key: key, Wish: event.WishTakeOver, Owner: "sales"})
			if err != nil || !running || asked[0].By != "ines" {
				t.Fatal(asked, running, err)
			}
			answer, ok, err := inspect.Await(ctx, i, asked[0], time.Now().Add(time.Minute))
			if err != nil || !ok || answer.Outcome != bot.OutcomeHandled {
				t.Error(answer, ok, err)
			}
		})
	})
}
