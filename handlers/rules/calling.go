package rules

import (
	"time"

	"github.com/nectar-bot/nectar/handlers/notify"
	"github.com/nectar-bot/nectar/handlers/rules/internal/engine"
	"github.com/nectar-bot/nectar/handlers/text"
)

// Address is where somebody is called.
type Address struct {
	text.At
	notify.Address
}

// Calling says how people of ours are called, as settings.yaml has it.
type Calling struct {
	Teams     []CalledTeam
	Call      []string // who is called for what no rule names a team for
	Server    notify.Address
	Heartbeat *Address // nil for none
	Zone      *time.Location
	Needed    bool // a rule that acts calls people of ours
}

// CalledTeam is a team with its addresses.
type CalledTeam struct {
	Name      string
	Addresses []Address
	Quiet     *text.Quiet
	Urgent    []string
}

// Calling returns how people of ours are called.
func (v *Version) Calling() Calling {
	s := &engine.VersionOf(v).Folder.Settings
	c := Calling{Call: s.Call, Heartbeat: (*Address)(s.Heartbeat), Zone: s.Timezone.Location, Needed: engine.VersionOf(v).CallsPeople()}
	if c.Zone == nil {
		c.Zone = time.UTC
	}
	if s.MailServer != nil {
		c.Server = s.MailServer.Address
	}
	for name, t := range s.Who.All() {
		team := CalledTeam{Name: name, Quiet: t.Quiet, Urgent: t.Urgent}
		for _, a := range t.Addresses {
			team.Addresses = append(team.Addresses, Address(a))
		}
		if t.Urgent == nil {
			team.Urgent = notify.Urgent()
		}
		if hook, err := notify.Parse(t.Webhook); err == nil {
			team.Addresses = append(team.Addresses, Address{At: s.Who.At(name), Address: hook})
		}
		c.Teams = append(c.Teams, team)
	}
	if len(c.Call) == 0 {
		for i := range c.Teams {
			c.Call = append(c.Call, c.Teams[i].Name)
		}
	}
	return c
}

// Check tells which addresses cannot be used on this machine: a host that is not allowed, a variable that is not set.
// It calls nobody.
func (c *Calling) Check(client *notify.Client) text.Problems {
	var problems text.Problems
	look := func(where string, a *Address) {
		if err := client.Check(&a.Address); err != nil {
			problems = append(problems, a.Problem("%s: %s: %v", where, a.String(), err))
		}
	}
	for i := range c.Teams {
		for j := range c.Teams[i].Addresses {
			look(c.Teams[i].Name, &c.Teams[i].Addresses[j])
		}
	}
	if c.Heartbeat != nil {
		look("heartbeat", c.Heartbeat)
	}
	return problems
}
