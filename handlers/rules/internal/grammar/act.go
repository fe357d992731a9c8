package grammar

import (
	"github.com/nectar-bot/nectar/handlers/internal/bounds"
	"github.com/nectar-bot/nectar/handlers/internal/template"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// Act is one thing to do: one key, and perhaps if_refused.
type Act struct {
	textfile.At
	Reply     *Say                  `text:"reply" about:"Answers where it was said: public stays public, private stays private."`
	Message   *Say                  `text:"message" about:"Sends a private message."`
	Like      string                `text:"like" about:"the_post: likes the post that the event is about. Never twice, which would take the like back."`
	Repost    string                `text:"repost" about:"the_post: reposts the post that the event is about."`
	Follow    string                `text:"follow" about:"them: follows the person."`
	Label     textfile.List[string] `text:"label" about:"Puts labels on the conversation."`
	Unlabel   textfile.List[string] `text:"unlabel" about:"Takes labels off the conversation."`
	List      string                `text:"list" about:"Puts what happened on a list; see nectar lists."`
	Notify    *Notify               `text:"notify" about:"Tells a team."`
	Handoff   *Handoff              `text:"handoff" about:"Gives the conversation to a team; the bot is silent in it."`
	Wait      *bounds.Span          `text:"wait" about:"What follows waits this long, for example 5m..40m: drawn for each."`
	SaveLead  *Lead                 `text:"save_lead" about:"Keeps answers of a conversation on a list; see nectar lists --csv."`
	Start     string                `text:"start" about:"Starts a conversation, by its id."`
	IfRefused IfRefused             `text:"if_refused" about:"When the platform refuses it: skip. A refusal is an outcome like any other; nectar outbox and nectar why show it."`
	// Ignore and ForgetAnswers are written as words alone: [ignore].
	Ignore        bool `text:"ignore" about:"Nothing is said and nobody is told; that message alone counts as dealt with. Stands alone, or with label."`
	ForgetAnswers bool `text:"forget_answers" about:"Forgets what was answered in this conversation."`
}

// Say is something to say: a text, several of them to be used in turn, or a saved reply.
type Say struct {
	textfile.At
	Texts []template.Template
	Saved string
	lines []int // of Texts
}

// TextAt returns where a text stands.
func (s *Say) TextAt(i int) textfile.At {
	at := s.At
	if i < len(s.lines) {
		at.Line = s.lines[i]
	}
	return at
}

// Notify tells a team.
type Notify struct {
	textfile.At
	Who       string            `text:"who,required" about:"A team of settings.yaml."`
	IfWaiting text.Duration     `text:"if_waiting" about:"Only when nobody has answered that for this long."`
	WhenOpen  bool              `text:"when_open" about:"While we are not at work, only when we are again, unless it is dealt with by then. Needs hours."`
	Urgent    bool              `text:"urgent" about:"It rings in the team's quiet hours, too."`
	Text      template.Template `text:"text" about:"What they are told. Otherwise what happened, and with whom."`
}

// Handoff gives the conversation to a team.
type Handoff struct {
	textfile.At
	To         string            `text:"to,required" about:"A team of settings.yaml."`
	Note       template.Template `text:"note" about:"What the team is told."`
	SayOpen    *Say              `text:"say_open" about:"What the person is told while we are at work."`
	SayClosed  *Say              `text:"say_closed" about:"What the person is told while we are not."`
	IfNobodyIn text.Duration     `text:"if_nobody_in" about:"When nobody of ours has written for this long, the team is reminded."`
	BotReturns Returns           `text:"bot_returns" about:"When the bot speaks again: after 12h of silence."`
}

// Lead keeps answers on a list.
type Lead struct {
	textfile.At
	List   string                `text:"list,required" about:"The name of the list."`
	Fields textfile.List[string] `text:"fields,required" about:"The answers to keep, by the names in save_as."`
}

// IfRefused says what becomes of a refusal.
type IfRefused string

// What becomes of it.
const (
	Skip IfRefused = "skip"
)

// FromText reads skip.
func (i *IfRefused) FromText(n textfile.Node) textfile.Problems { return textfile.OneOf(n, i, Skip) }

// Keys returns what an act does, by its keys.
func (a *Act) Keys() []string {
	var keys []string
	for _, it := range []struct {
		key   string
		given bool
	}{
		{"reply", a.Reply != nil},
		{"message", a.Message != nil},
		{"handoff", a.Handoff != nil},
		{"start", a.Start != ""},
		{"like", a.Like != ""},
		{"repost", a.Repost != ""},
		{"follow", a.Follow != ""},
		{"label", len(a.Label) > 0},
		{"unlabel", len(a.Unlabel) > 0},
		{"list", a.List != ""},
		{"notify", a.Notify != nil},
		{"wait", a.Wait != nil},
		{"save_lead", a.SaveLead != nil},
		{"ignore", a.Ignore},
		{"forget_answers", a.ForgetAnswers},
	} {
		if it.given {
			keys = append(keys, it.key)
		}
	}
	return keys
}

// TakesAnswer reports whether an act takes the one answer of an event, be it none.
func (a *Act) TakesAnswer() bool {
	return a.Reply != nil || a.Message != nil || a.Handoff != nil || a.Start != "" || a.Ignore
}

// PausedList is the list of the rules that stopped themselves.
const PausedList = "paused"
