package campaigns_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/handlers/campaigns"
)

// What is kept of campaigns is written as earlier versions wrote it, name by name and byte by byte: their workers may read it, and the next
// version has to.
func TestValuesStayAsTheyAre(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	inMarket(t, 2, func(d *market) campaigns.Campaign {
		c := menu(d)
		c.Each, c.Renews, c.Items[1].Status = 3, true, campaigns.Ask
		c.Report = &campaigns.Report{To: "office", Every: line(d.t, "Sun 08:00").When}
		return c
	}, func(d *market) {
		d.until("03-13 11:00")
		d.approve()
		d.asks("skip", "spring-menu@2027-03-14T16:00", "spring-menu@2027-03-14T16:00 stays empty; nothing else shifts")
		d.until("03-14 11:00")
		c := *d.force[0]
		c.Lines = c.Lines[:5]
		d.uses(c)
		d.asks("pause", "spring-menu 3d", "spring-menu is paused until Wed 17 March 11:01: its slots pass, and nothing is caught up on")
		path := filepath.Join("testdata", "values.json")
		got := d.kept()
		if *update {
			raw, err := json.MarshalIndent(got, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, append(raw, '\n'), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{}
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatal(err)
		}
		// The mark only has to be another one whenever something else is.
		if diff := cmp.Diff(want, got, cmpopts.IgnoreMapEntries(func(name, _ string) bool { return name == "mark" })); diff != "" {
			t.Errorf("it is kept (-as it was +as it is)\n%s", diff)
		}
	})
}

// kept returns what is kept, by name.
func (d *market) kept() map[string]string {
	all := map[string]string{}
	d.Inspect(func(market inspect.Inspector) {
		values, err := market.AccountValues(context.Background(), "bot", "campaigns", "", 1000)
		if err != nil {
			d.t.Fatal(err)
		}
		for _, v := range values {
			all[v.Name] = string(v.Value)
		}
	})
	return all
}
