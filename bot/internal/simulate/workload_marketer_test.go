package simulate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/plugins/campaigns"
)

// marketer is somebody whose shops, accounts of the bot, have campaigns: with slots some minutes apart, in zones whose clocks
// change meanwhile. They are edited, paused, taken out and put back; their slots are approved, refused, or nobody answers; reposts
// are made and taken back by hand, posts are deleted and hidden; the bot, or the platform, is away over slots, and the bot dies in the
// middle of publications, above all between an undo and its repost.
type marketer struct {
	s      *simulation
	author platform.UserID // of posts that are not the shops'
	shops  []*shop
	away   bool // the platform is

	plugin *campaigns.Plugin // of the present incarnation

	mu    sync.Mutex // over what calls uses, too
	doom  int        // the next publication ends its incarnation that many boundaries later
	wrong []string   // at the wire
	odd   []string   // what was not as it should be, in the end
}

const (
	marketersTime = 14 * time.Minute // her day
	shopGap       = 5 * time.Minute  // between two publications of a post of one's own
	shopApart     = 3 * time.Minute  // between any two of a shop
	shopTolerance = 2 * time.Minute  // how late a slot may leave that is not to be late
)

// marketersDays are when the runs with her begin: some minutes before clocks change somewhere, mostly.
var marketersDays = []time.Time{
	{}, // as ever
	time.Date(2025, time.March, 9, 6, 53, 20, 0, time.UTC),      // New York: 02:00 becomes 03:00
	time.Date(2025, time.April, 5, 14, 54, 10, 0, time.UTC),     // Lord Howe: 02:00 becomes 01:30
	time.Date(2025, time.September, 7, 3, 55, 30, 0, time.UTC),  // Santiago: there is no midnight
	time.Date(2025, time.November, 2, 5, 49, 0, 0, time.UTC),    // New York: 02:00 becomes 01:00
	time.Date(2025, time.October, 26, 0, 57, 40, 0, time.UTC),   // Berlin: 03:00 becomes 02:00
	time.Date(2025, time.December, 31, 18, 25, 15, 0, time.UTC), // Kolkata: a year ends
}

// marketersZones are the zones of those days.
var marketersZones = []string{"UTC", "America/New_York", "Australia/Lord_Howe", "America/Santiago", "America/New_York", "Europe/Berlin", "Asia/Kolkata"}

func drawMarketer(dice *rand.Rand) []string {
	steps := []string{fmt.Sprint("open ", 1+dice.IntN(2), " ", dice.IntN(1<<30))}
	for range 16 + dice.IntN(24) {
		what := []string{
			"edit", "edit", "edit", "edit", "hand", "hand", "hand", "desk", "desk", "desk", "desk", "desk", "pause", "goon", "goon",
			"outage", "mend", "mend", "down", "doom", "doom", "doom", "expire", "look", "look", "look",
		}[dice.IntN(26)]
		steps = append(steps, fmt.Sprint(what, " ", dice.IntN(2), " ", dice.IntN(1<<30)))
	}
	return steps
}

func newMarketer(s *simulation) workload { return &marketer{s: s} }

// begin opens the shops: what is drawn of them is drawn from the seed.
func (g *marketer) begin() {
	g.author = g.s.platform.AddPerson(emulator.Person{Username: "guest-author"})
	d := g.s.dice.draw("shops")
	for i := range 1 + d.n(2) {
		g.shops = append(g.shops, g.newShop(fmt.Sprint("shop", i), draw{x: mix(d.x + uint64(i))}))
	}
}

func (g *marketer) configure(cfg *bot.Config) {
	for _, s := range g.shops {
		cfg.Accounts = append(cfg.Accounts, accountAt(cfg.Accounts[0].BaseURL, s.name))
	}
}

// routes are those of a plugin, which each incarnation has anew: it begins with what is in force by then.
func (g *marketer) routes() []bot.Route {
	g.plugin = campaigns.New(campaigns.Config{Budget: &shopBudget})
	for _, s := range g.shops {
		if err := g.plugin.Use(s.name, s.ready()); err != nil {
			panic(err) // nobody looks yet
		}
	}
	return g.plugin.Routes()
}

