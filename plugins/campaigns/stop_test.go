package campaigns_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// ended checks how often people were told that the campaign has ended, for a reason.
func (d *market) ended(times int, why string) {
	d.t.Helper()
	told := d.told()
	if n := strings.Count(told, "The campaign spring-menu has ended: "); n != times || times > 0 && !strings.Contains(told, why) {
		d.t.Errorf("it is told %d times that it has ended, want %d with %q:\n%s", n, times, why, told)
	}
}

// wary is a campaign, approved slot by slot, that ends with any warning of the account.
func wary(d *market) campaigns.Campaign {
	c := menu(d)
	c.Status, c.Stop.Warnings = campaigns.Ask, true
	return c
}

// A warning of the account ends the campaign at once, with one notice: what waits for an approval, and what was approved and waits
// for its minute, is withdrawn. Campaigns that do not ask for that go on.
func TestStopByWarnings(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for name, c := range map[string]struct {
		warn func(d *market)
		why  string
	}{
		"asked for fewer calls": {func(d *market) { d.Disturb("get_chats", emulator.TooMany) }, "the platform asked for fewer calls"},
		"a sign-in is refused": {func(d *market) {
			d.Platform().SetPassword(d.Account("bot").ID(), "another one")
			d.Platform().Revoke(d.Account("bot").ID())
		}, "check the e-mail address and the password"},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			inMarket(t, 4, wary, func(d *market) {
				other := menu(d)
				other.ID, other.Lines, other.Jitter = "other", []campaigns.Line{line(t, "Sat 18:00")}, 0
				d.force = append(d.force, d.ready(other))
				if err := d.plugin.Use("bot", d.force); err != nil {
					t.Fatal(err)
				}
				d.until("03-13 08:00")
				held := d.held()
				d.Ask(event.Request{Key: held[0].Conversation(), Wish: event.WishRelease, Action: held[0].Key})
				c.warn(d)
				d.until("03-13 09:05")
				if held := d.held(); len(held) != 0 {
					t.Errorf("still held: %+v", held)
				}
				d.until("03-13 17:00")
				d.same()
				d.ended(1, c.why)
				d.says("03-13T09:30", "skip: the campaign has ended")
				if name != "asked for fewer calls" {
					return
				}
				d.until("03-13 19:00")
				if got := d.happened(); len(got) != 1 {
					t.Errorf("another campaign does not go on: %q", got)
				}
			})
		})
	}
}

// A post that is gone when its repost leaves is no warning.
func TestPostThatIsGoneIsNoWarning(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	inMarket(t, 3, func(d *market) campaigns.Campaign {
		c := menu(d)
		c.Stop.Warnings = true
		return c
	}, func(d *market) {
		planned := d.planned()
		d.before(planned[0], 20*time.Second)
		d.Platform().DeletePost(d.author, d.posts[0])
		d.until("03-13 14:00")
		d.same(planned[1])
		d.ended(0, "")
	})
}

// A post that is gone ends the campaign that says so; what was approved for later does not leave any more.
func TestStopByADeletedPost(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	inMarket(t, 6, func(d *market) campaigns.Campaign {
		c := menu(d)
		c.Status, c.Stop.Deleted = campaigns.Ask, true
		return c
	}, func(d *market) {
		d.until("03-13 07:20")
		d.approve()
		d.Platform().DeletePost(d.author, d.posts[0])
		d.until("03-13 17:00")
		d.same()
		d.ended(1, "was deleted, or is hidden")
	})
}

// A repost that was taken back before the campaign ended is made again all the same.
func TestStoppedInARenewal(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	inMarket(t, 1, func(d *market) campaigns.Campaign {
		c := anew(d)
		c.Stop.Warnings = true
		return c
	}, func(d *market) {
		d.until("03-14 08:00")
		d.approve()
		d.Disturb("publication_repost", emulator.NoFault, emulator.TooMany)
		d.until("03-15 12:30")
		if got := d.happened(); len(got) != 3 || !strings.Contains(got[2], " repost ") {
			t.Errorf("%q", got)
		}
		d.ended(1, "the platform asked for fewer calls")
	})
}

// listening is a campaign that ends with more than two replies in an hour that say scam, or not true.
func listening(d *market) campaigns.Campaign {
	c := menu(d)
	c.Stop.Replies, c.Stop.Words, c.Stop.MoreThan = true, []string{"Scam", "not true"}, text.Rate{Max: 2, In: time.Hour}
	return c
}

