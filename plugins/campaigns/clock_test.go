package campaigns_test

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

const minutes = time.Minute

// polled lets the bot hear of the platform every few seconds, as one does that people write to.
func polled(c *bottest.Config) { promptly(c); c.Bot.PollInterval = 5 * time.Second }

// sets lets the machine's clock be so far ahead of the platform's from now on.
func (d *market) sets(ahead time.Duration) {
	d.Platform().SetClock(-ahead)
	d.Advance(time.Minute)
}

// calls counts how often people were told something.
func (d *market) calls(says string) int { return strings.Count(d.told(), says) }

// By a clock that is far from the platform's nothing is published and nothing is missed, and people are called once. When it is right again in time the
// slot comes at its minute; after that it follows its if_missed.
func TestWrongClock(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ahead  time.Duration
		missed campaigns.WhenMissed
		right  string
		comes  []int // posts, by the slots in their order; -1: none
		says   string
	}{
		"fast, and right in time":       {20 * minutes, campaigns.SkipMissed, "03-13 09:20", []int{0, 1}, "20m ahead of the platform's"},
		"slow, and right in time":       {-20 * minutes, campaigns.SkipMissed, "03-13 09:20", []int{0, 1}, "20m behind the platform's"},
		"fast, and right too late":      {20 * minutes, campaigns.SkipMissed, "03-13 11:00", []int{-1, 1}, "20m ahead of the platform's"},
		"fast by days, and too late":    {50 * time.Hour, campaigns.SkipMissed, "03-13 11:00", []int{-1, 1}, "2d2h ahead of the platform's"},
		"too late, and the next slot":   {20 * minutes, campaigns.NextSlot, "03-13 11:00", []int{-1, 0}, "20m ahead of the platform's"},
		"off by less than five minutes": {4 * minutes, campaigns.SkipMissed, "03-13 11:00", []int{0, 1}, ""},
	} {
		for how, between := range map[string]func(*market){"": func(*market) {}, ", over a restart": (*market).restarts, ", over a crash": (*market).crashes} {
			if !effort.Some(name + how) {
				continue
			}
			t.Run(name+how, func(t *testing.T) {
				effort.Case(t)
				inMarket(t, 6, func(d *market) campaigns.Campaign {
					m := menu(d)
					m.Missed.What = c.missed
					return m
				}, func(d *market) {
					planned := d.planned()
					d.sets(c.ahead)
					between(d)
					d.until(c.right)
					between(d)
					d.sets(0)
					d.until("03-13 15:00")
					var want []string
					for slot, post := range c.comes {
						if post >= 0 {
							want = append(want, planned[slot][:len("03-13 14:30")]+planned[post][len("03-13 14:30"):])
						}
					}
					d.same(want...)
					if n := d.calls("The clock of the bot's machine is " + c.says + ": no slot is decided"); c.says != "" && n != 1 || c.says == "" && d.told() != "" {
						t.Errorf("people are told %d times:\n%s", n, d.told())
					}
					if c.comes[0] < 0 {
						d.says("03-13T09:30 skip: it could leave until", "and the clock of the bot's machine was "+c.says)
					}
				}, polled)
			})
		}
	}
}

func (d *market) restarts() { d.Restart() }
func (d *market) crashes()  { d.Crash() }

// What was decided up to a minute before its slot does not leave when the clock is found wrong by then.
func TestDecidedByAWrongClock(t *testing.T) {
	t.Parallel()
	inMarket(t, 6, menu, func(d *market) {
		planned := d.planned()
		d.before(planned[0], 55*time.Second)
		d.sets(20 * minutes)
		d.until("03-13 10:00")
		d.same()
		d.says("03-13T09:30#end not done: ", "the clock of the bot's machine is 20m ahead of the platform's")
		d.sets(0)
		d.until("03-13 14:00")
		d.same(planned[1])
	}, polled)
}

