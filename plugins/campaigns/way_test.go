package campaigns_test

import (
	"os"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
)

// One slot is decided, published, and known to have arrived. TestWays of cmd runs this test once more with a campaign that begins a week later
// (NECTAR_TEST_WAY=without): what is left is the way of one slot.
func TestWayOfASlot(t *testing.T) {
	without := os.Getenv("NECTAR_TEST_WAY") == "without"
	inMarket(t, 1, func(d *market) campaigns.Campaign {
		c := menu(d)
		if c.Lines = c.Lines[:1]; without {
			c.Starts, c.Ends = day(d.t, "2027-03-20"), day(d.t, "2027-03-21")
		}
		return c
	}, func(d *market) {
		d.Advance(5 * time.Hour)
		if done := d.happened(); len(done) != map[bool]int{false: 1, true: 0}[without] {
			t.Errorf("there happened %q\n%s", done, d.book())
		}
	})
}
