package bot_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// Many invented people who write for the first time hardly delay somebody whom the bot knows, in messages or in public; and each of them is
// answered in turn, however much she asks.
func TestNewcomersDelayNoCustomer(t *testing.T) {
	effort.Long(t)
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: append(opens(), echo()), Patience: time.Hour}, func(w *bottest.World) {
		leo := w.Person("leo")
		leo.Says("hi")
		leo.Expects("hi")
		w.Advance(time.Minute)
		newcomers := make([]*bottest.Person, 500)
		for i := range newcomers {
			newcomers[i] = w.Person(fmt.Sprint("newcomer", i))
			newcomers[i].Says("hello")
			w.Advance(200 * time.Millisecond)
			if i%50 != 49 {
				continue
			}
			begun := time.Now()
			if i%100 == 99 {
				leo.Mentions("@bot are you open?")
				leo.ExpectsReply("we are open")
			} else {
				leo.Says(fmt.Sprint("question ", i))
				leo.Expects(fmt.Sprint("question ", i))
			}
			if took := time.Since(begun); took > 12*time.Second {
				t.Errorf("behind %d newcomers it took %v to answer a customer", i+1, took.Round(time.Second))
			}
		}
		for _, who := range newcomers {
			who.Expects("hello")
		}
	})
}

// While both wait, they take turns, each by age: customers who ask without end do not keep newcomers from being answered.
func TestNewcomersAndCustomersTakeTurns(t *testing.T) {
	effort.Long(t)
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: []bot.Route{echo()}, Patience: time.Hour}, func(w *bottest.World) {
		var customers, newcomers []platform.UserID
		for i := range 40 {
			p := w.Person(fmt.Sprint("customer", i))
			p.Says("hi")
			p.Expects("hi")
			customers = append(customers, p.ID())
		}
		w.Advance(time.Minute)
		since := w.Platform().Ledger().Len()
		for i := range 40 {
			newcomers = append(newcomers, w.Person(fmt.Sprint("newcomer", i)).ID())
		}
		account := w.Account("bot").ID()
		for _, who := range slices.Concat(customers, newcomers) {
			w.Platform().Say(who, account, "hello")
		}
		w.Advance(2 * time.Minute)
		var order []platform.UserID
		var known []bool
		for _, e := range w.Platform().Ledger().Since(since) {
			if e.Kind == emulator.Arrived {
				order, known = append(order, e.To), append(known, slices.Contains(customers, e.To))
			}
		}
		if len(order) != 80 {
			t.Fatalf("%d were answered, want 80", len(order))
		}
		for i := 10; i < 70; i += 10 {
			n := 0
			for _, k := range known[i : i+10] {
				if k {
					n++
				}
			}
			if n < 4 || n > 6 {
				t.Errorf("of ten answers from the %dth on, %d are to customers", i, n)
			}
		}
	})
}
