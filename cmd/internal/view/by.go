package view

import (
	"cmp"
	"os/user"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/print"
)

// DeciderName returns who decides: the one who was named, or else the user of the machine.
func DeciderName(sh cli.Shell, named string) string {
	name := named
	if name == "" {
		if u, err := user.Current(); err == nil {
			name = u.Username
		}
	}
	if name == "" {
		name = cmp.Or(sh.GetVariable("USER"), sh.GetVariable("LOGNAME"), sh.GetVariable("USERNAME"))
	}
	if named == "" { // DOMAIN\ines
		name = name[strings.LastIndexByte(name, '\\')+1:]
	}
	return strings.TrimSpace(print.PlainText(name, print.MostName))
}

// RuledText says what was decided about an action that was held, and by whom; "" when nothing was.
func RuledText(p *event.Approval) string {
	v := &p.Verdict
	word := string(v.Ruling)
	if p.Group != "" { // it waited for an approval
		word = map[event.Ruling]string{
			event.Released: "approved", event.Edited: "approved with another text", event.Dropped: "refused", event.Expired: "expired",
		}[v.Ruling]
	}
	if word == "" {
		return ""
	}
	return word + ByText(v.By) + " " + print.TimeText(v.At)
}

// ByText says who decided, behind what was decided.
func ByText(name string) string {
	if name == "" {
		return ""
	}
	return " by " + print.PlainText(name, print.MostName)
}
