package campaigns_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
)

// runs runs a test with the campaign of menu; meanwhile is what the bot does between two steps of it.
func runsMenu(t *testing.T, make func(d *market) campaigns.Campaign, test func(d *market, meanwhile func())) {
	t.Helper()
	for name, meanwhile := range map[string]func(d *market){"undisturbed": func(*market) {}, "crashes": func(d *market) { d.Crash() }} {
		if effort.Few() && name != "crashes" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			inMarket(t, 6, make, func(d *market) { test(d, func() { meanwhile(d) }) }, promptly)
		})
	}
}

// A person pauses a campaign, for good or until a time, and lets it go on: its slots pass, and nothing is caught up on.
func TestAskToPause(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	runsMenu(t, menu, func(d *market, meanwhile func()) {
		planned := d.planned()
		d.asks("pause", "spring-menu", "spring-menu is paused: its slots pass, and nothing is caught up on")
		meanwhile()
		d.until("03-13 11:00")
		d.same()
		d.says("03-13T09:30", "skip: paused by somebody")
		d.asks("resume", "spring-menu", "spring-menu goes on")
		d.asks("resume", "spring-menu", "spring-menu is not paused")
		d.until("03-13 14:00")
		d.same(planned[1])
		d.asks("pause", "spring-menu 2027-03-14 10:00", "spring-menu is paused until Sun 14 March 10:00: its slots pass, and nothing is caught up on")
		meanwhile()
		d.until("03-14 12:00")
		d.same(planned[1])
		d.until("03-14 14:00")
		d.same(planned[1], planned[4])
		d.asks("resume", "spring-menu", "spring-menu is not paused")
	})
}

// A person takes a slot out and puts it back; what is prepared for it is taken back, and asked for again.
func TestAskToSkip(t *testing.T) {
	t.Parallel()
	asked := func(d *market) campaigns.Campaign {
		c := menu(d)
		c.Status = campaigns.Ask
		return c
	}
	runsMenu(t, asked, func(d *market, meanwhile func()) {
		planned := d.planned()
		d.Advance(time.Minute)
		d.approve()
		d.asks("skip", "spring-menu@2027-03-13T09:30", "spring-menu@2027-03-13T09:30 stays empty, and what waited for approval is taken back; nothing else shifts")
		for _, a := range d.open() {
			if strings.Contains(a.Key, "T09:30") {
				t.Errorf("what was prepared for the slot is still there: %+v", a)
			}
		}
		meanwhile()
		d.asks("skip", "spring-menu@2027-03-13T09:30", "spring-menu@2027-03-13T09:30 was skipped before")
		d.asks("skip", "spring-menu@2027-03-13T16:00", "spring-menu@2027-03-13T16:00 stays empty, and what waited for approval is taken back; nothing else shifts")
		d.asks("unskip", "spring-menu@2027-03-13T16:00", fmt.Sprintf("spring-menu@2027-03-13T16:00 is back: repost %d, once it is approved", d.posts[2]))
		meanwhile()
		d.until("03-13 12:00")
		d.same()
		d.approve()
		d.until("03-13 17:00")
		d.same(planned[1], planned[2])
		d.says("03-13T09:30 skip: somebody has taken this slot out")
		d.asks("skip", "spring-menu@2027-03-13T12:45", fmt.Sprintf("spring-menu@2027-03-13T12:45 is over: %d came at %s", d.posts[1], local(d, planned[1])))
		d.asks("unskip", "spring-menu@2027-03-14T12:45", "spring-menu@2027-03-14T12:45 was not skipped")
	})
}

// local is the clock in New York of a line of a plan.
func local(d *market, planned string) string {
	at, err := time.Parse("2006-01-02 15:04", "2027-"+planned[:len("03-13 14:30")])
	if err != nil {
		d.t.Fatal(err)
	}
	return at.In(zone(d.t, "America/New_York")).Format("15:04")
}

// promptly lets the bot see within a second what people ask for, as it usually does.
func promptly(c *bottest.Config) { c.Bot.RequestPause = 0 }

// What is due in a minute and has not left can be taken out; what has left cannot.
func TestAskToSkipAtTheLastMinute(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	runsMenu(t, menu, func(d *market, meanwhile func()) {
		planned := d.planned()
		d.before(planned[0], 30*time.Second)
		d.asks("skip", "spring-menu@2027-03-13T09:30", "spring-menu@2027-03-13T09:30 stays empty; nothing else shifts")
		meanwhile()
		d.until("03-13 11:00")
		d.same()
		d.says("03-13T09:30#end not done: somebody has taken this slot out")
		d.until("03-13 14:00")
		d.same(planned[1])
	})
}

// A repost that is due in a minute is taken back before it leaves, and the book says so.
func TestAskToUndoAtTheLastMinute(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	runsMenu(t, menu, func(d *market, meanwhile func()) {
		planned := d.planned()
		d.before(planned[0], 30*time.Second)
		d.asks("undo", fmt.Sprintf("spring-menu %d", d.posts[0]),
			fmt.Sprintf("%d is not reposted, and it stays out until: nectar campaigns allow spring-menu %[1]d", d.posts[0]))
		meanwhile()
		d.until("03-13 11:00")
		d.same()
		d.says(fmt.Sprintf("03-13T09:30#end not done: somebody does not want %d to be reposted", d.posts[0]))
	})
}

