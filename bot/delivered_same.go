package bot

import "github.com/nectar-bot/nectar/bot/event"

// OutcomeSame is the outcome of what asks for nothing: the platform had shown it before, under another id.
const OutcomeSame = "same"

// skipRedelivered leaves an event undecided that was delivered before under another id; false when it was not.
func skipRedelivered(t *Turn) bool {
	//mutate:same
	if t.Event.Kind != event.KindSame || t.Trigger.Kind != event.ByEvent {
		return false
	}
	t.rec.Outcome = OutcomeSame
	t.Note("it was there before as %s", t.Event.Subject)
	return true
}
