package campaigns_test

import (
	"context"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// What ends late is in the book soon: after a quarter of the time that it took, at most.
func TestWhatEndsLateIsSoonInTheBook(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for _, gone := range []time.Duration{100 * time.Second, 3 * time.Minute, 6 * time.Minute} {
		t.Run(gone.String(), func(t *testing.T) {
			effort.Case(t)
			inMarket(t, 1, menu, func(d *market) {
				planned := d.planned()
				d.before(planned[0], 30*time.Second)
				d.Faults(emulator.Faults{Err500After: 1})
				d.before(planned[0], -gone)
				d.Faults(emulator.Faults{})
				d.until("03-13 12:00")
				d.Inspect(func(market inspect.Inspector) {
					ctx := context.Background()
					over, err := market.Actions(ctx, record.ActionQuery{Account: "bot", Limit: 10})
					if err != nil || len(over) != 1 {
						t.Fatalf("%+v, %v", over, err)
					}
					entries, err := market.Entries(ctx, "bot", "campaigns/spring-menu", "", 2)
					if err != nil || len(entries) != 2 || entries[1].Key != "spring-menu@2027-03-13T09:30#end" {
						t.Fatalf("%+v, %v", entries, err)
					}
					took, late := over[0].EndedAt.Sub(entries[0].At), entries[1].At.Sub(over[0].EndedAt)
					if took < time.Minute || late > took/4+10*time.Second {
						t.Errorf("it took %v to end, and its book knew of it %v later", took, late)
					}
				})
			})
		})
	}
}
