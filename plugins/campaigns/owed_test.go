package campaigns_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// twice is a campaign that reposts a post of our own at 09:30, and anew at 11:30; nobody is asked.
func twice(d *market) campaigns.Campaign {
	d.posts = append(d.posts, d.Platform().Post(d.Account("bot").ID(), "our own dish"))
	c := menu(d)
	c.Lines = []campaigns.Line{line(d.t, "Sat 09:30"), line(d.t, "Sat 11:30")}
	c.Ends = day(d.t, "2027-03-13")
	c.Each, c.Renews, c.Gap, c.Jitter, c.KeepApart = 0, true, time.Hour, 0, time.Minute
	return c
}

// A repost that a renewal has taken back is made again, whatever becomes meanwhile of its campaign, its account, or the limit of what
// is published; people take nothing back that way.
func TestOwed(t *testing.T) {
	t.Parallel()
	ask := func(wish event.Wish) func(d *market) {
		return func(d *market) { d.Ask(event.Request{Key: event.Own("bot"), Wish: wish}) }
	}
	for name, meanwhile := range map[string]func(d *market){
		"nothing":             func(*market) {},
		"a pause":             func(d *market) { d.Account("bot").Tell("campaigns/pause", "spring-menu") },
		"the account's pause": ask(event.WishPause),
		"a removed file": func(d *market) {
			if err := d.plugin.Use("bot", nil); err != nil {
				d.t.Error(err)
			}
		},
		"another id": func(d *market) {
			c := *d.force[0]
			c.ID, c.Status = "autumn-menu", campaigns.Watch
			d.uses(c)
		},
		"the end": func(d *market) {
			c := *d.force[0]
			c.Ends = day(d.t, "2027-03-12")
			d.uses(c)
		},
		"a budget that is used up": func(d *market) {
			budget := campaigns.Budget{Most: text.Limit{Max: 1, Per: 24 * time.Hour}, Apart: 3 * time.Hour}
			if err := d.plugin.UseWithin(budget, "bot", d.force); err != nil {
				d.t.Error(err)
			}
		},
		"a skipped slot": func(d *market) { d.Account("bot").Tell("campaigns/skip", "spring-menu@2027-03-13T11:30") },
		"a sign-in that is refused": func(d *market) {
			me := d.Account("bot").ID()
			d.Platform().SetPassword(me, "changed by a person")
			d.Platform().Revoke(me)
			d.Platform().RevokeRefresh(me)
			d.until("03-13 11:50")
			if got := d.happened(); len(got) != 2 {
				d.t.Errorf("it is reposted without a session: %q", got)
			}
			if open := d.open(); len(open) != 1 || open[0].Verb != event.VerbRenew {
				d.t.Errorf("what is owed cannot be seen: %+v", open)
			}
			d.Platform().SetPassword(me, "correct horse")
			d.Restart()
		},
		"kills": func(d *market) {
			for range 5 {
				d.Crash()
				d.Advance(7 * time.Second)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			inMarket(t, 0, twice, func(d *market) {
				d.Account("bot").Tell("campaigns/lifts", "yes")
				d.until("03-13 11:29")
				d.Disturb("publication_repost", append([]emulator.Fault{emulator.NoFault}, slices.Repeat([]emulator.Fault{emulator.Err500Before}, 4)...)...)
				d.until("03-13 11:31")
				if got := d.happened(); len(got) != 2 || d.Platform().Reposted(d.Account("bot").ID(), d.posts[0]) {
					t.Fatalf("it is not half done: %q\n%s", got, d.book())
				}
				meanwhile(d)
				d.until("03-13 12:30")
				undo, again := fmt.Sprintf(" undo %d", d.posts[0]), fmt.Sprintf(" repost %d", d.posts[0])
				got := d.happened()
				if len(got) != 3 || got[0] != "03-13 14:30"+again || got[1] != "03-13 16:30"+undo || got[2][len("03-13 16:30"):] != again {
					t.Errorf("%q\n%s", got, d.book())
				}
				if !d.Platform().Reposted(d.Account("bot").ID(), d.posts[0]) {
					t.Error("it is not reposted")
				}
			})
		})
	}
}
