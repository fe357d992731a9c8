package campaigns_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// eighteen is a campaign with 18 slots, of which the last one is 19 days after the first.
func eighteen(missed campaigns.WhenMissed, status campaigns.Status) func(d *market) campaigns.Campaign {
	return func(d *market) campaigns.Campaign {
		c := menu(d)
		c.Lines, c.Jitter, c.Ends, c.Missed.What, c.Status = nil, 0, day(d.t, "2027-04-15"), missed, status
		for n := range 18 {
			at := time.Date(2027, time.March, 13+n, 9, 30, 0, 0, time.UTC)
			c.Lines = append(c.Lines, line(d.t, at.Format("2006-01-02 15:04")))
		}
		c.Lines = append(c.Lines, line(d.t, "2027-04-01 12:00"), line(d.t, "2027-04-01 16:00"))
		return c
	}
}

// The bot, or the bot and the platform, are away for 19 days, over 18 slots: nothing of them leaves afterwards, and the posts that kept
// their turn take the slots to come, one each. What was approved before is over, too.
func TestNineteenDaysAway(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		missed   campaigns.WhenMissed
		status   campaigns.Status
		platform bool // it is away, too, for an hour longer
		next     int  // the post of the first slot afterwards
	}{
		"skip":                       {campaigns.SkipMissed, campaigns.Live, false, 18},
		"skip, with the platform":    {campaigns.SkipMissed, campaigns.Live, true, 18},
		"next slot":                  {campaigns.NextSlot, campaigns.Live, false, 0},
		"next slot and the platform": {campaigns.NextSlot, campaigns.Live, true, 0},
		"approved":                   {campaigns.SkipMissed, campaigns.Ask, false, -1},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			inMarket(t, 20, eighteen(test.missed, test.status), func(d *market) {
				d.Advance(time.Minute)
				d.approve()
				d.Stop()
				if test.platform {
					d.Faults(emulator.Faults{Err500Before: 1})
				}
				d.until("04-01 08:00")
				if d.Faults(emulator.Faults{}); test.platform {
					d.Disturb("get_chats", emulator.Err500Before, emulator.Err500Before)
				}
				d.Start()
				d.until("04-01 11:30")
				d.same()
				if n := strings.Count(d.book(), "skip: "); n != 18 {
					t.Errorf("%d slots are told of\n%s", n, d.book())
				}
				if test.next < 0 {
					return
				}
				d.until("04-01 13:00")
				d.same(fmt.Sprintf("04-01 16:00 repost %d", d.posts[test.next]))
			})
		})
	}
}

// A slot that is late since the platform stood still does not take the next one's place, which keeps its distance and is in time.
func TestLateSlotBeforeTheNext(t *testing.T) {
	t.Parallel()
	for name, approved := range map[string]bool{"live": false, "approved": true} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			near := func(d *market) campaigns.Campaign {
				c := menu(d)
				c.Lines, c.Jitter, c.KeepApart = []campaigns.Line{line(t, "Sat 09:30"), line(t, "Sat 11:00")}, 0, 90*time.Minute
				if approved {
					c.Status = campaigns.Ask
				}
				return c
			}
			inMarket(t, 2, near, func(d *market) {
				d.Advance(time.Minute)
				d.approve()
				d.until("03-13 09:29")
				d.Faults(emulator.Faults{Err500Before: 1})
				d.until("03-13 09:31")
				d.Faults(emulator.Faults{})
				d.until("03-13 12:00")
				d.same(fmt.Sprintf("03-13 14:31 repost %d", d.posts[0]), fmt.Sprintf("03-13 16:01 repost %d", d.posts[1]))
			})
		})
	}
}

// A machine that sleeps after a slot was decided, and before that is stored, or has left, sends nothing when it wakes up: its time is over.
func TestMachineThatSlept(t *testing.T) {
	t.Parallel()
	for _, ahead := range []time.Duration{61 * time.Second, 30 * time.Second} {
		t.Run(ahead.String(), func(t *testing.T) {
			effort.Case(t)
			var asleep atomic.Bool
			inMarket(t, 3, menu, func(d *market) {
				planned := d.planned()
				d.before(planned[0], ahead)
				asleep.Store(true)
				d.Advance(25 * time.Minute)
				d.until("03-13 14:00")
				d.same(planned[1])
			}, func(cfg *bottest.Config) {
				cfg.Commit = func(commit func() error) error {
					if asleep.Swap(false) {
						time.Sleep(20 * time.Minute)
					}
					return commit()
				}
			})
		})
	}
}

// A second bot with the same files decides the same for the same minute. Whatever the two do, and whichever is faster, the post ends
// reposted: first reposts, and renewals of which each takes back what the other has made.
func TestTwoBotsOfOneCampaign(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for _, behind := range []time.Duration{0, 15 * time.Millisecond, 45 * time.Millisecond, 100 * time.Millisecond, 2 * time.Second} {
		t.Run(behind.String(), func(t *testing.T) {
			effort.Case(t)
			inMarket(t, 0, twice, func(d *market) {
				d.Account("bot").Tell("campaigns/lifts", "yes")
				end := d.double(behind)
				defer end()
				d.until("03-13 11:00")
				if !d.Platform().Reposted(d.Account("bot").ID(), d.posts[0]) {
					t.Errorf("after the first slot it is not reposted: %q\n%s", d.happened(), d.book())
				}
				d.until("03-13 12:30")
				if undone := strings.Count(strings.Join(d.happened(), " "), "undo"); undone == 0 {
					t.Errorf("nothing was renewed: %q\n%s", d.happened(), d.book())
				}
				if !d.Platform().Reposted(d.Account("bot").ID(), d.posts[0]) {
					t.Errorf("after the renewal it is not reposted: %q\n%s", d.happened(), d.book())
				}
			})
		})
	}
}
