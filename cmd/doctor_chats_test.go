package cmd

import (
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/cmd/internal/doctor"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// A list that is too long, or breaks off, is said to be so; it is no wrong address.
func TestDoctorSaysHowLongTheListIs(t *testing.T) {
	for name, c := range map[string]struct {
		trouble        emulator.ListTrouble
		setting        string
		status         doctor.Status
		chats, length  string
		alsoNotInThere string
	}{
		"beyond what once was too much": {
			emulator.ListTrouble{Phantoms: 60_000},
			"", doctor.Good, "chats: 60001; unread messages: 60001",
			" % of the limit of 256 MiB; ", "the list is cut",
		},
		"near the limit": {
			emulator.ListTrouble{Phantoms: 6_000},
			"NECTAR_LIST_LIMIT=1MiB", doctor.Odd, "chats: 6001; unread messages: 6001",
			"% of the limit of 1.0 MiB; ", "the list is cut",
		},
		"beyond the limit": {
			emulator.ListTrouble{Phantoms: 10_000},
			"NECTAR_LIST_LIMIT=1MiB", doctor.Odd, "; there are more, which do not arrive",
			"100 % of the limit of 1.0 MiB; ", "base address",
		},
		"broken": {
			emulator.ListTrouble{Phantoms: 1000, Break: 100_000},
			"", doctor.Odd, "; there are more, which do not arrive",
			"the list is cut by the fault, and only its newest chats are heard at once: the connection breaks", "base address",
		},
		"broken at once": {
			emulator.ListTrouble{Phantoms: 1000, Break: 20},
			"", doctor.Failed, "the answer breaks off in the middle: look at the network",
			"not tried", "base address",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, environ := clinic(t, emulator.Dialect{})
			p.TroubleLists(c.trouble)
			if c.setting != "" {
				environ = append(environ, c.setting)
			}
			_, found := examined(t, environ)
			chats, length := found["main get_chats"], found["main length of get_chats"]
			if !strings.Contains(chats.Said, c.chats) || !strings.Contains(length.Said, c.length) || c.status != doctor.Failed && length.Status != c.status ||
				strings.Contains(chats.Said+length.Said, c.alsoNotInThere) {
				t.Errorf("got %+v and %+v", chats, length)
			}
		})
	}
}
