package campaigns_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// by returns which posts an account has reposted, in their order.
func (f *filed) by(account event.Account) (all []platform.PostID) {
	for _, e := range f.Platform().Ledger().Since(0) {
		if e.Kind == emulator.Reposted && e.From == f.Account(account).ID() {
			all = append(all, e.Post)
		}
	}
	return all
}

// A campaign that an edit gives to another account waits on both sides: no slot is published by both, nor by none. When people let the
// edit come into force, the other account goes on with it.
func TestCampaignMovesToAnotherAccount(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	accounts := []event.Account{"bot", "cafe"}
	for name, way := range map[string][2]event.Account{"there": {"bot", "cafe"}, "and back": {"cafe", "bot"}} {
		for kind, meanwhile := range map[string]func(f *filed){"undisturbed": func(*filed) {}, "crashes": func(f *filed) { f.Crash() }} {
			t.Run(name+", "+kind, func(t *testing.T) {
				effort.Case(t)
				from, to := way[0], way[1]
				of := func(f *filed, account event.Account) string {
					return strings.Replace(f.menuFile(), "do: repost", "do: repost\n    account: "+string(account), 1)
				}
				inFiles(t, accounts, func(f *filed) { f.write("50-menu.yaml", of(f, from)) }, func(f *filed) {
					f.until("03-13 08:00")
					f.write("50-menu.yaml", of(f, to))
					f.Advance(5 * time.Minute)
					meanwhile(f)
					f.until("03-13 11:00")
					if a, b := f.by(from), f.by(to); !slices.Equal(a, f.posts[:1]) || len(b) > 0 {
						t.Errorf("while the edit waits, %s has reposted %v and %s %v", from, a, to, b)
					}
					if a := f.Account(from).Tell("campaigns/apply", ""); !strings.HasPrefix(a.Note, "in force now: the edit removes ") {
						t.Errorf("apply: %s %q", a.Outcome, a.Note)
					}
					f.Advance(time.Minute)
					meanwhile(f)
					f.until("03-14 10:00")
					if a, b := f.by(from), f.by(to); !slices.Equal(a, f.posts[:1]) || !slices.Equal(b, f.posts[:2]) {
						t.Errorf("afterwards, %s has reposted %v and %s %v", from, a, to, b)
					}
				})
			})
		}
	}
}

// Where edits do not wait, the campaign is on the other account at once, and on the first one not any more.
func TestCampaignMovesAtOnce(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	inFiles(t, []event.Account{"bot", "cafe"}, func(f *filed) {
		f.write("settings.yaml", "version: 1\ntimezone: America/New_York\napply: at_once\nwho: { marketing: {} }\n")
		f.write("50-menu.yaml", strings.Replace(f.menuFile(), "do: repost", "do: repost\n    account: cafe", 1))
	}, func(f *filed) {
		f.until("03-13 08:00")
		f.write("50-menu.yaml", strings.Replace(f.menuFile(), "do: repost", "do: repost\n    account: bot", 1))
		f.until("03-13 13:00")
		if a, b := f.by("cafe"), f.by("bot"); len(a) > 0 || !slices.Equal(b, f.posts[:2]) {
			t.Errorf("the cafe has reposted %v, the bot %v", a, b)
		}
	})
}
