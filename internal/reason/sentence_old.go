package reason

import (
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
)

// What was stored before there were codes says by a sentence alone why it came to what it is. It is read here, and nowhere else. Nothing rewrites
// these rows: they are deleted with what is older than NECTAR_RETENTION, and until then both are read.

// OfAction returns the reason of an action; "" when neither a code nor a sentence that this version knows says it.
func OfAction(a *event.Action) event.Reason { return Read(a.Why, a.Reason) }

// Read returns a stored reason: the code, or else what the sentence says.
func Read(why event.Reason, sentence string) event.Reason {
	switch {
	case why != "" || sentence == "":
		return why
	case strings.HasPrefix(sentence, lapsed):
		return LapsedPause(Read("", strings.TrimPrefix(sentence, lapsed)).Param("rule"))
	case strings.HasPrefix(sentence, "waits: "):
		return event.Because(Crowded)
	}
	for text, of := range map[string]func(string) event.Reason{"the rule * is paused": PausedBy, "the rule * is on watch": WatchedBy, "the limit * is used up": UsedUp} {
		head, after, _ := strings.Cut(text, "*")
		name, begins := strings.CutPrefix(sentence, head)
		if name, ends := strings.CutSuffix(name, after); begins && ends {
			return of(name)
		}
	}
	return event.Because(before[sentence])
}

// before are the sentences without parameters that were decided by. They stay as they were written, however the sentences of now are worded.
var before = map[string]event.ReasonCode{
	"the account is paused": AccountPaused,
	"needs approval":        NeedsApproval,
	"dropped by a person":   Dropped,
	"it was so already":     WasSo,
}

// SentenceBefore returns what was stored, before there were codes, of what is held for a rule's pause.
func SentenceBefore(rule string) string { return "the rule " + rule + " is paused" }

const lapsed = "it had become too late for it while "

// WatchedSQL is what is so of the row of an action that a rule on watch would have done.
const WatchedSQL = `(why LIKE 'rule.on_watch%' OR why = '' AND reason LIKE 'the rule % is on watch')`

// RecordedSQL is what is so of the row of an action that was only recorded, since its rule is on watch, or it or its account is paused.
const RecordedSQL = `(why LIKE 'rule.on_watch%' OR why LIKE 'rule.paused%' OR why = 'account.paused' OR
	why = '' AND (reason LIKE 'the rule % is on watch' OR reason LIKE 'the rule % is paused' OR reason = 'the account is paused'))`

// EditedBy returns the key of the action that a person's decision let leave with another text; "" when it did nothing of the kind.
func EditedBy(r *event.DecisionRecord) (key string) {
	if r.Why.Code() == Edited {
		return r.Why.Param("action")
	}
	key, released := strings.CutPrefix(r.Note, "released ")
	if key, edited := strings.CutSuffix(key, " with another text"); released && edited && r.Why == "" {
		return key
	}
	return ""
}

// IsErasing reports whether a person's decision has erased what was kept of somebody.
func IsErasing(r *event.DecisionRecord) bool {
	return r.Why.Code() == Erased || r.Why == "" && strings.HasPrefix(r.Note, "forgot ")
}
