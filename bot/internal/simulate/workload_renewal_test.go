package simulate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

// renewal is an account with a campaign of one post and two slots, the second of which renews the first one's repost. The power goes
// out at a boundary of the second one, and a call of it has a fault: see TestRenewalAtEachBoundary. In no other run there is one.
type renewal struct {
	s       *simulation
	account platform.UserID
	post    platform.PostID
	force   campaigns.Campaign
	first   time.Time
	plugin  *plugin.Plugin
	odd     []string // what was not as it should be, in the end
}

const (
	renewalName  event.Account = "renewal"
	renewalAfter               = 6 * time.Minute // the second slot comes so long after the first one
)

func drawRenewal(*rand.Rand) []string { return nil }

func newRenewal(s *simulation) workload { return &renewal{s: s} }

func (g *renewal) begin() {
	g.account = g.s.addAccount(renewalName)
	g.post = g.s.platform.Post(g.account, "renewal ware")
	g.first = time.Now().Truncate(time.Minute).Add(2 * time.Minute)
	g.force = campaigns.Campaign{
		ID: "anew", Account: renewalName, Do: campaigns.Repost, Status: campaigns.Live, Zone: time.UTC, Starts: text.DayOf(g.first),
		Gap: time.Minute, Renews: true, Turn: campaigns.InOrder, Missed: campaigns.Missed{What: campaigns.Within, Within: time.Hour},
		Items: []campaigns.Item{{Key: campaigns.PostKey(g.post), Post: g.post}},
	}
	for _, at := range []time.Time{g.first, g.first.Add(renewalAfter)} {
		l := campaigns.Line{When: text.WhenTime{Day: text.DayOf(at), Clock: text.Clock(at.Hour()*60 + at.Minute())}}
		g.force.Lines = append(g.force.Lines, l)
	}
}

func (g *renewal) configure(cfg *bot.Config) {
	cfg.Accounts = append(cfg.Accounts, accountAt(cfg.Accounts[0].BaseURL, renewalName))
}

func (g *renewal) routes() []bot.Route {
	c, err := campaigns.New(g.force)
	g.plugin = plugin.New(plugin.Config{Budget: &campaigns.Budget{Apart: time.Minute}})
	if err == nil {
		err = g.plugin.Use(renewalName, []*campaigns.Campaign{c})
	}
	if err != nil {
		panic(err) // the simulator's own fault
	}
	return g.plugin.Routes()
}

func (g *renewal) joins(b *bot.Bot) { g.plugin.Watch(b) }

// do says what is known of renewals, lets the power go out at a boundary from now on and calls have faults, or nothing befall the bot
// any more.
func (g *renewal) do(ctx context.Context, what string) error {
	var deed string
	var boundary int
	var first, second emulator.Fault
	if _, err := fmt.Sscan(what, &deed, &boundary, &first, &second); err != nil {
		return err
	}
	switch deed {
	case "lifts":
		return g.s.inspect(ctx, func(inspector inspect.Inspector) error {
			_, err := inspector.Ask(ctx, event.Request{Key: event.Own(renewalName), Wish: event.WishTell, Subject: "campaigns/lifts", Text: "yes", By: "guest"})
			return err
		})
	case "arm":
		g.s.platform.Disturb("publication_repost", first, second)
		g.s.incarnation.power.arm(boundary)
	case "spare":
		if g.s.incarnation != nil {
			g.s.incarnation.power.spare()
		}
	}
	return nil
}

func (g *renewal) knows(e emulator.Entry) bool { return e.From == g.account || e.To == g.account }

func (g *renewal) judge([]emulator.Entry) []string { return g.odd }

// after wants the post reposted twice, taken back once between, and both slots booked as they were.
func (g *renewal) after(ctx context.Context) error {
	flips, last := "", time.Time{}
	for _, e := range g.s.platform.Ledger().Since(0) {
		if e.Post != g.post || e.From != g.account {
			continue
		}
		switch e.Kind {
		case emulator.Reposted:
			flips, last = flips+"+", e.At
		case emulator.Unreposted:
			flips += "-"
		default:
		}
	}
	if fresh := !last.Before(g.first.Add(renewalAfter)); flips != "+-+" || !fresh || !g.s.platform.Reposted(g.account, g.post) {
		g.odd = append(g.odd, fmt.Sprintf("the repost went %s, the last time at %v", flips, last))
	}
	return g.s.inspect(ctx, func(inspector inspect.Inspector) error {
		kept, err := plugin.Read(ctx, inspector, renewalName)
		if err != nil {
			return err
		}
		var book []campaigns.Entry
		for _, e := range kept.Memories["anew"].Book {
			book = append(book, e)
		}
		slices.SortFunc(book, func(a, b campaigns.Entry) int { return a.Minute.Compare(b.Minute) })
		right := func(e *campaigns.Entry, renew bool) bool {
			return e.State == campaigns.Done && e.Renew == renew && e.Post == g.post
		}
		if len(book) != 2 || !right(&book[0], false) || !right(&book[1], true) || book[1].At.Sub(last).Abs() > 2*time.Minute {
			g.odd = append(g.odd, fmt.Sprintf("it was reposted last at %v, and the book says %+v", last, book))
		}
		return nil
	})
}
