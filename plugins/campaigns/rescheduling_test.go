package campaigns_test

import (
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/handlers/campaigns"
)

// A slot comes at the minute that a person gives it, once, over restarts and crashes; its own minute passes.
func TestSlotIsMoved(t *testing.T) {
	t.Parallel()
	runMenu(t, func(f *filed, meanwhile func()) {
		f.asks("move", "spring-menu@2027-03-13T12:45 15:20", "spring-menu@2027-03-13T12:45 comes on Sat 13 March 15:20: repost "+f.name(1))
		meanwhile()
		f.asks("move", "spring-menu@2027-03-14T09:30 2027-03-13T18:05", "spring-menu@2027-03-14T09:30 comes on Sat 13 March 18:05: repost "+f.name(2))
		for text, want := range map[string]string{
			"spring-menu@2027-03-13T12:45 2027-03-21T09:00": "spring-menu ends on 2027-03-20: a slot comes until then",
			"spring-menu@2027-03-13T12:45 06:00":            "Sat 13 March 06:00 is over: write a time at least two minutes ahead",
			"spring-menu@2027-03-13T12:45 2027-03-12T09:00": "Fri 12 March 09:00 is over: write a time at least two minutes ahead",
			"spring-menu@2027-03-13T12:45 soon":             `"soon" is no time: write 2027-03-20T09:30, or 09:30 of the same day`,
			"spring-menu@2027-03-13T12:46 15:20":            "spring-menu has no slot on 2027-03-13 at 12:46",
		} {
			f.asks("move", text, want)
		}
		meanwhile()
		f.until("03-13 17:00")
		f.same(f.repost("03-13 14:30", 0), f.repost("03-13 20:20", 1))
		f.asks("move", "spring-menu@2027-03-13T12:45 17:30", "spring-menu@2027-03-13T12:45 is over: "+f.name(1)+" came at 15:20")
		f.asks("move", "spring-menu@2027-03-14T09:30 back", "spring-menu@2027-03-14T09:30 comes on Sun 14 March 09:30: repost "+f.name(2))
		meanwhile()
		f.until("03-15 10:00")
		f.same(f.repost("03-13 14:30", 0), f.repost("03-13 20:20", 1), f.repost("03-14 13:30", 2))
		f.asks("move", "spring-menu@2027-03-13T09:30 back", "spring-menu@2027-03-13T09:30 is over: "+f.name(0)+" came at 09:30")
	})
}

// What was approved for another minute is asked for again.
func TestMovedSlotIsAskedForAgain(t *testing.T) {
	t.Parallel()
	inMarket(t, 1, func(d *market) campaigns.Campaign {
		c := menu(d)
		c.Status, c.Jitter = campaigns.Ask, 0
		return c
	}, func(d *market) {
		d.until("03-13 08:00")
		d.approve()
		d.until("03-13 08:10")
		d.asks("move", "spring-menu@2027-03-13T09:30 11:00", "spring-menu@2027-03-13T09:30 comes on Sat 13 March 11:00: repost "+d.name(0)+", once it is approved")
		d.asks("move", "spring-menu@2027-03-13T09:30 08:20", "nobody could approve it then: that has to be done 30m before, so write a later time")
		d.until("03-13 10:00")
		d.same()
		d.approve()
		d.until("03-13 11:30")
		if got := strings.Join(d.happened(), "; "); got != d.reposts("16:00", 0) {
			t.Errorf("it did %s\n%s", got, d.book())
		}
	})
}

// name is how a post is called.
func (d *market) name(n int) string { return (&campaigns.Item{Post: d.posts[n]}).Name() }
