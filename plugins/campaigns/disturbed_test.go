package campaigns_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// until lets time pass until a moment in New York.
func (d *market) until(when string) {
	d.t.Helper()
	at, err := time.ParseInLocation("2006-01-02 15:04", "2027-"+when, zone(d.t, "America/New_York"))
	if err != nil {
		d.t.Fatal(err)
	}
	d.Advance(time.Until(at))
}

// before lets time pass until something that is planned is a while ahead.
func (d *market) before(planned string, ahead time.Duration) {
	d.t.Helper()
	at, err := time.ParseInLocation("2006-01-02 15:04", "2027-"+planned[:len("03-13 14:30")], time.UTC)
	if err != nil {
		d.t.Fatal(err)
	}
	d.Advance(time.Until(at) - ahead)
}

// same compares what happened with what is wanted.
func (d *market) same(want ...string) {
	d.t.Helper()
	if diff := cmp.Diff(want, d.happened()); diff != "" {
		d.t.Errorf("(-want +happened)\n%s\n%s", diff, d.book())
	}
}

// says checks that the book has a line.
func (d *market) says(parts ...string) {
	d.t.Helper()
	for line := range strings.Lines(d.book()) {
		if !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(line, p) }) {
			return
		}
	}
	d.t.Errorf("the book has no line with %q\n%s", parts, d.book())
}

