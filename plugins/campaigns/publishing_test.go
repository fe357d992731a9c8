package campaigns_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/engine"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/handlers"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

// shared is an account of which rules, a campaign and a program make use: people ask for reposts, "repost 17", and somebody tells
// the program to publish, "texts" at once or "texts in 1h".
func shared() []bot.Route {
	return []bot.Route{
		bot.On("wish", handlers.Words("repost"), func(_ context.Context, t *bot.Turn, m event.Message) error {
			id, err := strconv.ParseInt(strings.Fields(m.Text)[1], 10, 64)
			t.Repost(platform.PostID(id), engine.Decided("wishes", time.Time{}))
			return err
		}),
		bot.On("say", bot.Asked("say"), func(_ context.Context, t *bot.Turn, a event.Told) error {
			what, in, _ := strings.Cut(a.Text, " in ")
			d, err := time.ParseDuration(in)
			if err != nil {
				d = 0
			}
			return t.Publish(what, bot.In(d))
		}),
	}
}

// together runs a test with a campaign of hourly reposts on such an account.
func together(t *testing.T, limit bot.Publishing, test func(d *market)) {
	t.Helper()
	togetherBy(t, limit, &limit, test)
}

// togetherBy is together with a limit of the bot's own; nil for none.
func togetherBy(t *testing.T, limit bot.Publishing, own *bot.Publishing, test func(d *market)) {
	t.Helper()
	d := &market{t: t}
	budget := campaigns.Budget{Most: text.Limit{Max: limit.Most, Per: limit.Within}, Apart: limit.Apart}
	bottest.Run(t, bottest.Config{
		Start: spring, Routes: shared(),
		Bot: bot.Config{PollInterval: 30 * time.Second, Pace: &event.Pace{}, Publishing: own, Ceiling: bot.Ceiling{Max: -1}, TakeoverFor: -1},
		Before: func(w *bottest.World) {
			d.World = w
			d.author = w.Platform().AddPerson(emulator.Person{Username: "partner_cafe", FirstName: "Partner"})
			for n := range 30 {
				d.posts = append(d.posts, w.Platform().Post(d.author, fmt.Sprintf("dish %d", n+1)))
			}
			c := menu(d)
			c.Items, c.Lines, c.Jitter, c.KeepApart = c.Items[:10], nil, 0, 15*time.Minute
			c.Missed = campaigns.Missed{What: campaigns.Within, Within: 20 * time.Minute}
			for h := 8; h < 18; h++ {
				when, err := text.ParseWhenTime(fmt.Sprintf("Sat %02d:30", h))
				if err != nil {
					t.Fatal(err)
				}
				c.Lines = append(c.Lines, campaigns.Line{When: when})
			}
			d.force = []*campaigns.Campaign{d.ready(c)}
		},
		Plugins: func(bot.Store, *slog.Logger) ([]bottest.Plugin, error) {
			p := plugin.New(plugin.Config{Budget: &budget})
			d.plugin = p
			return []bottest.Plugin{p}, p.Use("bot", d.force)
		},
	}, func(w *bottest.World) {
		d.World = w
		test(d)
	})
}

// judges holds what the platform saw against a limit; a campaign's reposts keep 15 minutes.
func (d *market) judges(limit bot.Publishing) (published int) {
	d.t.Helper()
	type seen struct {
		at       time.Time
		campaign bool
	}
	var all []seen
	entries := d.Platform().Ledger().Since(0)
	for _, e := range entries {
		if e.From != d.Account("bot").ID() || !e.ByAPI || e.Kind != emulator.Reposted && (e.Kind != emulator.Published || e.To != 0) {
			continue
		}
		now := seen{e.At, e.Kind == emulator.Reposted && slices.Contains(d.posts[:10], e.Post)}
		n := 1
		for _, s := range all {
			need := limit.Apart
			if s.campaign || now.campaign {
				need = max(need, 15*time.Minute)
			}
			if apart := now.at.Sub(s.at); apart < need {
				d.t.Errorf("%v: %v after another, and %v are to be between them", now.at, apart, need)
			}
			if now.at.Sub(s.at) < limit.Within {
				n++
			}
		}
		if n > limit.Most {
			d.t.Errorf("%v: number %d within %v", now.at, n, limit.Within)
		}
		all = append(all, now)
	}
	return len(all)
}