// A person has a repost taken back: that is done once, and the post stays out until somebody allows it.
func TestAskToUndo(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	again := func(d *market) campaigns.Campaign {
		c := menu(d)
		c.Items, c.Each, c.Jitter = c.Items[:1], 0, 0
		c.Gap = 0
		return c
	}
	runsMenu(t, again, func(d *market, meanwhile func()) {
		post := d.posts[0]
		d.asks("undo", fmt.Sprintf("spring-menu %d", post), fmt.Sprintf("%d is not reposted, as far as the book knows", post))
		d.until("03-13 11:00")
		d.same(fmt.Sprintf("03-13 14:30 repost %d", post))
		d.asks("undo", fmt.Sprintf("spring-menu https://social.example/thread/%d", post),
			fmt.Sprintf("the repost of %d is taken back, and it stays out until: nectar campaigns allow spring-menu %d", post, post))
		meanwhile()
		d.asks("undo", fmt.Sprintf("spring-menu %d", post), fmt.Sprintf("%d is not reposted, as far as the book knows", post))
		d.until("03-14 12:00")
		d.same(fmt.Sprintf("03-13 14:30 repost %d", post), fmt.Sprintf("03-13 16:00 undo %d", post))
		d.says(fmt.Sprintf("undo:%d@", post), "somebody has taken the repost of")
		d.says("somebody had it taken back on Sat 13 March 11:00")
		d.asks("allow", fmt.Sprintf("spring-menu %d", post), fmt.Sprintf("%d may come again when its turn comes", post))
		meanwhile()
		d.asks("allow", fmt.Sprintf("spring-menu %d", post), fmt.Sprintf("%d is not out: nothing keeps it from coming but its campaign", post))
		d.until("03-14 14:00")
		d.same(fmt.Sprintf("03-13 14:30 repost %d", post), fmt.Sprintf("03-13 16:00 undo %d", post), fmt.Sprintf("03-14 16:45 repost %d", post))
	})
}

// What is asked for wrongly says what to write instead; while the account is paused nothing leaves, and the rest is done.
func TestAskWrongly(t *testing.T) {
	t.Parallel()
	inMarket(t, 2, menu, func(d *market) {
		d.Advance(time.Minute)
		for _, c := range [][3]string{
			{"pause", "", "name a campaign: spring-menu"},
			{"pause", "summer", "there is no campaign summer: there are spring-menu"},
			{"pause", "spring-menu soon", `"soon" is no time: write 2027-03-20, 2027-03-20 09:30, Fri 17:00 or 3d`},
			{"pause", "spring-menu 2027-03-01", "2027-03-01 is over"},
			{"skip", "spring-menu", `"spring-menu" is no slot: write a slot like spring-menu@2027-03-16T09:30`},
			{"skip", "spring-menu@2027-03-13T09:31", "spring-menu has no slot on 2027-03-13 at 09:31"},
			{"undo", "spring-menu that", `"that" is no post: write its number, or its address`},
			{"allow", "spring-menu 1", "1 is no post of spring-menu"},
			{"apply", "", "no edit of the campaigns waits"},
		} {
			d.asks(c[0], c[1], c[2])
		}
		d.Ask(event.Request{Key: event.Own("bot"), Wish: event.WishPause})
		d.Advance(5 * time.Second)
		d.asks("undo", fmt.Sprintf("spring-menu %d", d.posts[0]), "the account is paused, so nothing leaves: let it go on first")
		d.asks("pause", "spring-menu 3d", "spring-menu is paused until Tue 16 March 08:01: its slots pass, and nothing is caught up on")
		d.asks("resume", "spring-menu", "spring-menu goes on, once the account does: nectar resume")
	}, promptly)
}

// What is asked for while the bot is down is done with the next start, once.
func TestAskWhileTheBotIsDown(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	inMarket(t, 4, menu, func(d *market) {
		planned := d.planned()
		d.until("03-13 11:00")
		d.Stop()
		for _, text := range []string{"undo spring-menu " + fmt.Sprint(d.posts[0]), "skip spring-menu@2027-03-13T12:45"} {
			var subject, words string
			if n, err := fmt.Sscanf(text, "%s", &subject); n != 1 || err != nil {
				t.Fatal(err)
			}
			words = text[len(subject)+1:]
			d.Ask(event.Request{Key: event.Own("bot"), Wish: event.WishTell, Subject: "campaigns/" + subject, Text: words, By: "mia"})
		}
		d.Advance(time.Minute)
		for range 3 {
			d.Start()
			d.Advance(2 * time.Second)
			d.Crash()
			d.Stop()
		}
		d.Start()
		d.until("03-13 17:00")
		var undone []string
		for _, line := range d.happened() {
			if line != planned[0] && line != planned[2] {
				undone = append(undone, line)
			}
		}
		if diff := cmp.Diff([]string{fmt.Sprintf("03-13 16:01 undo %d", d.posts[0])}, undone); diff != "" {
			t.Error(diff)
		}
		d.says("03-13T12:45 skip: mia has taken this slot out")
	}, promptly)
}