// Replies with one of the words end the campaign when there are more than so many in the time: each counted once, whole words, none
// of our own, none of before the slot.
func TestStopByReplies(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		replies func(d *market, says func(string))
		ends    bool
	}{
		"more than two":  {func(_ *market, says func(string)) { says("SCAM!"); says("this is not true."); says("a scam?") }, true},
		"two":            {func(_ *market, says func(string)) { says("scam"); says("scam") }, false},
		"no whole words": {func(_ *market, says func(string)) { says("scam"); says("scam"); says("scampi, true and not") }, false},
		"our own": {func(d *market, says func(string)) {
			says("scam")
			says("scam")
			d.Platform().Reply(d.Account("bot").ID(), d.posts[0], "no scam")
		}, false},
		"over crashes": {func(d *market, says func(string)) {
			says("scam")
			says("scam")
			for range 8 {
				d.Advance(11 * time.Minute)
				d.Crash()
			}
		}, false},
		"over a time": {func(d *market, says func(string)) {
			says("scam")
			says("scam")
			d.Advance(61 * time.Minute)
			says("scam")
		}, false},
		"at the end of a time": {func(d *market, says func(string)) {
			says("scam")
			says("scam")
			d.Advance(59 * time.Minute)
			says("scam")
		}, true},
		"after three days": {func(d *market, says func(string)) {
			d.Advance(73 * time.Hour)
			says("scam")
			says("scam")
			says("scam")
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			inMarket(t, 2, listening, func(d *market) {
				bob := d.Platform().AddPerson(emulator.Person{Username: "bob"})
				for range 3 {
					d.Platform().Reply(bob, d.posts[0], "scam, said before the slot")
				}
				d.until("03-13 10:00")
				n := 0
				c.replies(d, func(s string) { n++; d.Platform().Reply(bob, d.posts[0], fmt.Sprintf("%s %d", s, n)) })
				d.Advance(25 * time.Minute)
				times := 0
				if c.ends {
					times = 1
				}
				d.ended(times, "3 replies with one of Scam, not true")
				d.until("03-13 13:30")
				if got := d.happened(); c.ends && len(got) != 1 {
					t.Errorf("%q", got)
				}
			})
		})
	}
}

// Replies count for all of the time of stop_if, also when that is longer than each post is listened to, and when no post was in between.
func TestStopByRepliesOfManyDays(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	inMarket(t, 2, func(d *market) campaigns.Campaign {
		c := listening(d)
		c.Stop.MoreThan.In = 10 * 24 * time.Hour
		c.Lines, c.Ends, c.Jitter = []campaigns.Line{line(d.t, "Sat 09:30")}, day(d.t, "2027-03-20"), 0
		return c
	}, func(d *market) {
		bob := d.Platform().AddPerson(emulator.Person{Username: "bob"})
		d.until("03-13 10:00")
		d.Platform().Reply(bob, d.posts[0], "scam")
		d.Platform().Reply(bob, d.posts[0], "scam, again")
		d.until("03-20 10:00")
		if got := d.happened(); len(got) != 2 {
			t.Fatalf("%q", got)
		}
		d.Platform().Reply(bob, d.posts[1], "a scam, as last week")
		d.Advance(25 * time.Minute)
		d.ended(1, "3 replies with one of Scam, not true")
	})
}

// So do replies to a post of our own, of which the campaign learns the id when it is there.
func TestStopByRepliesToOurOwnPost(t *testing.T) {
	t.Parallel()
	inMarket(t, 1, func(d *market) campaigns.Campaign {
		c := listening(d)
		c.Do, c.Items = campaigns.Publish, nil
		c.Items = append(c.Items, campaigns.Item{Key: campaigns.TextKey("Asparagus is here."), Text: "Asparagus is here."})
		return c
	}, func(d *market) {
		bob := d.Platform().AddPerson(emulator.Person{Username: "bob"})
		d.until("03-13 10:00")
		post := d.Account("bot").ExpectsPost("Asparagus is here.")
		for range 3 {
			d.Platform().Reply(bob, post, "what a scam")
		}
		d.Advance(15 * time.Minute)
		d.ended(1, "3 replies")
	})
}
