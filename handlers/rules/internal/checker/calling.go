package checker

import (
	"errors"

	"github.com/nectar-bot/nectar/handlers/notify"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// mostAddresses is how many addresses a folder has: each may be called at the same time.
const mostAddresses = 50

// checkCalling checks how people of ours are called.
func (c *checker) checkCalling() {
	s := &c.Settings
	all := 0
	for name, t := range s.Who.All() {
		all += len(t.Addresses)
		for i := range t.Addresses {
			c.address(&t.Addresses[i], s.MailServer != nil)
		}
		c.hook(s.Who.At(name), t.Webhook)
		for _, kind := range t.Urgent {
			c.checkKnown(s.Who.At(name), "urgent: ", "kind", kind, notify.Kinds(), "There are "+enumerateSome(notify.Kinds()))
		}
		if t.Quiet != nil && s.Timezone.Location == nil && !c.IsSpoiled(grammar.SettingsFile) {
			c.noteHint(s.Who.At(name), "quiet: %s is read as UTC: write timezone, for example Europe/Lisbon", t.Quiet)
		}
	}
	if all > mostAddresses {
		c.add(c.SettingAt("who"), "who: there are %d addresses; %d are the most", all, mostAddresses)
	}
	for i, name := range s.Call {
		c.checkTeam(c.SettingAt("call", i), "call: ", name)
	}
	if s.MailServer != nil && s.MailServer.Literal() {
		c.noteHint(s.MailServer.At, "mail_server: %s", literal)
	}
	if h := s.Heartbeat; h != nil && h.Service() != notify.Webhook {
		c.add(h.At, "heartbeat: write an address that begins with https://")
	}
}

const literal = "what is secret stands here itself, and whoever reads this file has it: put it into .env, and write ${NAME} here"

func (c *checker) address(a *grammar.Address, server bool) {
	switch {
	case a.File == "": // a problem was told
	case a.Service() == notify.Mail && !server && !c.IsSpoiled(grammar.SettingsFile):
		c.add(a.At, "mailto: mails need a server: write mail_server: smtp://bot%%40example.org:${SMTP_PASSWORD}@smtp.example.org in settings.yaml")
	case a.Literal():
		c.noteHint(a.At, "%s: %s", a.Service(), literal)
	}
}

// hook checks a webhook that looks like an address.
func (c *checker) hook(at textfile.At, address string) {
	if !grammar.WebAddress(address) {
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
