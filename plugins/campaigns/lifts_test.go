package campaigns_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// anew is a campaign of one post that is reposted anew every day at 09:30, for four days.
func anew(d *market) campaigns.Campaign {
	c := menu(d)
	c.Each, c.Renews, c.Gap, c.Jitter = 4, true, 23*time.Hour, 0
	c.Ends = day(d.t, "2027-03-16")
	c.Lines = nil
	for _, when := range []string{"Sat 09:30", "Sun 10:30", "Mon 11:30", "Tue 12:30"} {
		c.Lines = append(c.Lines, line(d.t, when))
	}
	return c
}

// The first renewal on a platform is asked for. When our own page shows the post higher afterwards, the others are not.
func TestFirstRenewalLifts(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	inMarket(t, 1, anew, func(d *market) {
		d.until("03-14 08:00")
		if held := d.held(); len(held) != 1 || held[0].Verb != event.VerbRenew {
			t.Fatalf("%+v", held)
		}
		d.approve()
		d.until("03-14 12:00")
		if got := d.happened(); len(got) != 3 {
			t.Fatalf("%q\n%s", got, d.book())
		}
		d.until("03-15 12:00")
		if held, got := d.held(), d.happened(); len(held) > 0 || len(got) != 5 {
			t.Errorf("%+v %q\n%s", held, got, d.book())
		}
		if told := d.told(); strings.Contains(told, "does not lift") {
			t.Errorf("%s", told)
		}
	})
}

// A post of our own is not lifted: that is said once, and each further renewal is asked for.
func TestRenewalThatDoesNotLift(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	inMarket(t, 0, func(d *market) campaigns.Campaign {
		d.posts = append(d.posts, d.Platform().Post(d.Account("bot").ID(), "our dish"))
		return anew(d)
	}, func(d *market) {
		for _, day := range []string{"03-14", "03-15", "03-16"} {
			d.until(day + " 08:00")
			if held := d.held(); len(held) != 1 || held[0].Verb != event.VerbRenew {
				t.Fatalf("%s %+v", day, held)
			}
			d.approve()
			d.until(day + " 13:00")
			if n := strings.Count(d.told(), "the platform does not lift reposts"); n != 1 {
				t.Errorf("%s: it is said %d times: %s", day, n, d.told())
			}
		}
		if got := d.happened(); len(got) != 7 {
			t.Errorf("%q\n%s", got, d.book())
		}
	})
}

// Somebody who has seen it tells: yes ends the asking, no begins it again, and what is neither is not taken.
func TestToldWhetherRenewalsLift(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	inMarket(t, 1, anew, func(d *market) {
		d.until("03-13 10:00")
		if a := d.Account("bot").Tell("campaigns/lifts", "perhaps"); !strings.Contains(a.Note, "write yes or no") {
			t.Errorf("%+v", a)
		}
		if a := d.Account("bot").Tell("campaigns/lifts", "yes"); !strings.Contains(a.Note, "yes") {
			t.Errorf("%+v", a)
		}
		d.until("03-14 12:00")
		if held, got := d.held(), d.happened(); len(held) > 0 || len(got) != 3 {
			t.Errorf("%+v %q\n%s", held, got, d.book())
		}
		d.Account("bot").Tell("campaigns/lifts", "no")
		d.until("03-15 08:00")
		if held := d.held(); len(held) != 1 {
			t.Errorf("%+v", held)
		}
	})
}

// Where posts do not tell whether they are reposted, absence is no "no": first reposts of posts that neither our book nor our own
// page shows are made, and nothing is reposted anew. That is remembered.
func TestPlatformThatDoesNotTell(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	inMarket(t, 3, func(d *market) campaigns.Campaign {
		c := menu(d)
		c.Each, c.Renews, c.Gap, c.Jitter = 0, true, 24*time.Hour, 0
		c.Ends = day(d.t, "2027-03-15")
		c.Lines = append(c.Lines, line(d.t, "Mon 16:00"))
		return c
	}, func(d *market) {
		d.Platform().Repost(d.Account("bot").ID(), d.posts[1])
		d.until("03-15 17:00")
		want := []string{fmt.Sprintf("repost %d", d.posts[0]), fmt.Sprintf("repost %d", d.posts[2])}
		got := d.happened()
		for i := range got {
			got[i] = got[i][len("03-13 14:30 "):]
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q\n%s", got, d.book())
		}
		d.says("03-13T12:45", "this platform does not tell whether a post is reposted")
		if told := d.told(); strings.Contains(told, "by hand") {
			t.Errorf("what is not told is taken for no: %s", told)
		}
	}, func(cfg *bottest.Config) { cfg.Platform = emulator.Config{Dialect: emulator.Dialect{Untold: true}} })
}
