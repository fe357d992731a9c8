package campaigns_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform/emulator"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

// mentioned reposts where somebody names the account.
const mentioned = "version: 1\nname: Mentions\nstatus: live\nrules:\n  - id: thanks\n    when: mention\n    then: [{ repost: the_post }]\n"

// busy is a day with four slots, and another one with one.
func (f *filed) busy() string {
	return strings.NewReplacer("      - Sat 12:45\n", "      - Sat 12:45\n      - Sat 15:00\n      - Sat 18:15\n", "2027-03-20", "2027-03-14").Replace(f.menuFile())
}

// mentions let some people name the account, and return what became of the reposts of that: how many were done, and why others were not.
func (f *filed) mentions(n int) (became map[string]int) {
	f.t.Helper()
	before := f.reposted()
	for i := range n {
		f.Person(fmt.Sprintf("stranger%d", i)).Mentions(fmt.Sprintf("look, %d", i))
	}
	f.Advance(time.Hour)
	became = map[string]int{}
	for why, n := range f.reposted() {
		if n -= before[why]; n > 0 {
			became[why] = n
		}
	}
	return became
}

// reposted counts what became of the reposts of rules: "done", or why not.
func (f *filed) reposted() map[string]int {
	f.t.Helper()
	all := map[string]int{}
	f.Inspect(func(market inspect.Inspector) {
		counts, err := market.ActionCounts(context.Background(), "bot", time.Time{})
		if err != nil {
			f.t.Fatal(err)
		}
		for _, c := range counts {
			if c.State == event.StateWithdrawn {
				all[string(c.Why)] += c.Actions
			}
		}
	})
	entries := f.Platform().Ledger().Since(0)
	for _, e := range entries {
		if e.Kind == emulator.Reposted && e.ByAPI && !slices.Contains(f.posts, e.Post) {
			all["done"]++
		}
	}
	return all
}

// Rules publish what the slots of the next 24 hours leave of the budget, or what is written for them; what they lose says so by its code. All slots
// come.
func TestSlotsAreKept(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		publishing, campaign string // what else is written, and what takes the place of "status: live"
		done, lost           int    // of five mentions
	}{
		"what slots leave":       {"", "status: live", 2, 3},
		"on ask, too":            {"", "status: ask", 2, 3},
		"not on watch":           {"", "status: watch", 5, 0},
		"not while it is paused": {"", "status: paused", 5, 0},
		"what is written":        {", for_rules: 1", "status: live", 1, 4},
		"nothing":                {", for_rules: 0", "status: live", 0, 5},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			inFiles(t, nil, func(f *filed) {
				f.write("settings.yaml", "version: 1\ntimezone: America/New_York\nwho: { marketing: {} }\npublishing: { most: 6 per 1d"+tc.publishing+" }\n")
				f.write("10-mentions.yaml", mentioned)
				f.write("50-menu.yaml", strings.Replace(f.busy(), "status: live", tc.campaign, 1))
			}, func(f *filed) {
				f.plugin.Watch(f.Bot())
				want := map[string]int{"done": tc.done, "limit.used?limit=nectar%2Fpublishing%2Fothers": tc.lost}
				for why, n := range want {
					if n == 0 {
						delete(want, why)
					}
				}
				if diff := cmp.Diff(want, f.mentions(5)); diff != "" {
					t.Errorf("(-want +became)\n%s", diff)
				}
				if tc.campaign != "status: live" {
					return
				}
				f.until("03-13 20:00")
				reposts := 0
				for _, line := range f.happened() {
					for _, p := range f.posts {
						if strings.HasSuffix(line, fmt.Sprintf("repost %d", p)) {
							reposts++
						}
					}
				}
				if reposts != 4 {
					t.Errorf("%d slots came\n%s", reposts, f.book())
				}
			})
		})
	}
}

// What is kept follows what becomes of slots: one that has happened, or is skipped, is kept no more, one that an edit adds or that comes within a day is.
func TestWhatIsKept(t *testing.T) {
	t.Parallel()
	inFiles(t, nil, func(f *filed) {
		f.write("settings.yaml", "version: 1\ntimezone: America/New_York\nwho: { marketing: {} }\npublishing: { most: 9 per 1d }\n")
		f.write("50-menu.yaml", f.busy())
	}, func(f *filed) {
		limits := nudged{f.World, map[event.Account]*bot.Publishing{}}
		f.plugin.Watch(limits)
		kept := func(want ...string) {
			t.Helper()
			var got []string
			for _, at := range limits.is["bot"].Ahead {
				if at.After(time.Now()) && time.Until(at) < 24*time.Hour {
					got = append(got, at.In(zone(t, "America/New_York")).Format("Mon 15:04"))
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +kept)\n%s", diff)
			}
		}
		f.Advance(time.Second)
		kept("Sat 09:30", "Sat 12:45", "Sat 15:00", "Sat 18:15")
		f.Account("bot").Tell("campaigns/skip", "spring-menu@2027-03-13T12:45")
		f.Advance(5 * time.Second)
		kept("Sat 09:30", "Sat 15:00", "Sat 18:15")
		f.Account("bot").Tell("campaigns/pause", "spring-menu")
		f.Advance(5 * time.Second)
		kept()
		f.Account("bot").Tell("campaigns/resume", "spring-menu")
		f.write("50-menu.yaml", strings.Replace(f.busy(), "      - Sat 18:15\n", "      - Sat 18:15\n      - Sat 19:30\n", 1))
		f.Advance(2 * time.Minute)
		kept("Sat 09:30", "Sat 15:00", "Sat 18:15", "Sat 19:30")
		f.until("03-13 10:00")
		kept("Sat 15:00", "Sat 18:15", "Sat 19:30", "Sun 09:30")

		// A plugin that starts knows it before the first turn, from what is kept, and not from the files alone.
		f.Inspect(func(market inspect.Inspector) {
			fresh := plugin.New(plugin.Config{Store: valuesOf{market}, Log: slog.New(slog.DiscardHandler), Accounts: []event.Account{"bot"}})
			stored, err := plugin.Read(context.Background(), market, "bot")
			if err != nil {
				t.Fatal(err)
			}
			if err := fresh.Use("bot", stored.Campaigns); err != nil {
				t.Fatal(err)
			}
			limits.is["bot"] = fresh.Publishing("bot")
			kept("Sat 15:00", "Sat 18:15", "Sat 19:30", "Sun 09:30")
		})
	})
}

// valuesOf reads the values of an account one by one.
type valuesOf struct{ inspect.Inspector }

func (v valuesOf) AccountValue(ctx context.Context, account event.Account, plugin, name string) (record.AccountValue, error) {
	all, err := v.AccountValues(ctx, account, plugin, "", 1000)
	for _, a := range all {
		if a.Name == name {
			return a, nil
		}
	}
	return record.AccountValue{}, err
}
