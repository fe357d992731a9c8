package campaigns_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/handlers/campaigns"
)

// Without anything in its way, and with every approval given, a campaign does what the plan of its first day says, to the minute,
// over a change of the clocks.
func TestPlanIsWhatHappens(t *testing.T) {
	t.Parallel()
	inMarket(t, 6, func(d *market) campaigns.Campaign {
		c := menu(d)
		c.Status = campaigns.Ask
		return c
	}, func(d *market) {
		planned := d.planned()
		for range 2 * 20 {
			d.Advance(time.Hour)
			d.approve()
		}
		if diff := cmp.Diff(planned, d.happened()); diff != "" || len(planned) != 6 {
			t.Errorf("(-plan +happened)\n%s\n%s", diff, d.book())
		}
	})
}