// An odd answer alone, drift, and a platform that does not say what time it is change nothing.
func TestClockThatIsRight(t *testing.T) {
	t.Parallel()
	for name, date := range map[string]func(n int64) (behind time.Duration, says bool){
		"one odd answer": func(n int64) (time.Duration, bool) {
			return map[bool]time.Duration{true: 3 * time.Hour}[n%20 == 7], true
		},
		"it differs": func(n int64) (time.Duration, bool) { return time.Duration(n) * 20 * minutes, true },
		"no dates":   func(int64) (time.Duration, bool) { return 0, false },
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			var answers atomic.Int64
			inMarket(t, 6, menu, func(d *market) {
				planned := d.planned()
				d.until("03-13 14:00")
				d.same(planned[:2]...)
				if d.told() != "" {
					t.Error(d.told())
				}
			}, polled, func(c *bottest.Config) {
				c.Bot.PollInterval = 30 * time.Second
				c.Transport = func(next http.RoundTripper) http.RoundTripper {
					return roundTrip(func(r *http.Request) (*http.Response, error) {
						resp, err := next.RoundTrip(r)
						if err != nil {
							return resp, err
						}
						resp.Header.Del("Date")
						if behind, says := date(answers.Add(1) - 1); says {
							resp.Header.Set("Date", time.Now().Add(-behind).UTC().Format(http.TimeFormat))
						}
						return resp, err
					})
				}
			})
		})
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Somebody lets the slots go by the machine's clock, also while the bot is down: until the difference changes by more than a minute.
func TestClockAllowed(t *testing.T) {
	t.Parallel()
	const says = "slots go by the machine's clock, which is 20m ahead of the platform's, until the difference changes by more than a minute"
	for name, allow := range map[string]func(d *market){
		"while it runs": func(d *market) { d.asks("clock", "", says) },
		"while it is down": func(d *market) {
			d.Stop()
			d.Ask(event.Request{Key: event.Own("bot"), By: "rui", Wish: event.WishTell, Subject: "campaigns/clock"})
			if kept, all := d.foreseen(); len(all) != 1 || all[0].Says != says || kept.AccountFacts.Clock.IsHolding() {
				d.t.Errorf("foreseen is %+v", all)
			}
			d.Start()
		},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			inMarket(t, 6, menu, func(d *market) {
				planned := d.planned()
				d.asks("clock", "", "the clock of the bot's machine is right, as far as is known")
				d.sets(20 * minutes)
				allow(d)
				d.sets(20*minutes + 40*time.Second)
				d.Restart()
				d.until("03-13 11:00")
				d.same(planned[0])
				d.says("clock@", "has let the slots go by the machine's clock")
				kept := d.kept()["clock"] // as later versions have to read it
				if !strings.HasPrefix(kept, `{"ahead":1200000000000,"from":"2027-03-13T1`) || !strings.Contains(kept, `","allowed":{"by":"`) {
					t.Errorf("the clock is kept as %s", kept)
				}
				d.sets(22 * minutes)
				d.until("03-13 15:00")
				d.same(planned[0])
				if n := d.calls("no slot is decided until that is over"); n != 2 {
					t.Errorf("people are told %d times:\n%s", n, d.told())
				}
			}, polled)
		})
	}
}

// What is prepared, and what was approved, stays over a clock that is wrong for a while.
func TestApprovedBesideAWrongClock(t *testing.T) {
	t.Parallel()
	inMarket(t, 6, func(d *market) campaigns.Campaign {
		c := menu(d)
		c.Status = campaigns.Ask
		return c
	}, func(d *market) {
		planned := d.planned()
		d.Advance(time.Minute)
		d.approve()
		d.sets(20 * minutes)
		d.until("03-13 09:15")
		d.sets(0)
		d.until("03-13 11:00")
		d.same(planned[0])
	}, polled)
}

// slowly is a store that takes its time for the second account, which a turn of the first one asks about.
type slowly struct{ bot.Store }

// AccountValue returns what a plugin keeps.
func (s slowly) AccountValue(ctx context.Context, account event.Account, plugin, name string) (record.AccountValue, error) {
	if account == "cafe" {
		time.Sleep(100 * time.Millisecond)
	}
	return s.Store.AccountValue(ctx, account, plugin, name)
}

// The first turn that an account ever has is under way when the platform answers for the first time: it comes again at once, and not a minute later.
func TestFirstStartSeesTheFirstAnswer(t *testing.T) {
	t.Parallel()
	var d *market
	inMarket(t, 1, func(m *market) campaigns.Campaign {
		d = m
		c := menu(d)
		c.Jitter, c.Lines = 0, []campaigns.Line{line(d.t, "Sat 07:01")}
		return c
	}, func(d *market) {
		d.until("03-13 07:05")
		if all := d.slots("spring-menu"); len(all) != 1 || !all[0].Done || all[0].Decided.After(spring.Add(30*time.Second)) {
			t.Errorf("it is decided %+v", all)
		}
	}, func(cfg *bottest.Config) {
		cfg.Accounts = []event.Account{"bot", "cafe"} // of several it is looked up which one runs a campaign
		cfg.Plugins = func(st bot.Store, _ *slog.Logger) ([]bottest.Plugin, error) {
			d.plugin = plugin.New(plugin.Config{Store: slowly{st}, Accounts: cfg.Accounts})
			return []bottest.Plugin{d.plugin}, d.plugin.Use("bot", d.force)
		}
	})
}
