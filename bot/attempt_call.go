package bot

import (
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// quarantineNotice is what people of ours are told of a trigger that could not be handled.
func quarantineNotice(j *job, why error, now time.Time) event.Notice {
	t, id := &j.trigger, j.trigger.ID()
	d := event.Details{Ask: "The conversation goes on without it. Find out why with nectar why " + id + ", then let it be tried again:", Do: "nectar events retry " + id}
	if t.Kind == event.ByEvent {
		d.Name, d.User = t.Event.Name, t.Event.User
	}
	if t.Kind == event.ByTimer {
		d.Ask = "The conversation goes on without it. Let it be tried again:"
	}
	return event.Notice{
		Account: t.Key.Account, ID: id + "/quarantine/" + fmt.Sprint(now.UnixMicro()), Who: event.Everybody, Peer: t.Key.Peer, At: now,
		Kind: event.CallQuarantine, Text: fmt.Sprintf("%s could not be handled: %v", id, why), Details: d.Encode(),
	}
}
