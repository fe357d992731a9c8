package campaigns_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
)

// What a person publishes by hand keeps its distance from slots, too: from reposts, and from texts.
func TestSlotGivesWayToAHand(t *testing.T) {
	t.Parallel()
	plain := func(d *market) campaigns.Campaign {
		c := menu(d)
		c.Jitter, c.KeepApart = 0, 90*time.Minute
		return c
	}
	inMarket(t, 3, plain, func(d *market) {
		d.until("03-13 08:40")
		d.Platform().Post(d.Account("bot").ID(), "by hand")
		d.until("03-13 14:00")
		d.same(fmt.Sprintf("03-13 17:45 repost %d", d.posts[1]))
		d.says("03-13T09:30 skip: too close to the publication")
	})
}

// A post that the platform says is of next year is nobody's: it keeps no slot away, and makes nothing forgotten that counts.
func TestPostOfNextYear(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	near := func(d *market) campaigns.Campaign {
		c := menu(d)
		c.Jitter, c.KeepApart = 0, 90*time.Minute
		c.Lines = []campaigns.Line{line(t, "Sat 09:30"), line(t, "Sat 11:30"), line(t, "Sat 13:30")}
		return c
	}
	inMarket(t, 3, near, func(d *market) {
		budget := campaigns.Budget{Most: text.Limit{Max: 2, Per: 24 * time.Hour}, Apart: 2 * time.Minute}
		if err := d.plugin.UseWithin(budget, "bot", d.force); err != nil {
			t.Fatal(err)
		}
		d.until("03-13 10:00")
		d.Platform().PostedAt(d.Account("bot").ID(), "hello from next year", time.Now().AddDate(1, 0, 0))
		d.until("03-13 14:00")
		d.says("03-13T13:30 skip: the account publishes at most 2 times in 1d")
		if got := d.happened(); len(got) != 2 || !strings.HasPrefix(got[1], "03-13 16:30") {
			t.Errorf("%q\n%s", got, d.book())
		}
	})
}

// A text keeps its distance as well. What a person answers is nothing that is published, and what comes at the last moment is waited for.
func TestTextGivesWayToAHand(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	texts := func(d *market) campaigns.Campaign {
		c := menu(d)
		c.Do, c.Jitter, c.KeepApart, c.Gap, c.Items = campaigns.Publish, 0, 30*time.Minute, 24*time.Hour, nil
		for _, words := range []string{"open", "really open", "still open"} {
			c.Items = append(c.Items, campaigns.Item{Key: campaigns.TextKey(words), Text: words})
		}
		c.Lines = []campaigns.Line{line(t, "Sat 09:30"), line(t, "Sat 12:45"), line(t, "Sat 16:00")}
		return c
	}
	inMarket(t, 1, texts, func(d *market) {
		me := d.Account("bot").ID()
		d.until("03-13 09:20")
		d.Platform().Post(me, "by hand")
		d.until("03-13 12:40")
		d.Platform().Reply(me, d.posts[0], "an answer by hand")
		d.until("03-13 15:31")
		d.Platform().Post(me, "by hand again")
		d.until("03-13 17:00")
		d.says("03-13T09:30 skip: too close to the publication by hand on Sat 13 March 09:20: 30m have to be between them")
		var when []string
		for _, line := range d.happened() {
			when = append(when, line[:len("03-13 17:45")])
		}
		if diff := cmp.Diff([]string{"03-13 17:45", "03-13 21:01"}, when); diff != "" {
			t.Errorf("(-want +happened)\n%s\n%s", diff, d.book())
		}
	})
}

// A post that somebody reposted by hand an hour ago keeps its gap, however long ago it was written: the page does not say when it was
// reposted, but what was written before and after it.
func TestRepostedByHandKeepsItsGap(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for name, test := range map[string]struct {
		first, before bool // an own post below the repost, and one above it
		renewed       string
	}{
		"nothing else on the page": {false, false, "03-15 13:30"},
		"something below":          {true, false, "03-15 13:30"},
		"something above":          {true, true, "03-14 22:30"},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			renews := func(d *market) campaigns.Campaign {
				c := menu(d)
				c.Starts, c.Ends, c.Jitter, c.KeepApart = day(t, "2027-03-14"), day(t, "2027-03-15"), 0, time.Minute
				c.Each, c.Renews, c.Gap, c.Items = 0, true, 24*time.Hour, c.Items[:1]
				c.Lines = []campaigns.Line{line(t, "Sun 09:30"), line(t, "Sun 18:30"), line(t, "Mon 09:30")}
				return c
			}
			inMarket(t, 1, renews, func(d *market) {
				me := d.Account("bot").ID()
				d.Account("bot").Tell("campaigns/lifts", "yes")
				d.until("03-13 17:00")
				if test.first {
					d.Platform().Post(me, "before")
				}
				d.Platform().Repost(me, d.posts[0])
				if test.before {
					d.until("03-13 17:20")
					d.Platform().Post(me, "behind")
				}
				d.until("03-15 12:00")
				d.same(test.renewed+" undo "+fmt.Sprint(d.posts[0]), test.renewed+" repost "+fmt.Sprint(d.posts[0]))
				d.says("03-14T09:30 skip: no post may come now", "gap 1d, last by hand on ")
			})
		})
	}
}

// A renewal of what somebody has reposted by hand is prepared once: what was approved stays so over starts, since what was read of the
// post is remembered.
func TestApprovedRenewalOfARepostByHand(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	renews := func(d *market) campaigns.Campaign {
		c := menu(d)
		c.Starts, c.Ends, c.Jitter, c.Status = day(t, "2027-03-15"), day(t, "2027-03-15"), 0, campaigns.Ask
		c.Each, c.Renews, c.Gap, c.Items = 0, true, 24*time.Hour, c.Items[:1]
		c.Lines = []campaigns.Line{line(t, "Mon 09:30")}
		d.Platform().Repost(d.Account("bot").ID(), d.posts[0])
		return c
	}
	inMarket(t, 1, renews, func(d *market) {
		d.Account("bot").Tell("campaigns/lifts", "yes")
		d.until("03-14 09:05") // it is prepared, a day before its approval is over
		d.approve()
		for range 3 {
			d.Restart()
			d.Advance(time.Minute)
			if len(d.held()) > 0 {
				t.Fatalf("what was approved is asked for again: %+v", d.held())
			}
		}
		d.until("03-15 12:00")
		d.same(fmt.Sprintf("03-15 13:30 undo %d", d.posts[0]), fmt.Sprintf("03-15 13:30 repost %d", d.posts[0]))
	})
}
