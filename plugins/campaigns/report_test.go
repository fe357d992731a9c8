package campaigns_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
)

// reported is the campaign of menu, without jitter, with a report each Saturday at two.
func reported(d *market) campaigns.Campaign {
	c := menu(d)
	every, err := text.ParseWhenTime("Sat 14:00")
	if err != nil {
		d.t.Fatal(err)
	}
	c.Name, c.Jitter, c.Team, c.Report = "Spring menu", 0, "kitchen", &campaigns.Report{To: "marketing", Every: every}
	return c
}

// A team is told what was published, what was skipped and why, and what comes; once, over crashes.
func TestReport(t *testing.T) {
	t.Parallel()
	runsMenu(t, reported, func(d *market, meanwhile func()) {
		d.until("03-13 07:30")
		d.asks("skip", "spring-menu@2027-03-13T09:30", "spring-menu@2027-03-13T09:30 stays empty; nothing else shifts")
		d.until("03-13 13:59")
		meanwhile()
		d.until("03-13 14:01")
		meanwhile()
		d.until("03-13 15:00")
		want := fmt.Sprintf(`marketing The campaign Spring menu since Sat 13 March.
Published, 1: Sat 13 Mar 12:45 %d.
Skipped, 1: Sat 13 Mar 09:30 %d: somebody has taken this slot out.
To come until Sat 20 Mar 14:00, 4: Sat 13 Mar 16:00 repost %d; Sun 14 Mar 09:30 repost %d; Sun 14 Mar 12:45 repost %d; Sun 14 Mar 16:00 repost %d.
`, d.posts[1], d.posts[0], d.posts[2], d.posts[3], d.posts[4], d.posts[5])
		if told := d.told(); told != want {
			t.Errorf("people are told:\n%s\nand not:\n%s", told, want)
		}
	})
}

// A report that was due while the bot was down comes with its start, once, however many were due; and so does the end.
func TestReportAfterAnOutage(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	runsMenu(t, reported, func(d *market, meanwhile func()) {
		d.until("03-13 13:00")
		d.Stop()
		d.Advance(5 * 7 * day24)
		d.Start()
		d.Advance(time.Minute)
		meanwhile()
		d.Advance(time.Hour)
		d.counts(1, "marketing The campaign Spring menu since Sat 13 March.\nPublished, 2: ")
		d.counts(1, "kitchen The campaign Spring menu is over: 2 published, 4 skipped")
		d.counts(2, "Spring menu")
	})
}

const day24 = 24 * time.Hour

// A campaign that is over says so, once, also where nobody wants a report.
func TestOver(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	runsMenu(t, func(d *market) campaigns.Campaign {
		c := menu(d)
		c.Ends = c.Starts
		return c
	}, func(d *market, meanwhile func()) {
		d.until("03-13 23:00")
		d.counts(0, "is over")
		meanwhile()
		d.until("03-14 01:30")
		meanwhile()
		d.until("03-14 06:00")
		d.counts(1, "* The campaign spring-menu is over: 3 published, 0 skipped")
		if told := d.told(); strings.Count(told, "\n") != 1 {
			t.Errorf("people are told:\n%s", told)
		}
	})
}
