package grammar

import (
	"github.com/nectar-bot/nectar/handlers/internal/bounds"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// File is a rule file as it is written. It holds rules, conversations, or campaigns.
type File struct {
	textfile.At
	Version       int             `text:"version,required" about:"The version of this format: 1."`
	Name          string          `text:"name" about:"What people call this file."`
	Status        decision.Status `text:"status" about:"How far the file may go: paused, watch (decides and records, does nothing), ask (a person approves each action), live. A new file starts as watch."`
	Timezone      text.Zone       `text:"timezone" about:"The time zone of all hours in this file, for example Europe/Lisbon. Instead of the one in settings.yaml."`
	Language      string          `text:"language" about:"The language people write in: en, es, pt, fr or de. Instead of the one in settings.yaml."`
	Hours         *text.Hours     `text:"hours" about:"When we are at work. Instead of those in settings.yaml."`
	QuietHours    *text.Quiet     `text:"quiet_hours" about:"When we leave people alone, for example 22:00-08:00, by the clock of the time zone."`
	InQuietHours  InQuiet         `text:"in_quiet_hours" about:"What becomes of actions in quiet hours: hold (done afterwards, spread out) or drop (not done)."`
	AnswerWithin  text.Duration   `text:"answer_within" about:"How late an event may still be answered after an outage. 6h unless written."`
	Defaults      Defaults        `text:"defaults" about:"Applies to every rule and conversation below that does not say otherwise."`
	Rules         []Rule          `text:"rules" about:"Read from top to bottom. An event gets at most one answer."`
	Conversations []Conversation  `text:"conversations" about:"Questions, asked one after another."`
	Campaigns     []Campaign      `text:"campaigns" about:"Planned reposts and posts."`

	language textfile.At
}

// LanguageAt returns where the language stands.
func (f *File) LanguageAt() textfile.At { return f.language }

// Defaults are what rules and conversations take over.
type Defaults struct {
	MergeMessages text.Duration `text:"merge_messages" about:"People write in bursts: wait this long for the rest, and answer once."`
	ReplyAfter    bounds.Span   `text:"reply_after" about:"How long an answer waits, for example 4s..15s: drawn for each."`
	AnswerWithin  text.Duration `text:"answer_within" about:"How late an event may still be answered after an outage."`
	Limits        Limits        `text:"limits" about:"How often. A rule's own limits replace these one by one."`
}

// Limits say how often.
type Limits struct {
	textfile.At
	PerPerson *text.Limit `text:"per_person" about:"How often one person may get this: 1 per 12h, or 1 ever."`
	PerPost   *text.Limit `text:"per_post" about:"How often for one post, all people together."`
	Total     *text.Limit `text:"total" about:"How often for all people together: 60 per 1h."`
}

// overDefaults returns the limits with those of l in place of the same ones of defaults.
func (l Limits) overDefaults(defaults Limits) Limits {
	if l.PerPerson == nil {
		l.PerPerson = defaults.PerPerson
	}
	if l.PerPost == nil {
		l.PerPost = defaults.PerPost
	}
	if l.Total == nil {
		l.Total = defaults.Total
	}
	return l
}

// InQuiet says what becomes of actions in quiet hours.
type InQuiet string

// What becomes of them.
const (
	Hold InQuiet = "hold"
	Drop InQuiet = "drop"
)

// FromText reads hold or drop.
func (q *InQuiet) FromText(n textfile.Node) textfile.Problems {
	return textfile.OneOf(n, q, Hold, Drop)
}
