package cmd

import (
	"context"
	"errors"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/handlers/notify"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/text"
)

// caller returns what sends notices to the addresses of rules, with the settings of this machine.
func caller(c *rules.Calling, cfg config.Config) *notify.Client {
	return notify.NewClient(notify.Config{Hosts: cfg.WebhookHosts, Lookup: cfg.Lookup, Server: c.Server})
}

// unusable returns what is wrong with addresses on this machine.
func unusable(v *rules.Version, cfg config.Config) text.Problems {
	c := v.Calling()
	client := caller(&c, cfg)
	defer client.Close()
	return c.Check(client)
}

// callingOf returns how people are called by the files of a folder.
func callingOf(read reading, folder config.RuleFolder) (rules.Calling, error) {
	src, err := read(folder.Path)
	if err != nil {
		return rules.Calling{}, err
	}
	v, report := rules.Check(src)
	if v != nil {
		return v.Calling(), nil
	}
	if only := src[rules.SettingsFile]; only != nil { // rules may be broken, and people called all the same
		if v, _ := rules.Check(rules.Sources{rules.SettingsFile: only}); v != nil {
			return v.Calling(), nil
		}
	}
	return rules.Calling{}, errors.New("the rules do not load: " + report.Problems.Errors()[0].Text + "; nectar check says all that is wrong")
}

// addresses says which addresses of teams can be used; it calls nobody.
func (d *doctor) addresses(ctx context.Context, cfg config.Config, folders []config.RuleFolder) {
	for _, f := range folders {
		if isThere(f.Path) {
			d.addressesOf(ctx, cfg, f, ofFolder(f, len(folders)))
		}
	}
}

// addressesOf says it of one folder, which is named where there are several.
func (d *doctor) addressesOf(ctx context.Context, cfg config.Config, folder config.RuleFolder, named string) {
	note := func(f finding) {
		if named != "" {
			f.Said = named + ": " + f.Said
		}
		d.note(f)
	}
	c, err := callingOf(readingFrom(ctx, cfg), folder)
	if err != nil {
		note(finding{Check: "addresses", Status: odd, Said: err.Error()})
		return
	}
	client := caller(&c, cfg)
	defer client.Close()
	look := func(what string, a *rules.Address) {
		f := finding{Check: "addresses", Status: good, Said: what + " is called at " + a.String() + "; nectar notices test calls it now"}
		if what == "heartbeat" {
			f.Said = "the heartbeat goes to " + a.String()
		}
		if err := client.Check(&a.Address); err != nil {
			f.Status, f.Said = failed, what+" cannot be called at "+a.String()+": "+err.Error()
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
		note(finding{Check: "addresses", Status: odd, Said: "nobody is called: no team in settings.yaml has an address, so that notices stand in the log alone"})
	}
	if c.Heartbeat != nil {
		look("heartbeat", c.Heartbeat)
	}
}
