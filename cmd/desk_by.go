package cmd

import (
	"cmp"
	"os/user"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/spf13/cobra"
)

// mostName is how long the name of who decides may be, in columns.
const mostName = 40

// asFlag adds the flag that says who decides.
func asFlag(cmd *cobra.Command, f *deskFlags) {
	cmd.Flags().StringVar(&f.by, "as", "", "`name` of who decides, kept with the decision (default your user name)")
}

// decider returns who decides: the one who was named, or else the user of the machine.
func decider(sh shell, named string) string {
	name := named
	if name == "" {
		if u, err := user.Current(); err == nil {
			name = u.Username
		}
	}
	if name == "" {
		name = cmp.Or(sh.variable("USER"), sh.variable("LOGNAME"), sh.variable("USERNAME"))
	}
	if named == "" { // DOMAIN\ines
		name = name[strings.LastIndexByte(name, '\\')+1:]
	}
	return strings.TrimSpace(plain(name, mostName))
}

// ruled says what was decided about an action that was held, and by whom; "" when nothing was.
func ruled(p *event.Approval) string {
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
	return word + by(v.By) + " " + when(v.At)
}

// by says who decided, behind what was decided.
func by(name string) string {
	if name == "" {
		return ""
	}
	return " by " + plain(name, mostName)
}
