package campaigns_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
)

// A request leaves a moment after its minute. Slots that are just as far apart as they have to be come both all the same, a post comes
// again just when its gap is over, and a limit of one a day lets the same slot of the next day be.
func TestAMomentAfterItsMinute(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(c *campaigns.Campaign){
		"keep_apart": func(c *campaigns.Campaign) { c.KeepApart = 24 * time.Hour },
		"gap":        func(c *campaigns.Campaign) { c.Gap, c.Renews, c.Items = 24*time.Hour, true, posts(1) },
		"total":      func(c *campaigns.Campaign) { c.Total = text.Limit{Max: 1, Per: 24 * time.Hour} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := daily(t, change)
			id := campaigns.SlotID{Campaign: "daily", Day: date(t, "2027-03-01"), Clock: 720}
			a := account(start(t), c)
			v := found(t, a, id, "2027-03-01 12:00")
			m, u := campaigns.Take(c, a.Memories["daily"], a.Uses, v)
			a.Memories["daily"], a.Uses = campaigns.Conclude(c, m, u, id, campaigns.Conclusion{Done: true, At: at(t, "2027-03-01 12:00").Add(900 * time.Millisecond)})
			for _, v := range plan(a, at(t, "2027-03-01 13:00"), 1) {
				if !v.Kind.Publishes() {
					t.Errorf("%s: %s", v.Slot.ID, v.Why)
				}
			}
		})
	}
}

// Zones had offsets with seconds once, and JSON has none for them: what is stored means the same moment all the same.
func TestZoneWithSeconds(t *testing.T) {
	t.Parallel()
	c := daily(t, func(c *campaigns.Campaign) { c.Zone, c.Status = time.FixedZone("odd", 37), campaigns.Ask })
	id := campaigns.SlotID{Campaign: "daily", Day: date(t, "2027-03-01"), Clock: 720}
	now := time.Date(2027, time.March, 1, 8, 0, 0, 0, time.UTC)
	a := account(now, c)
	v, _ := campaigns.Find(a, id, nil, now)
	m := campaigns.Prepare(a.Memories["daily"], v, "", now)
	taken, u := campaigns.Take(c, a.Memories["daily"], a.Uses, v)
	for _, x := range []any{&m, &taken, &u} {
		text, err := json.Marshal(x)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), ":59:23+") || !strings.Contains(string(text), "11:59:23Z") {
			t.Errorf("%s", text)
		}
	}
}