// Rules, a campaign and a program publish on one account, all at once: never more than the limit, never closer than it, whenever
// the bot is killed, and whatever the platform does.
func TestOneLimitForAll(t *testing.T) {
	t.Parallel()
	seeds := 12
	if effort.Few() {
		seeds = 3
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			effort.Case(t)
			limit := bot.Publishing{Most: 3 + seed%3, Within: time.Duration(40+20*(seed%4)) * time.Minute, Apart: time.Duration(1+seed%5) * 2 * time.Minute}
			r := rand.New(rand.NewPCG(uint64(seed), 1))
			together(t, limit, func(d *market) {
				ana := d.Person("ana")
				if seed%2 == 1 {
					d.Faults(emulator.Rough())
				}
				for n := range 60 {
					switch r.IntN(6) {
					case 0, 1:
						ana.Says(fmt.Sprintf("repost %d", d.posts[10+n%20]))
					case 2:
						for i := range 3 {
							d.Account("bot").Tell("say", fmt.Sprintf("news %d.%d", n, i))
						}
					case 3:
						d.Account("bot").Tell("say", fmt.Sprintf("news %d in %dm", n, 1+r.IntN(50)))
					case 4:
						d.Crash()
					default:
					}
					d.Advance(time.Duration(r.IntN(int(12 * time.Minute))))
				}
				d.Faults(emulator.Faults{})
				d.Advance(time.Hour)
				if n := d.judges(limit); n < 8 {
					t.Errorf("only %d things were published\n%s", n, d.book())
				}
			})
		})
	}
}

// What a rule or a program publishes, or is to publish, counts for the campaign: its slot gives way, and says so before.
func TestSlotGivesWay(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	limit := bot.Publishing{Most: 24, Within: 24 * time.Hour, Apart: 2 * time.Minute}
	together(t, limit, func(d *market) {
		d.until("03-13 09:10")
		ana := d.Person("ana")
		ana.Says(fmt.Sprintf("repost %d", d.posts[20])) // 20 minutes before the slot: far enough
		d.until("03-13 10:25")
		d.Account("bot").Tell("say", "news") // the slot of 10:30 waits until 10:40
		d.until("03-13 11:00")
		d.Account("bot").Tell("say", "more in 44m") // 11:44 is 14 minutes after the slot: it cannot wait so long
		d.Advance(time.Minute)
		if got := d.slot("spring-menu@2027-03-13T11:30"); !strings.HasPrefix(got, "skip too close to the publication on Sat 13 March 11:44") {
			t.Errorf("the plan says of the slot: %s", got)
		}
		d.until("03-13 12:00")
		ana.Says(fmt.Sprintf("repost %d", d.posts[4])) // the post of the slot of 12:30: the next one comes
		d.until("03-13 13:00")
		d.judges(limit)
		d.same(
			d.reposts("13:30", 0), d.reposts("14:10", 20), d.reposts("14:30", 1),
			d.wrote("15:25", "news"), d.reposts("15:40", 2),
			d.wrote("16:44", "more"), d.reposts("17:00", 4), d.reposts("17:30", 5),
		)
		d.says("spring-menu@2027-03-13T11:30 skip: too close to the publication on Sat 13 March 11:44: 15m have to be between them")
		d.says("spring-menu@2027-03-13T12:30 go", "not: gap 1d, last on Sat 13 March 12:00")
	})
}

// An account that has campaigns has its limit in force, and one that has none any more has none.
func TestCampaignsBringTheirLimit(t *testing.T) {
	t.Parallel()
	togetherBy(t, bot.Publishing{Most: 24, Within: 24 * time.Hour, Apart: 10 * time.Minute}, nil, func(d *market) {
		d.plugin.Watch(d.Bot())
		for _, news := range []string{"one", "two", "three"} {
			d.Account("bot").Tell("say", news)
		}
		d.Advance(time.Minute)
		if got := d.happened(); len(got) != 1 {
			t.Errorf("published at once: %v", got)
		}
		d.force = nil
		if err := d.plugin.Use("bot", nil); err != nil {
			t.Fatal(err)
		}
		d.Advance(time.Minute)
		if got := d.happened(); len(got) != 3 {
			t.Errorf("published without campaigns: %v", got)
		}
	})
}

