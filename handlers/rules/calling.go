package rules

import (
	"errors"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/handlers/notify"
	"github.com/nectar-bot/nectar/handlers/text"
)

// Address is where somebody is called.
type Address struct {
	text.At
	notify.Address
}

// FromText reads an address.
func (a *Address) FromText(n text.Node) text.Problems {
	return readAddress(n, &a.At, &a.Address, notify.Parse)
}

// Server is a mail server.
type Server struct {
	text.At
	notify.Address
}

// FromText reads the address of a mail server.
func (s *Server) FromText(n text.Node) text.Problems {
	return readAddress(n, &s.At, &s.Address, notify.ParseServer)
}

func readAddress(n text.Node, at *text.At, into *notify.Address, parse func(string) (notify.Address, error)) text.Problems {
	if n.Kind() != text.Scalar {
		return text.Problems{n.Problem("write one address here, for example ntfy://ntfy.sh/TOPIC")}
	}
	a, err := parse(n.String())
	if err != nil {
		return text.Problems{n.At().Problem("%v", err)}
	}
	*at, *into = n.At(), a
	return nil
}

// FromText reads addresses, or a mapping.
func (t *Team) FromText(n text.Node) text.Problems {
	if n.Kind() != text.Mapping {
		return t.Addresses.FromText(n)
	}
	type plain Team
	return n.Decode((*plain)(t))
}

// Calling says how people of ours are called, as settings.yaml has it.
type Calling struct {
	Teams     []CalledTeam
	Call      []string // who is called for what no rule names a team for
	Server    notify.Address
	Heartbeat *Address // nil for none
	Zone      *time.Location
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
	s := &v.folder.settings
	c := Calling{Call: s.Call, Heartbeat: s.Heartbeat, Zone: s.Timezone.Location}
	if c.Zone == nil {
		c.Zone = time.UTC
	}
	if s.MailServer != nil {
		c.Server = s.MailServer.Address
	}
	for name, t := range s.Who.All() {
		team := CalledTeam{Name: name, Addresses: slices.Clone(t.Addresses), Quiet: t.Quiet, Urgent: t.Urgent}
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

// mostAddresses is how many addresses a folder has: each may be called at the same time.
const mostAddresses = 50

// calling checks how people of ours are called.
func (c *checker) calling() {
	s := &c.folder.settings
	all := 0
	for name, t := range s.Who.All() {
		all += len(t.Addresses)
		for i := range t.Addresses {
			c.address(&t.Addresses[i], s.MailServer != nil)
		}
		c.hook(s.Who.At(name), t.Webhook)
		for _, kind := range t.Urgent {
			c.known(s.Who.At(name), "urgent: ", "kind", kind, notify.Kinds(), "There are "+enumerate(notify.Kinds()))
		}
		if t.Quiet != nil && s.Timezone.Location == nil && !c.spoils(SettingsFile) {
			c.hint(s.Who.At(name), "quiet: %s is read as UTC: write timezone, for example Europe/Lisbon", t.Quiet)
		}
	}
	if all > mostAddresses {
		c.add(s.At, "who: there are %d addresses; %d are the most", all, mostAddresses)
	}
	for _, name := range s.Call {
		c.team(s.At, "call: ", name)
	}
	if s.MailServer != nil && s.MailServer.Literal() {
		c.hint(s.MailServer.At, "mail_server: %s", literal)
	}
	if h := s.Heartbeat; h != nil && h.Service() != notify.Webhook {
		c.add(h.At, "heartbeat: write an address that begins with https://")
	}
}

const literal = "what is secret stands here itself, and whoever reads this file has it: put it into .env, and write ${NAME} here"

func (c *checker) address(a *Address, server bool) {
	switch {
	case a.File == "": // a problem was told
	case a.Service() == notify.Mail && !server && !c.spoils(SettingsFile):
		c.add(a.At, "mailto: mails need a server: write mail_server: smtp://bot%%40example.org:${SMTP_PASSWORD}@smtp.example.org in settings.yaml")
	case a.Literal():
		c.hint(a.At, "%s: %s", a.Service(), literal)
	}
}

// hook checks a webhook that looks like an address.
func (c *checker) hook(at text.At, address string) {
	if !webAddress(address) {
		return
	}
	if a, err := notify.Parse(address); err != nil || a.Service() != notify.Webhook {
		c.add(at, "webhook: %v", orNoHook(err))
	}
}

func orNoHook(err error) error {
	if err == nil {
		return errors.New("write an address that begins with https:// here, and others under addresses")
	}
	return err
}
