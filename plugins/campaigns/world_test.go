package campaigns_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

// spring is Saturday, 13 March 2027, seven o'clock in New York: the clocks change there in the night.
var spring = time.Date(2027, time.March, 13, 12, 0, 0, 0, time.UTC)

// market is an account of a marketer, with posts of somebody else to repost.
type market struct {
	author platform.UserID
	*bottest.World
	t      *testing.T
	posts  []platform.PostID
	force  []*campaigns.Campaign
	plugin *plugin.Plugin
}

// inMarket runs a test with a campaign that is made of the posts. Days pass in it, with a look for what people ask for each minute; see promptly.
func inMarket(t *testing.T, posts int, make func(d *market) campaigns.Campaign, test func(d *market), changes ...func(*bottest.Config)) {
	t.Helper()
	d := &market{t: t}
	cfg := bottest.Config{
		Start: spring, Bot: bot.Config{PollInterval: 30 * time.Minute, RequestPause: time.Minute, Pace: &event.Pace{}},
		Before: func(w *bottest.World) {
			d.World = w
			d.author = w.Platform().AddPerson(emulator.Person{Username: "partner_cafe", FirstName: "Partner"})
			for n := range posts {
				d.posts = append(d.posts, w.Platform().Post(d.author, fmt.Sprintf("dish %d of the #springmenu", n+1)))
			}
			d.force = []*campaigns.Campaign{d.ready(make(d))}
		},
		Plugins: func(bot.Store, *slog.Logger) ([]bottest.Plugin, error) {
			p := plugin.New(plugin.Config{})
			d.plugin = p
			return []bottest.Plugin{p}, p.Use("bot", d.force)
		},
	}
	for _, change := range changes {
		change(&cfg)
	}
	bottest.Run(t, cfg, func(w *bottest.World) {
		d.World = w
		d.plugin.Watch(w.Bot())
		test(d)
	})
}

// uses puts another campaign in the place of those in force.
func (d *market) uses(c campaigns.Campaign) {
	d.t.Helper()
	d.force = []*campaigns.Campaign{d.ready(c)}
	if err := d.plugin.Use("bot", d.force); err != nil {
		d.t.Fatal(err)
	}
}

func (d *market) ready(c campaigns.Campaign) *campaigns.Campaign {
	d.t.Helper()
	ready, err := campaigns.New(c)
	if err != nil {
		d.t.Fatal(err)
	}
	return ready
}

// menu is a campaign of reposts in New York, three times a day for two days.
func menu(d *market) campaigns.Campaign {
	c := campaigns.Campaign{
		ID: "spring-menu", Account: "bot", Do: campaigns.Repost, Status: campaigns.Live, Zone: zone(d.t, "America/New_York"),
		Starts: day(d.t, "2027-03-13"), Ends: day(d.t, "2027-03-14"), Jitter: 12 * time.Minute, Turn: campaigns.InOrder, Each: 1,
		KeepApart: 90 * time.Minute, AtLeast: 30 * time.Minute,
	}
	for _, when := range []string{"Sat 09:30", "Sat 12:45", "Sat 16:00", "Sun 09:30", "Sun 12:45", "Sun 16:00"} {
		w, err := text.ParseWhenTime(when)
		if err != nil {
			d.t.Fatal(err)
		}
		c.Lines = append(c.Lines, campaigns.Line{When: w})
	}
	for _, p := range d.posts {
		c.Items = append(c.Items, campaigns.Item{Key: campaigns.PostKey(p), Post: p})
	}
	return c
}

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func day(t *testing.T, written string) text.Day {
	t.Helper()
	d, err := text.ParseDay(written)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// planned is what the campaigns in force would do from now on when nothing was done before: a line for each publication.
func (d *market) planned() []string {
	return comes(&campaigns.Account{Campaigns: d.force, AccountFacts: campaigns.AccountFacts{Budget: campaigns.DefaultBudget}})
}

// comes is what an account publishes from now on: a line for each publication.
func comes(a *campaigns.Account) []string {
	var lines []string
	for v := range campaigns.Plan(a, time.Now(), time.Now(), time.Now().AddDate(0, 2, 0)) {
		if v.Kind.Publishes() {
			lines = append(lines, fmt.Sprintf("%s repost %d", v.At.UTC().Format("01-02 15:04"), v.Post))
		}
	}
	return lines
}

// happened is what the platform saw of it.
func (d *market) happened() []string {
	var lines []string
	me := d.Account("bot").ID()
	entries := d.Platform().Ledger().Since(0)
	for _, e := range entries {
		if e.From == me && e.ByAPI && (e.Kind == emulator.Reposted || e.Kind == emulator.Unreposted || e.Kind == emulator.Published) {
			what := map[emulator.EntryKind]string{emulator.Reposted: "repost", emulator.Unreposted: "undo", emulator.Published: "publish"}[e.Kind]
			lines = append(lines, fmt.Sprintf("%s %s %d", e.At.UTC().Format("01-02 15:04"), what, e.Post))
		}
	}
	return lines
}

// open returns the actions that have not ended.
func (d *market) open() (actions []event.Action) {
	d.t.Helper()
	d.Inspect(func(market inspect.Inspector) {
		for _, state := range []event.State{event.StateDue, event.StateSending, event.StateInDoubt, event.StateHeld} {
			all, err := market.Actions(context.Background(), record.ActionQuery{Account: "bot", State: state, Limit: 100})
			if err != nil {
				d.t.Fatal(err)
			}
			actions = append(actions, all...)
		}
	})
	return actions
}

// held returns the actions that wait for a person.
func (d *market) held() (actions []event.Action) {
	d.Inspect(func(market inspect.Inspector) {
		var err error
		if actions, err = market.Actions(context.Background(), record.ActionQuery{Account: "bot", State: event.StateHeld, Limit: 100}); err != nil {
			d.t.Fatal(err)
		}
	})
	return actions
}

// told returns what people of ours are told.
func (d *market) told() string {
	var b strings.Builder
	d.Inspect(func(market inspect.Inspector) {
		notices, err := market.Notices(context.Background(), record.NoticeQuery{Account: "bot", Limit: 1000})
		if err != nil {
			d.t.Fatal(err)
		}
		for i := range notices {
			if notices[i].Kind != event.CallCrashed { // which the test is not about
				fmt.Fprintln(&b, notices[i].Who, notices[i].Text)
			}
		}
	})
	return b.String()
}

// approve lets all leave that waits.
func (d *market) approve() {
	for _, a := range d.held() {
		d.Ask(event.Request{Key: a.Conversation(), Wish: event.WishRelease, Action: a.Key})
	}
}

// book returns what the book of the campaign says, a line for each slot.
func (d *market) book() string {
	var b strings.Builder
	d.Inspect(func(market inspect.Inspector) {
		entries, err := market.Entries(context.Background(), "bot", "campaigns/spring-menu", "", 1000)
		if err != nil {
			d.t.Fatal(err)
		}
		for _, e := range entries {
			fmt.Fprintf(&b, "%s %s\n", e.Key, e.Text)
		}
	})
	return b.String()
}

// line is a slot as it is written.
func line(t *testing.T, written string) campaigns.Line {
	t.Helper()
	w, err := text.ParseWhenTime(written)
	if err != nil {
		t.Fatal(err)
	}
	return campaigns.Line{When: w}
}