// Requests take their time, and slots stand as close as the distances, gaps and limits allow: each comes all the same.
func TestSlotsAsCloseAsTheyMay(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	limit := bot.Publishing{Most: 2, Within: 24 * time.Hour, Apart: 2 * time.Minute}
	together(t, limit, func(d *market) {
		d.plugin.Watch(d.Bot())
		c := menu(d)
		c.Do, c.Items, c.Lines, c.Jitter, c.KeepApart, c.Gap, c.Each = campaigns.Publish, nil, nil, 0, 2*time.Minute, 24*time.Hour, 3
		for _, text := range []string{"open", "really"} {
			c.Items = append(c.Items, campaigns.Item{Key: campaigns.TextKey(text), Text: text})
		}
		c.Starts, c.Ends = day(t, "2027-03-14"), day(t, "2027-03-16")
		for _, day := range []string{"Sun", "Mon", "Tue"} {
			for _, clock := range []string{"09:30", "09:32"} {
				when, err := text.ParseWhenTime(day + " " + clock)
				if err != nil {
					t.Fatal(err)
				}
				c.Lines = append(c.Lines, campaigns.Line{When: when})
			}
		}
		d.uses(c)
		d.until("03-16 12:00")
		d.judges(limit)
		var times []string
		for _, line := range d.happened() {
			times = append(times, line[:len("03-14 13:30")])
		}
		want := []string{"03-14 13:30", "03-14 13:32", "03-15 13:30", "03-15 13:32", "03-16 13:30", "03-16 13:32"}
		if diff := cmp.Diff(want, times); diff != "" {
			t.Errorf("(-want +happened)\n%s\n%s", diff, d.book())
		}
	})
}

// reposts is a repost at a time of the first day.
func (d *market) reposts(at string, post int) string {
	return fmt.Sprintf("03-13 %s repost %d", at, d.posts[post])
}

// wrote is the same of an own post.
func (d *market) wrote(at, text string) string {
	entries := d.Platform().Ledger().Since(0)
	for _, e := range entries {
		if e.Kind == emulator.Published && e.Text == text {
			return fmt.Sprintf("03-13 %s publish %d", at, e.Post)
		}
	}
	return "nobody wrote " + text
}

// slot returns what the plan says of a slot, by what is stored.
func (d *market) slot(name string) (line string) {
	d.t.Helper()
	d.Inspect(func(market inspect.Inspector) {
		kept, err := plugin.Read(context.Background(), market, "bot")
		if err != nil {
			d.t.Fatal(err)
		}
		a := kept.Account
		a.AccountFacts.Budget = campaigns.DefaultBudget
		for v := range campaigns.Plan(&a, time.Now(), time.Now(), time.Now().Add(24*time.Hour)) {
			if v.Slot.ID.String() == name {
				line = fmt.Sprintf("%s %s", v.Kind, v.Why)
			}
		}
	})
	return line
}

// What the settings say of publishing is in force, with campaigns or without, until they say it no more.
func TestPublishingInSettings(t *testing.T) {
	t.Parallel()
	const settings = "version: 1\ntimezone: America/New_York\nwho: { marketing: {} }\n"
	inFiles(t, nil, func(f *filed) {
		f.write("settings.yaml", settings+"publishing: { most: 2 per 1h, at_least_apart: 10m }\n")
		f.write("10-faq.yaml", "version: 1\nname: FAQ\nstatus: live\nrules:\n  - id: hi\n    when: message\n    then: [{ reply: hi }]\n")
	}, func(f *filed) {
		limits := nudged{f.World, map[event.Account]*bot.Publishing{}}
		f.plugin.Watch(limits)
		if diff := cmp.Diff(&bot.Publishing{Most: 2, Within: time.Hour, Apart: 10 * time.Minute, For: "campaigns/"}, limits.is["bot"]); diff != "" {
			t.Error(diff)
		}
		f.write("settings.yaml", settings)
		f.Advance(3 * time.Minute)
		if p := limits.is["bot"]; p != nil {
			t.Errorf("in force is %+v", p)
		}
		f.write("50-menu.yaml", f.menuFile())
		f.Advance(3 * time.Minute)
		is := *limits.is["bot"]
		is.Ahead = nil // see TestWhatIsKept
		if diff := cmp.Diff(bot.Publishing{Most: 24, Within: 24 * time.Hour, Apart: 2 * time.Minute, For: "campaigns/"}, is); diff != "" {
			t.Error(diff)
		}
	})
}

// nudged is the bot, and what it was told of limits.
type nudged struct {
	*bottest.World
	is map[event.Account]*bot.Publishing
}

func (n nudged) Nudge(account event.Account, name string, data any) error {
	return n.Bot().Nudge(account, name, data)
}

func (n nudged) LimitPublishing(account event.Account, p *bot.Publishing) error {
	n.is[account] = p
	return n.Bot().LimitPublishing(account, p)
}
