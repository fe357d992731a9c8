package campaigns_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

// What is decided already, and waits for its minute, does not leave when its campaign is paused.
func TestPausedAsItIsDecided(t *testing.T) {
	t.Parallel()
	inMarket(t, 4, menu, func(d *market) {
		planned := d.planned()
		d.before(planned[0], 20*time.Second)
		d.asks("pause", "spring-menu", "spring-menu is paused: its slots pass, and nothing is caught up on")
		d.until("03-13 12:00")
		d.same()
		d.says("03-13T09:30#end", "somebody has paused the campaign")
		d.asks("resume", "spring-menu", "spring-menu goes on")
		d.until("03-13 14:00")
		d.same(planned[1])
	}, promptly)
}

// What is decided already, and waits for its minute, a person may still take out while the bot is down.
func TestDecidedAndWishedWhileDown(t *testing.T) {
	t.Parallel()
	for _, late := range []time.Duration{-5 * time.Second, time.Second, 40 * time.Second} {
		t.Run(late.String(), func(t *testing.T) {
			effort.Case(t)
			inMarket(t, 4, menu, func(d *market) {
				planned := d.planned()
				d.before(planned[0], 20*time.Second)
				d.Stop()
				d.Ask(event.Request{Key: event.Own("bot"), By: "rui", Wish: event.WishTell, Subject: "campaigns/skip", Text: "spring-menu@2027-03-13T09:30"})
				d.before(planned[0], -late)
				d.Start()
				d.before(planned[0], -20*time.Minute)
				d.same()
				d.says("rui has taken this slot out")
			}, promptly)
		})
	}
}

// What a person wants while the bot is down goes before what the next start finds to do: also when a slot is due by then.
func TestWishedWhileDown(t *testing.T) {
	t.Parallel()
	for name, wish := range map[string]event.Request{
		"skip":              {Wish: event.WishTell, Subject: "campaigns/skip", Text: "spring-menu@2027-03-13T09:30"},
		"pause":             {Wish: event.WishTell, Subject: "campaigns/pause", Text: "spring-menu"},
		"the whole account": {Wish: event.WishPause},
	} {
		for _, late := range []time.Duration{-10 * time.Second, time.Second, 40 * time.Second} {
			t.Run(name+" "+late.String(), func(t *testing.T) {
				effort.Case(t)
				inMarket(t, 4, menu, func(d *market) {
					planned := d.planned()
					d.before(planned[0], 10*time.Minute)
					d.Stop()
					q := wish
					q.Key, q.By = event.Own("bot"), "rui"
					d.Ask(q)
					d.before(planned[0], -late)
					d.Start()
					d.before(planned[0], -20*time.Minute)
					d.same()
					d.says("03-13T09:30 skip: ") // and is not decided first, and taken back
				})
			})
		}
	}
}

// foreseen returns what is kept with what people have asked for, and what that comes to.
func (d *market) foreseen() (plugin.Stored, []plugin.Foreseen) {
	d.t.Helper()
	kept := d.stored()
	kept.AccountFacts.Budget = campaigns.DefaultBudget
	var asked []event.Request
	d.Inspect(func(market inspect.Inspector) {
		var err error
		if asked, err = market.Requests(context.Background(), event.Request{}, 100); err != nil {
			d.t.Fatal(err)
		}
	})
	return plugin.Foresee(kept, "bot", asked, time.Now())
}

// What people ask for while the bot is down is foreseen as the next start does it.
func TestForesee(t *testing.T) {
	t.Parallel()
	const first, second = "spring-menu@2027-03-13T09:30", "spring-menu@2027-03-13T12:45"
	for name, asks := range map[string][]string{
		"skip":                {"skip " + second},
		"skip and put back":   {"skip " + second, "unskip " + second},
		"pause":               {"pause spring-menu"},
		"pause for a day":     {"pause spring-menu 1d"},
		"pause and go on":     {"pause spring-menu", "resume spring-menu"},
		"taken back":          {"undo spring-menu POST"},
		"taken back and back": {"undo spring-menu POST", "allow spring-menu POST"},
		"nothing lifts":       {"lifts no"},
		"what is over":        {"skip " + first},
		"what is not there":   {"skip spring-menu@2027-03-17T09:30", "pause autumn-menu", "undo spring-menu 7", "allow spring-menu POST", "forget spring-menu"},
	} {
		if !effort.Some(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			inMarket(t, 3, menu, func(d *market) {
				d.until("03-13 11:00")
				d.Stop()
				before := len(d.happened())
				for _, a := range asks {
					subject, words, _ := strings.Cut(strings.ReplaceAll(a, "POST", fmt.Sprint(d.posts[0])), " ")
					d.Ask(event.Request{Key: event.Own("bot"), By: "rui", Wish: event.WishTell, Subject: "campaigns/" + subject, Text: words})
				}
				kept, all := d.foreseen()
				want := comes(&kept.Account)
				d.Start()
				d.until("03-15 11:00") // it is over
				came := slices.DeleteFunc(d.happened()[before:], func(l string) bool { return strings.Contains(l, " undo ") })
				if diff := cmp.Diff(want, came, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("(-foreseen +happened)\n%s\n%s", diff, d.book())
				}
				if len(all) != len(asks) {
					t.Errorf("foreseen are %+v", all)
				}
				for _, f := range all {
					if none := strings.HasPrefix(name, "what is"); f.Counted == none || f.Says == "" {
						t.Errorf("%s: %v %s", f.Text, f.Counted, f.Says)
					}
				}
			})
		})
	}
}
