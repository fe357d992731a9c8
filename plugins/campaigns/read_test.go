package campaigns_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

// stored returns what is kept, as a command reads it.
func (d *market) stored() (s plugin.Stored) {
	d.t.Helper()
	d.Inspect(func(market inspect.Inspector) {
		var err error
		if s, err = plugin.Read(context.Background(), market, "bot"); err != nil {
			d.t.Fatal(err)
		}
	})
	return s
}

// What is kept is read from outside of the bot, while it runs and while it does not.
func TestRead(t *testing.T) {
	t.Parallel()
	inMarket(t, 3, menu, func(d *market) {
		planned := d.planned()
		d.until("03-13 11:00")
		for _, stopped := range []bool{false, true} {
			if stopped {
				d.Stop()
			}
			s := d.stored()
			if len(s.Campaigns) != 1 || s.Campaigns[0].ID != "spring-menu" || s.Waiting != nil {
				t.Fatalf("in force are %+v", s)
			}
			if m := s.Memories["spring-menu"]; m.Whole != 1 || len(s.Uses.Published) != 1 {
				t.Errorf("remembered are %+v, %+v", m, s.Uses)
			}
			s.AccountFacts.Budget = campaigns.DefaultBudget
			if diff := cmp.Diff(planned[1:], comes(&s.Account)); diff != "" {
				t.Errorf("(-first day +now)\n%s", diff)
			}
		}
		d.Start()
	})
}