// What the bot or the platform was away for does not leave afterwards, and the turns of the posts go on as planned.
func TestOutages(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	for name, away := range map[string]func(d *market, until func()){
		"the bot": func(d *market, until func()) { d.Stop(); until(); d.Start() },
		"the platform": func(d *market, until func()) {
			d.Faults(emulator.Faults{Err500Before: 1})
			until()
			d.Faults(emulator.Faults{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			inMarket(t, 5, menu, func(d *market) {
				planned := d.planned()
				d.until("03-13 11:00")
				away(d, func() { d.until("03-13 15:00") })
				d.until("03-13 17:00")
				d.same(planned[0], planned[2])
				d.says("03-13T12:45", "skip: it could leave until Sat 13 March 12:", ", and the bot or the platform was away")
			})
		})
	}
}

// A kill at any time costs nothing and doubles nothing.
func TestKilledAroundASlot(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	inMarket(t, 3, menu, func(d *market) {
		planned := d.planned()
		d.before(planned[0], 90*time.Second)
		for range 12 {
			d.Crash()
			d.Advance(17 * time.Second)
		}
		d.until("03-13 11:00")
		d.same(planned[0])
		d.says("03-13T09:30#end done")
	})
}

// What is decided, and cannot leave in its time, does not leave afterwards.
func TestPlatformIsGoneAtTheMinute(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	inMarket(t, 3, menu, func(d *market) {
		planned := d.planned()
		d.before(planned[0], 30*time.Second)
		d.Faults(emulator.Faults{Err500Before: 1})
		d.until("03-13 11:00")
		d.Faults(emulator.Faults{})
		d.until("03-13 15:00")
		d.same(planned[1])
		d.says("03-13T09:30#end not done: its time was over at")
	})
}

// Nothing that needs an approval leaves without one; an approval keeps the minute, and one that nobody gives is over at its
// deadline.
func TestApprovalOfASlot(t *testing.T) {
	t.Parallel()
	asked := func(d *market) campaigns.Campaign {
		c := menu(d)
		c.Status = campaigns.Ask
		return c
	}
	inMarket(t, 6, asked, func(d *market) {
		planned := d.planned()
		d.until("03-13 07:20")
		held := d.held()
		if told := d.told(); len(held) != 3 || !strings.Contains(told, "spring-menu@2027-03-13T09:30: repost") || strings.Contains(told, "03-14") {
			t.Fatalf("those of a day are asked for: %+v\n%s", held, told)
		}
		of := func(clock string) event.Request {
			for _, a := range held {
				if strings.HasSuffix(a.Key, clock) {
					return event.Request{Key: a.Conversation(), Action: a.Key, By: "ines"}
				}
			}
			t.Fatalf("nothing waits for %s: %+v", clock, held)
			return event.Request{}
		}
		approval, refusal := of("09:30"), of("16:00")
		approval.Wish, refusal.Wish = event.WishRelease, event.WishDrop
		d.Ask(approval, refusal)
		d.until("03-13 11:00")
		d.same(planned[0]) // at its minute, not when it was approved
		d.says("03-13T09:30 go")
		d.says("03-13T09:30#end done")
		d.until("03-13 17:00")
		d.same(planned[0])
		d.says("03-13T12:45", "skip: nobody approved it by Sat 13 March 12:15")
		d.says("03-13T16:00", "skip: ines refused it")
	})
}

// A post that nobody lets us see, and one that was reposted by hand, give way to the next one; people are told.
func TestPostsThatAreNotAsPlanned(t *testing.T) {
	t.Parallel()
	inMarket(t, 4, menu, func(d *market) {
		d.Platform().DeletePost(d.author, d.posts[0])
		d.Platform().Repost(d.Account("bot").ID(), d.posts[1])
		d.until("03-13 11:00")
		d.says("03-13T09:30", "go", "it could not be seen on", "it was reposted by hand already")
		if got := d.happened(); len(got) != 1 || !strings.HasSuffix(got[0], fmt.Sprintf("repost %d", d.posts[2])) {
			t.Errorf("%q", got)
		}
		if told := d.told(); !strings.Contains(told, "is out: it cannot be seen") {
			t.Errorf("nobody is told: %s", told)
		}
	})
}

// An edit takes effect at once, and no slot comes twice: one that has happened is not there again under another clock. A campaign
// that is taken out of the files publishes nothing more.
func TestEdit(t *testing.T) {
	t.Parallel()
	inMarket(t, 4, menu, func(d *market) {
		planned := d.planned()
		d.until("03-13 10:00")
		d.same(planned[0])
		c := menu(d)
		c.Lines[0].When.Clock += 60
		c.Jitter = 0
		d.uses(c)
		d.until("03-13 12:00")
		d.same(planned[0])
		d.until("03-13 14:00")
		if got := d.happened(); len(got) != 2 || !strings.HasPrefix(got[1], "03-13 17:45 ") {
			t.Errorf("%q\n%s", got, d.book())
		}
		d.force = nil
		if err := d.plugin.Use("bot", nil); err != nil {
			t.Fatal(err)
		}
		d.until("03-13 18:00")
		if got := d.happened(); len(got) != 2 {
			t.Errorf("a campaign that is gone goes on: %q", got)
		}
	})
}

// Two campaigns keep apart, and share the budget of the account: what may be late comes later.
func TestTwoCampaigns(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	inMarket(t, 6, func(d *market) campaigns.Campaign {
		c := menu(d)
		c.Items, c.Jitter = c.Items[:3], 0
		return c
	}, func(d *market) {
		second := menu(d)
		second.ID, second.Items, second.Jitter, second.KeepApart = "then", second.Items[3:], 0, 0
		second.Missed = campaigns.Missed{What: campaigns.Within, Within: 3 * time.Hour}
		d.force = append(d.force, d.ready(second))
		if err := d.plugin.Use("bot", d.force); err != nil {
			t.Fatal(err)
		}
		planned := d.planned()
		d.until("03-13 18:00")
		if got := d.happened(); len(got) != 6 || !slices.Equal(got, planned[:len(got)]) {
			t.Errorf("%s", cmp.Diff(planned, got))
		}
	})
}

// A campaign of texts publishes them in turn.
func TestPublish(t *testing.T) {
	t.Parallel()
	inMarket(t, 1, func(d *market) campaigns.Campaign {
		c := menu(d)
		c.Do, c.Items = campaigns.Publish, nil
		for _, text := range []string{"Asparagus is here.", "Strawberries, too."} {
			c.Items = append(c.Items, campaigns.Item{Key: campaigns.TextKey(text), Text: text})
		}
		return c
	}, func(d *market) {
		d.until("03-13 14:00")
		d.Account("bot").ExpectsPost("Asparagus is here.")
		d.Account("bot").ExpectsPost("Strawberries, too.")
		if got := d.happened(); len(got) != 2 {
			t.Errorf("%q", got)
		}
	})
}

// While the account is paused its slots pass, and nothing comes afterwards.
func TestPausedAccount(t *testing.T) {
	t.Parallel()
	inMarket(t, 4, menu, func(d *market) {
		planned := d.planned()
		d.Ask(event.Request{Key: event.Key{Account: "bot"}, Wish: event.WishPause})
		d.until("03-13 11:00")
		d.same()
		d.says("03-13T09:30", "skip: paused")
		d.Ask(event.Request{Key: event.Key{Account: "bot"}, Wish: event.WishGoOn})
		d.until("03-13 14:00")
		d.same(planned[1])
	})
}

// A post that is reposted comes again as a renewal, which a person has seen first: it is taken back once and made once, over kills
// in the middle.
func TestRenewal(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	inMarket(t, 1, func(d *market) campaigns.Campaign {
		c := menu(d)
		c.Each, c.Renews, c.Gap = 2, true, 24*time.Hour
		return c
	}, func(d *market) {
		planned := d.planned()
		d.until("03-14 08:00")
		if held := d.held(); len(held) != 1 || held[0].Verb != event.VerbRenew {
			t.Fatalf("%+v", held)
		}
		d.approve()
		d.before(planned[1], 90*time.Second)
		for range 15 {
			d.Crash()
			d.Advance(13 * time.Second)
		}
		d.until("03-14 15:00")
		at, post, _ := strings.Cut(planned[1], " repost ")
		d.same(planned[0], at+" undo "+post, at+" repost "+post)
	})
}

// A reading that fails says nothing of the platform: one that tells of reposts does not become one that does not, and the renewal comes.
func TestRenewalAfterAReadingThatFails(t *testing.T) {
	t.Parallel()
	inMarket(t, 1, func(d *market) campaigns.Campaign {
		c := menu(d)
		c.Each, c.Renews, c.Gap = 2, true, 24*time.Hour
		return c
	}, func(d *market) {
		d.Account("bot").Tell("campaigns/lifts", "yes")
		planned := d.planned()
		d.before(planned[1], 90*time.Second)
		d.Disturb("thread_data", emulator.Err500Before)
		d.until("03-14 15:00")
		at, post, _ := strings.Cut(planned[1], " repost ")
		d.same(planned[0], at+" undo "+post, at+" repost "+post)
	})
}
