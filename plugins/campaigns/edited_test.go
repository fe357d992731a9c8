package campaigns_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// While what a slot publishes is on its way, or is not known to have come about, an edit neither makes it come a second time under
// another clock nor under the same one after the campaign was away, whatever the platform answers and whenever the bot is killed.
func TestEditWhileItIsOnItsWay(t *testing.T) {
	t.Parallel()
	edits := map[string]func(d *market){
		"another clock": func(d *market) {
			c := menu(d)
			c.Lines[0].When.Clock += 45
			d.uses(c)
		},
		"put back": func(d *market) {
			if err := d.plugin.Use("bot", nil); err != nil {
				d.t.Error(err)
			}
			d.Advance(20 * time.Second)
			d.uses(menu(d))
		},
		"put back under another clock": func(d *market) {
			if err := d.plugin.Use("bot", nil); err != nil {
				d.t.Error(err)
			}
			d.Advance(20 * time.Second)
			c := menu(d)
			c.Lines[0].When.Clock += 45
			d.uses(c)
		},
	}
	for name, edit := range edits {
		for _, fault := range []emulator.Fault{emulator.NoFault, emulator.CutAfter, emulator.Late, emulator.Err500Before} {
			t.Run(name+", "+fault.String(), func(t *testing.T) {
				effort.Case(t)
				inMarket(t, 3, menu, func(d *market) {
					planned := d.planned()
					d.before(planned[0], 10*time.Second)
					d.Disturb("publication_repost", fault)
					d.Advance(11 * time.Second)
					edit(d)
					d.Advance(3 * time.Second)
					d.Crash()
					d.plugin.Watch(d.Bot())
					d.until("03-13 11:30")
					got := d.happened()
					if len(got) != 1 || got[0] != planned[0] && fault == emulator.NoFault {
						t.Errorf("%q\n%s", got, d.book())
					}
					if !d.Platform().Reposted(d.Account("bot").ID(), d.posts[0]) {
						t.Error("it is not reposted")
					}
				})
			})
		}
	}
}

// A campaign that is taken out and put back on the same day does not repeat what has happened on it, under the clock that it had, and
// under another one.
func TestPutBackOnTheSameDay(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for name, clock := range map[string]string{"the same clock": "Sat 09:30", "another clock": "Sat 12:00"} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			inMarket(t, 4, menu, func(d *market) {
				planned := d.planned()
				d.until("03-13 10:00")
				d.same(planned[0])
				if err := d.plugin.Use("bot", nil); err != nil {
					t.Fatal(err)
				}
				d.Advance(10 * time.Minute)
				d.force = nil // also in the next incarnation
				d.Crash()
				c := menu(d)
				c.Lines = []campaigns.Line{line(t, clock), line(t, "Sat 16:00")}
				d.uses(c)
				d.plugin.Watch(d.Bot())
				d.until("03-13 15:00")
				d.same(planned[0])
				d.until("03-13 17:00")
				if got := d.happened(); len(got) != 2 || !strings.HasPrefix(got[1], "03-13 21:0") {
					t.Errorf("%q\n%s", got, d.book())
				}
			})
		})
	}
}

// Without a post that may come the slots stay empty, and say why of each post; once one may, it comes.
func TestNoPostMayCome(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	inMarket(t, 2, func(d *market) campaigns.Campaign {
		c := menu(d)
		c.Items[0].NotBefore, c.Items[1].Status = day(t, "2027-03-15"), campaigns.Paused
		return c
	}, func(d *market) {
		d.until("03-13 14:00")
		d.same()
		d.says("03-13T09:30", "skip: no post may come now", "not before Mon 15 March", "its status is paused")
		d.uses(menu(d))
		d.until("03-13 17:00")
		if got := d.happened(); len(got) != 1 {
			t.Errorf("%q\n%s", got, d.book())
		}
	})
}
