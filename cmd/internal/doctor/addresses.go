package doctor

import (
	"context"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
	"github.com/nectar-bot/nectar/handlers/rules"
)

// CheckAddresses says which addresses of teams can be used; it calls nobody.
func (d *Doctor) CheckAddresses(ctx context.Context, cfg config.Config, folders []config.RuleFolder) {
	for _, f := range folders {
		if sources.IsThere(f.Path) {
			d.addressesOf(ctx, cfg, f, sources.OfFolder(f, len(folders)))
		}
	}
}

// addressesOf says it of one folder, which is named where there are several.
func (d *Doctor) addressesOf(ctx context.Context, cfg config.Config, folder config.RuleFolder, named string) {
	note := func(f Finding) {
		if named != "" {
			f.Said = named + ": " + f.Said
		}
		d.NoteFinding(f)
	}
	c, err := sources.CallingOf(sources.ReadingFrom(ctx, cfg), folder)
	if err != nil {
		note(Finding{Check: "addresses", Status: Odd, Said: err.Error()})
		return
	}
	client := sources.NewCaller(&c, cfg)
	defer client.Close()
	look := func(what string, a *rules.Address) {
		f := Finding{Check: "addresses", Status: Good, Said: what + " is called at " + a.String() + "; nectar notices test calls it now"}
		if what == "heartbeat" {
			f.Said = "the heartbeat goes to " + a.String()
		}
		// Only looked at, not called: a doctor that is asked in the night must not wake anybody.
		if err := client.Check(&a.Address); err != nil {
			f.Status, f.Said = Failed, what+" cannot be called at "+a.String()+": "+err.Error()
		}
		note(f)
	}
	called := false
	for i := range c.Teams {
		for j := range c.Teams[i].Addresses {
			called = true
			look(c.Teams[i].Name, &c.Teams[i].Addresses[j])
		}
	}
	if !called {
		note(Finding{Check: "addresses", Status: Odd, Said: "nobody is called: no team in settings.yaml has an address, so that notices stand in the log alone"})
	}
	if c.Heartbeat != nil {
		look("heartbeat", c.Heartbeat)
	}
}
