package campaigns_test

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/session"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

// How to measure, each by itself:
//
//	go test ./plugins/campaigns -run 'TestSlotsFigure$' -figures -v -timeout 30m
//	go test ./plugins/campaigns -run 'TestMinuteFigure$' -figures -v
var (
	figures  = flag.Bool("figures", false, "measure, which takes minutes")
	accounts = flag.Int("accounts", 100, "of TestSlotsFigure")
	slots    = flag.Int("slots", 1000, "of each account, for TestSlotsFigure")
	apart    = flag.Duration("apart", 30*time.Minute, "between two slots of an account, for TestSlotsFigure; whole minutes")
)

// regular is a campaign of own texts with slots that are as far apart as the flag says.
func regular(tb testing.TB, account event.Account, from time.Time, n int) *campaigns.Campaign {
	tb.Helper()
	c := campaigns.Campaign{ID: "regular", Account: account, Do: campaigns.Publish, Status: campaigns.Live, Zone: time.UTC, Turn: campaigns.InOrder}
	for i := range n {
		at := from.Add(time.Duration(i) * *apart)
		c.Lines = append(c.Lines, campaigns.Line{When: text.WhenTime{Day: text.DayOf(at), Clock: text.Clock(at.Hour()*60 + at.Minute())}})
	}
	c.Starts, c.Ends = text.DayOf(from), text.DayOf(from.Add(time.Duration(n)**apart))
	for _, said := range []string{"Asparagus is here.", "Strawberries, too.", "And rhubarb."} {
		c.Items = append(c.Items, campaigns.Item{Key: campaigns.TextKey(said), Text: said})
	}
	ready, err := campaigns.New(c)
	if err != nil {
		tb.Fatal(err)
	}
	return ready
}

// Many slots run through the durable store, with the budget off, from their decision to the end of their book entries.
func TestSlotsFigure(t *testing.T) {
	if !*figures {
		return // it takes minutes; see above
	}
	var names []event.Account
	for i := range *accounts {
		names = append(names, event.Account(fmt.Sprintf("bot%04d", i)))
	}
	from := spring.Add(time.Hour)
	var heap, live uint64
	began, spent := time.Now(), cpu()
	var quarters []string // what a slot costs, from quarter to quarter: the book grows
	bottest.Run(t, bottest.Config{
		Start: spring, Accounts: names, Latency: -1, Bot: bot.Config{PollInterval: 24 * time.Hour, Pace: &event.Pace{}},
		Plugins: func(bot.Store, *slog.Logger) ([]bottest.Plugin, error) {
			p := plugin.New(plugin.Config{Budget: &campaigns.Budget{}})
			for _, name := range names {
				if err := p.Use(name, []*campaigns.Campaign{regular(t, name, from, *slots)}); err != nil {
					return nil, err
				}
			}
			return []bottest.Plugin{p}, nil
		},
	}, func(w *bottest.World) {
		whole, before := time.Duration(*slots)**apart, spent
		for q := 1; q <= 4; q++ {
			for time.Since(from) < whole*time.Duration(q)/4 || q == 4 && time.Since(from) < whole+5*time.Minute {
				w.Advance(time.Hour)
				var now runtime.MemStats
				runtime.ReadMemStats(&now)
				heap = max(heap, now.HeapInuse)
			}
			now := cpu()
			quarters = append(quarters, fmt.Sprintf("%.2f ms", (now-before)*1000*4/float64(*accounts**slots)))
			before = now
		}
		runtime.GC()
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		live = now.HeapAlloc
		published := 0
		for _, e := range w.Platform().Ledger().Since(0) {
			if e.Kind == emulator.Published {
				published++
			}
		}
		if want := *accounts * *slots; published != want {
			t.Errorf("%d were published, want %d", published, want)
		}
	})
	took, n := time.Since(began), *accounts**slots
	t.Logf("%d slots of %d accounts, %v apart: %v, %.2f ms CPU a slot, from quarter to quarter %s; heap in use at most %d MB, live in the end %d MB (all with the emulator and its ledger)",
		n, *accounts, *apart, took.Round(time.Millisecond), (cpu()-spent)*1000/float64(n), strings.Join(quarters, ", "), heap>>20, live>>20)
}

// A slot in each of 1,000 accounts in one minute, by the clock on the wall: how much later than the minute each request arrives.
func TestMinuteFigure(t *testing.T) {
	if !*figures {
		return
	}
	const n = 1000
	p := emulator.New(emulator.Config{})
	pipe := emulator.NewPipe(p)
	author := p.AddPerson(emulator.Person{Username: "partner_cafe"})
	post := p.Post(author, "dish")
	minute := time.Now().Add(2*time.Minute + 30*time.Second).Truncate(time.Minute).UTC()
	run := plugin.New(plugin.Config{})
	var all []bot.Account
	for i := range n {
		name := event.Account(fmt.Sprintf("bot%04d", i))
		email := string(name) + "@example.org"
		p.AddAccount(emulator.Person{Username: string(name)}, email, "secret")
		all = append(all, bot.Account{Name: name, BaseURL: pipe.BaseURL(), Credentials: session.Credentials{Email: email, Password: "secret"}})
		c, err := campaigns.New(campaigns.Campaign{
			ID: "spring", Account: name, Do: campaigns.Repost, Status: campaigns.Live, Zone: time.UTC, Turn: campaigns.InOrder,
			Starts: text.DayOf(minute), Ends: text.DayOf(minute), Items: []campaigns.Item{{Key: campaigns.PostKey(post), Post: post}},
			Lines: []campaigns.Line{{When: text.WhenTime{Day: text.DayOf(minute), Clock: text.Clock(minute.Hour()*60 + minute.Minute())}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := run.Use(name, []*campaigns.Campaign{c}); err != nil {
			t.Fatal(err)
		}
	}
	st, err := bot.OpenStore(context.Background(), bot.StoreOptions{Path: filepath.Join(t.TempDir(), "nectar.db")})
	if err != nil {
		t.Fatal(err)
	}
	router, err := bot.NewRouter(bot.RouterConfig{Routes: run.Routes()})
	if err != nil {
		t.Fatal(err)
	}
	b, err := bot.New(bot.Config{Accounts: all, Store: st, Router: router, Transport: pipe.Transport(), PollInterval: 10 * time.Minute, Pace: &event.Pace{}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithDeadline(context.Background(), minute.Add(30*time.Second))
	defer cancel()
	if err := b.Run(ctx); err != nil && ctx.Err() == nil {
		t.Fatal(err)
	}
	var late []time.Duration
	for _, e := range p.Ledger().Since(0) {
		if e.Kind == emulator.Reposted && e.Post == post {
			late = append(late, e.At.Sub(minute))
		}
	}
	slices.Sort(late)
	if len(late) != n {
		t.Fatalf("%d reposts, want %d", len(late), n)
	}
	t.Logf("%d accounts: from the planned minute to the request at the platform: first %v, median %v, p99 %v, last %v",
		n, late[0], late[n/2], late[n*99/100], late[n-1])
	if err := st.Close(); err != nil {
		t.Error(err)
	}
	if err := pipe.Close(); err != nil {
		t.Error(err)
	}
}
