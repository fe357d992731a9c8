package event_test

import (
	"testing"

	"github.com/nectar-bot/nectar/bot/event"
)

func TestReason(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		reason event.Reason
		text   string
		code   event.ReasonCode
		tries  string
	}{
		{"none", "", "", "", ""},
		{"a code alone", event.Because("crash.repeated"), "crash.repeated", "crash.repeated", ""},
		{"with what belongs to it", event.Because("crash.repeated", "tries", "5", "by", "timer:a b"), "crash.repeated?by=timer%3Aa+b&tries=5", "crash.repeated", "5"},
		{"a name without its value is left out", event.Because("crash.repeated", "tries", "5", "by"), "crash.repeated?tries=5", "crash.repeated", "5"},
		{"what was stored and cannot be read has its code", "crash.repeated?%zz", "crash.repeated?%zz", "crash.repeated", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if string(c.reason) != c.text || c.reason.Code() != c.code || c.reason.Param("tries") != c.tries {
				t.Errorf("got %q with code %q and tries %q, want %q, %q, %q", c.reason, c.reason.Code(), c.reason.Param("tries"), c.text, c.code, c.tries)
			}
		})
	}
}