// joins lets edits be looked at at once.
func (g *marketer) joins(b *bot.Bot) { g.plugin.Watch(b) }

func (g *marketer) do(ctx context.Context, what string) error {
	var deed string
	var which int
	var n uint64
	if _, err := fmt.Sscan(what, &deed, &which, &n); err != nil {
		return err
	}
	s, d := g.shops[which%len(g.shops)], draw{x: n}
	s.disturbed = append(s.disturbed, time.Now())
	switch deed {
	case "edit":
		if err := g.s.inspect(ctx, func(inspector inspect.Inspector) error { return g.edits(ctx, inspector, s, &d) }); err != nil {
			return err
		}
		return g.use(s) //nolint:contextcheck // the plugin asks its store for a moment
	case "hand":
		g.byHand(s, &d)
	case "desk":
		return g.s.inspect(ctx, func(inspector inspect.Inspector) error { return g.decide(ctx, inspector, s, &d) })
	case "pause", "goon":
		return g.s.inspect(ctx, func(inspector inspect.Inspector) error { return g.pause(ctx, inspector, s, deed == "pause") })
	case "outage":
		g.away = true
		g.s.platform.SetFaults(emulator.Faults{Err500Before: 1})
	case "mend":
		if g.away = false; !g.s.peace.Load() {
			g.s.platform.SetFaults(g.s.plan.faults)
		}
	case "down":
		g.s.off(d.between(10*time.Second, 5*time.Minute))
	case "doom":
		g.mu.Lock()
		g.doom = 1 + int(d.n(9))
		g.mu.Unlock()
	case "expire":
		g.s.platform.Expire(s.account)
	case "look":
		s.disturbed = s.disturbed[:len(s.disturbed)-1]
		return g.s.inspect(ctx, func(inspector inspect.Inspector) error { return g.look(ctx, inspector, s) })
	default:
		return g.asksFor(ctx, s, deed, &d)
	}
	return nil
}

// use puts what a shop has into force.
func (g *marketer) use(s *shop) error {
	if g.s.incarnation == nil || g.s.incarnation.power.out.Load() {
		return nil // the next incarnation begins with it
	}
	return g.plugin.Use(s.name, s.ready())
}

// byHand is what people do on the phone, and what authors do to their posts.
func (g *marketer) byHand(s *shop, d *draw) {
	w := s.wares[d.n(int64(len(s.wares)))]
	w.hands = append(w.hands, time.Now())
	switch d.n(8) {
	case 0, 1, 2:
		g.s.platform.Unrepost(s.account, w.post)
	case 3, 4:
		g.s.platform.Repost(s.account, w.post)
	case 5:
		if by := g.author; !w.own {
			w.gone = g.s.platform.DeletePost(by, w.post)
		}
	case 6:
		g.s.platform.SetPrivacy(g.author, true, false)
		g.hidden()
	default:
		g.s.platform.SetPrivacy(g.author, false, false)
		g.hidden()
	}
}

// hidden notes that all posts of the author are others than they were.
func (g *marketer) hidden() {
	for _, s := range g.shops {
		for _, w := range s.wares {
			if !w.own {
				w.hands = append(w.hands, time.Now())
			}
		}
	}
}

// pause pauses a shop, or lets it go on.
func (g *marketer) pause(ctx context.Context, inspector inspect.Inspector, s *shop, on bool) error {
	wish := event.WishGoOn
	if on {
		wish = event.WishPause
	}
	_, err := inspector.Ask(ctx, event.Request{Key: event.Key{Account: s.name}, Wish: wish, By: "guest"})
	return err
}

func (g *marketer) knows(e emulator.Entry) bool {
	for _, s := range g.shops {
		if e.From == s.account || e.To == s.account {
			return true
		}
	}
	return e.From == g.author || e.To == g.author || strings.HasPrefix(e.Text, "shop")
}
