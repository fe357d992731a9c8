package bot_test

import (
	"context"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
)

// What people of ours write in a conversation is kept with it, until the person is forgotten; nothing of it is kept of whom
// the bot leaves alone.
func TestSaidByHand(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: remembering()}, func(w *bottest.World) {
		ana, leo := w.Person("ana"), w.Person("leo")
		said := func(p *bottest.Person) (texts []string) {
			w.Inspect(func(d inspect.Inspector) {
				all, err := d.Takeovers(context.Background(), event.Key{Account: "bot", Peer: p.ID()}, 10)
				if err != nil {
					t.Fatal(err)
				}
				for i := range all {
					texts = append(texts, bot.SaidByHand(all[i].Facts))
				}
			})
			return texts
		}
		for _, p := range []*bottest.Person{ana, leo} {
			p.Says("hi")
			p.Expects("hi after nothing")
		}
		ignored := forgetting(leo)
		ignored.Ignore = true
		decides(t, w, ignored, bot.OutcomeHandled, "left alone")
		w.Account("bot").Tells(ana, "it is me, with a zebra")
		w.Account("bot").Tells(leo, "and here, with a zebra")
		w.Advance(time.Minute)
		w.Account("bot").Tells(ana, "me again")
		w.Advance(time.Minute)
		if got := said(ana); len(got) != 2 || got[0] != "me again" || got[1] != "it is me, with a zebra" {
			t.Errorf("what was said to ana is %q", got)
		}
		for _, text := range said(leo) {
			if text != "" {
				t.Errorf("%q is kept of somebody who is ignored", text)
			}
		}
		decides(t, w, forgetting(ana), bot.OutcomeHandled, "forgot")
		if found := hasIn(t, w, "zebra"); len(found) > 0 {
			t.Error(found)
		}
	})
}
