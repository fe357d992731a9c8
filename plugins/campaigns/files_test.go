package campaigns_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

// filed is an account that runs the campaigns of rule files, as the command does.
type filed struct {
	market
	dir string
}

// written is a campaign in a file. Slots are in New York, without jitter.
const written = `version: 1
name: Spring menu
status: live

campaigns:
  - id: spring-menu
    do: repost
    timezone: America/New_York
    starts: 2027-03-13
    ends: 2027-03-20
    posts:
%s    slots:
      - Sat 09:30
      - Sat 12:45
      - Sun 09:30
    turn: in_order
    repeat: { each_post: 1 times }
    limits: { whole_campaign: 10 }
    if_missed: skip
`

// menuFile is the campaign with the posts that there are.
func (f *filed) menuFile() string {
	var links strings.Builder
	for _, p := range f.posts {
		fmt.Fprintf(&links, "      - link: https://social.example/thread/%d\n", p)
	}
	return fmt.Sprintf(written, links.String())
}

// write puts a file into the folder, and lets it be seen.
func (f *filed) write(name, content string) {
	f.t.Helper()
	if err := os.WriteFile(filepath.Join(f.dir, name), []byte(content), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// remove takes a file out of the folder.
func (f *filed) remove(name string) {
	f.t.Helper()
	if err := os.Remove(filepath.Join(f.dir, name)); err != nil {
		f.t.Fatal(err)
	}
}

// nudger is the bot of the incarnation in which it is asked.
type nudger struct{ w *bottest.World }

func (n nudger) Nudge(account event.Account, name string, data any) error {
	if b := n.w.Bot(); b != nil {
		return b.Nudge(account, name, data)
	}
	return nil // it looks when it starts
}

// inFiles runs a test with accounts whose files are those that prepare writes.
func inFiles(t *testing.T, accounts []event.Account, prepare, test func(f *filed)) {
	t.Helper()
	inFilesFrom(t, spring, time.Minute, accounts, prepare, test)
}

// inFilesFrom is inFiles from another time on, with another pause between two looks at the files.
func inFilesFrom(t *testing.T, start time.Time, look time.Duration, accounts []event.Account, prepare, test func(f *filed)) {
	t.Helper()
	f := &filed{market: market{t: t}, dir: t.TempDir()}
	bottest.Run(t, bottest.Config{
		Start: start, Accounts: accounts, Bot: bot.Config{PollInterval: 30 * time.Minute, Pace: &event.Pace{}},
		Before: func(w *bottest.World) {
			f.World = w
			f.author = w.Platform().AddPerson(emulator.Person{Username: "partner_cafe", FirstName: "Partner"})
			for n := range 6 {
				f.posts = append(f.posts, w.Platform().Post(f.author, fmt.Sprintf("dish %d of the #springmenu", n+1)))
			}
			f.write("settings.yaml", "version: 1\ntimezone: America/New_York\nwho: { marketing: {} }\n")
			prepare(f)
		},
		Plugins: func(st bot.Store, log *slog.Logger) ([]bottest.Plugin, error) {
			if accounts == nil {
				accounts = []event.Account{"bot"}
			}
			f.plugin = plugin.New(plugin.Config{Store: st, Accounts: accounts, Log: log})
			f.plugin.Watch(nudger{f.World})
			files, err := autoresponder.New(autoresponder.Config{
				Path: f.dir, Accounts: accounts, Look: look, Log: log, InForce: f.plugin.InForce,
			}, st)
			return []bottest.Plugin{files, f.plugin}, err
		},
	}, func(w *bottest.World) {
		f.World = w
		test(f)
	})
}

// values returns the names of what is kept for an account.
func (d *market) values(account event.Account) (names []string) {
	d.Inspect(func(market inspect.Inspector) {
		values, err := market.AccountValues(context.Background(), account, "campaigns", "", 100)
		if err != nil {
			d.t.Fatal(err)
		}
		for _, v := range values {
			names = append(names, v.Name)
		}
	})
	return names
}

// A campaign that is written into a file runs, from the file as it was when it last worked; over a start without files, too.
func TestCampaignInAFile(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	inFiles(t, nil, func(f *filed) { f.write("50-menu.yaml", f.menuFile()) }, func(f *filed) {
		repost := func(at string, n int) string { return fmt.Sprintf("%s repost %d", at, f.posts[n]) }
		f.until("03-13 10:00")
		f.same(repost("03-13 14:30", 0))
		f.write("50-menu.yaml", strings.Replace(f.menuFile(), "slots:", "slotz:", 1)) // broken: what last worked stays
		f.until("03-13 13:00")
		f.same(repost("03-13 14:30", 0), repost("03-13 17:45", 1))
		f.Stop()
		f.remove("50-menu.yaml")
		f.remove("settings.yaml")
		f.Start()
		f.until("03-14 10:00")
		f.same(repost("03-13 14:30", 0), repost("03-13 17:45", 1), repost("03-14 13:30", 2))
	})
}

// Where several accounts act by the same files, a campaign runs on the one that it names, and on no other.
func TestCampaignOfAnAccount(t *testing.T) {
	t.Parallel()
	accounts := []event.Account{"bot", "cafe"}
	inFiles(t, accounts, func(f *filed) {
		f.write("50-menu.yaml", f.menuFile())
		f.write("60-other.yaml", strings.NewReplacer("spring-menu", "other-menu", "do: repost", "do: repost\n    account: cafe").Replace(f.menuFile()))
	}, func(f *filed) {
		f.until("03-13 10:00")
		f.same()
		for _, who := range f.reposters() {
			if who != f.Account("cafe").ID() {
				t.Errorf("%d has reposted, and not the cafe alone", who)
			}
		}
		if len(f.reposters()) != 1 || len(f.values("bot")) > 0 {
			t.Errorf("%v have reposted, and the bot keeps %q", f.reposters(), f.values("bot"))
		}
		if n := strings.Count(f.Log(), "account is missing: 2 accounts act by these files"); n != 2 { // in the log, and for people
			t.Errorf("it is said %d times that a campaign names no account:\n%s", n, f.Log())
		}
	})
}

// reposters returns who has reposted something.
func (f *filed) reposters() (who []platform.UserID) {
	for _, e := range f.Platform().Ledger().Since(0) {
		if e.Kind == emulator.Reposted {
			who = append(who, e.From)
		}
	}
	return who
}

// faq is a rule file without campaigns.
const faq = "version: 1\nname: Questions\nstatus: live\nrules:\n  - id: hours\n    when: message\n    then:\n      - reply: nine to six\n    limits: { per_person: 9 per 1h }\n"

// A bot without campaigns has no turns, no timers and no values of them, and reads nothing for them.
func TestNoCampaigns(t *testing.T) {
	t.Parallel()
	inFiles(t, nil, func(f *filed) {
		f.write("10-faq.yaml", faq)
	}, func(f *filed) {
		f.Advance(time.Hour)
		f.Restart()
		f.Advance(time.Hour)
		if got := f.Account("bot").OwnDecisions(); len(got) > 0 {
			t.Errorf("there are turns: %+v", got)
		}
		if got := f.values("bot"); got != nil {
			t.Errorf("kept are %q", got)
		}
		f.Inspect(func(market inspect.Inspector) {
			timers, err := market.Timers(context.Background(), record.TimerQuery{Account: "bot", Limit: 10})
			if err != nil || len(timers) > 0 {
				t.Errorf("timers: %+v, %v", timers, err)
			}
		})
	})
}

// A program says itself what runs; what is another account's is refused, and the rest runs.
func TestUseOfAnotherAccount(t *testing.T) {
	t.Parallel()
	inMarket(t, 2, menu, func(d *market) {
		planned := d.planned()
		other := menu(d)
		other.ID, other.Account = "other", "cafe"
		err := d.plugin.Use("bot", append(d.force, d.ready(other)))
		if err == nil || !strings.Contains(err.Error(), "the campaign other is for the account cafe: bot does not run it") {
			t.Errorf("the error is %v", err)
		}
		d.until("03-13 11:00")
		if diff := cmp.Diff(planned[:1], d.happened()); diff != "" {
			t.Error(diff)
		}
	})
}
