package grammar

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/handlers/internal/bounds"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// Conversation asks one question after another.
type Conversation struct {
	textfile.At
	ID            string          `text:"id,required" about:"A short name that stays the same: conversations under way are kept by it."`
	Name          string          `text:"name" about:"What people call it."`
	Status        decision.Status `text:"status" about:"It may be more careful than its file, never less."`
	Start         Start           `text:"start" about:"What begins it. Without, only start: of a rule does."`
	Limits        Limits          `text:"limits" about:"How often it may begin."`
	MergeMessages *text.Duration  `text:"merge_messages" about:"Wait this long for the rest of what somebody writes."`
	ReplyAfter    *bounds.Span    `text:"reply_after" about:"How long a question waits."`
	AnswerWithin  text.Duration   `text:"answer_within" about:"How late an event may still begin it after an outage."`
	AnswerFAQ     bool            `text:"answer_faq_between" about:"A question of theirs in the middle is answered by the rules, then ours is asked again."`
	TakeFromStart bool            `text:"take_from_start" about:"What the message that begins it says already is no question any more: dates, times, email, phone, choices, and a number where it is the only one."`
	AtAnyStep     []AnyStep       `text:"at_any_step" about:"Looked at before the step itself."`
	IfSilent      []Silent        `text:"if_silent" about:"When the person does not answer, counted from our last question. Any answer resets it."`
	Steps         []Step          `text:"steps,required" about:"The first one begins."`
	Tests         []Chat          `text:"tests" about:"Run at every load; live is refused while one fails."`
}

// Start is what begins a conversation.
type Start struct {
	textfile.At
	When textfile.List[When] `text:"when,required" about:"message, mention, reply, repost, like or follow."`
	If   Conditions          `text:"if" about:"All of these must hold."`
}

// AnyStep is looked at before the step itself.
type AnyStep struct {
	textfile.At
	If   Conditions `text:"if,required" about:"All of these must hold."`
	Goto string     `text:"goto,required" about:"The step to go to."`
}

// Silent is what happens when the person does not answer: something is said, or it goes on elsewhere.
type Silent struct {
	textfile.At
	After text.Duration `text:"after,required" about:"How long after our last question."`
	Reply *Say          `text:"reply" about:"A reminder."`
	Goto  string        `text:"goto" about:"The step to go to."`
}

// Step is one place of a conversation.
type Step struct {
	textfile.At
	ID      string   `text:"id,required" about:"A short name that stays the same."`
	Ask     *Say     `text:"ask" about:"The question."`
	Say     *Say     `text:"say" about:"What is said, without waiting for an answer."`
	Expect  *Expect  `text:"expect" about:"What counts as an answer: text, number, date, time, email, phone, choices, yes_no, media; or number: 10..400."`
	Open    bool     `text:"open" about:"With expect: date, a day on which we are not at work is no answer; with expect: time, a time at which we are not, on the day saved last in this conversation, else on any. Needs hours."`
	SaveAs  string   `text:"save_as" about:"The name of the answer: {{name}} in later texts, {{name.said}} for the words it was given in."`
	Private bool     `text:"private" about:"The answer is hidden in the records, and never in exported tests."`
	IfWrong *IfWrong `text:"if_wrong" about:"When the answer is not what was expected."`
	Then    []Act    `text:"then" about:"What to do on the way."`
	Handoff *Handoff `text:"handoff" about:"Gives the conversation to a team."`
	Next    *Next    `text:"next" about:"The next step; or by conditions; or by choice."`
	End     string   `text:"end" about:"The conversation is over, with this word for the records."`
}

// IfWrong says what happens after an answer that was not expected.
type IfWrong struct {
	textfile.At
	Say      *Say   `text:"say" about:"What is said then."`
	Times    int    `text:"times" about:"How often it is said before it goes on elsewhere. 2 unless written."`
	ThenGoto string `text:"then_goto" about:"The step to go to then."`
}

// ExpectKind is a kind of answer.
type ExpectKind string

// The kinds of answer.
const (
	ExpectText    ExpectKind = "text"
	ExpectNumber  ExpectKind = "number"
	ExpectDate    ExpectKind = "date"
	ExpectTime    ExpectKind = "time"
	ExpectEmail   ExpectKind = "email"
	ExpectPhone   ExpectKind = "phone"
	ExpectChoices ExpectKind = "choices"
	ExpectYesNo   ExpectKind = "yes_no"
	ExpectMedia   ExpectKind = "media"
)

// Expect is what counts as an answer: one of some kinds.
type Expect struct {
	textfile.At
	Kinds   []ExpectKind
	Range   *bounds.Range                       // of a number
	Choices textfile.Map[textfile.List[string]] // what stands for each choice
}

// Next is where it goes on: to one step, to the first branch that holds, or by choice.
type Next struct {
	textfile.At
	Branches []Branch             // with a plain step one branch without conditions
	Choices  textfile.Map[string] // step by choice
}

// Branch is a step under conditions.
type Branch struct {
	textfile.At
	If   Conditions `text:"if" about:"All of these must hold; answers are written by their names: {guests: over 150}."`
	Goto string     `text:"goto,required" about:"The step to go to."`
}

// Chat is a test: a conversation, line by line.
type Chat struct {
	textfile.At
	Name    string         `text:"name" about:"What it shows."`
	When    *text.WhenTime `text:"at" about:"When it begins, for example Sat 23:00. Otherwise a Tuesday, 10:00."`
	Chat    []ChatLine     `text:"chat,required" about:"What they write, and where the conversation stands then."`
	Skipped string         `text:"skipped" about:"It may fail: since when, and who said so. nectar rules live FILE --without-test NAME writes it."`
}

// ChatLine is one line of a test.
type ChatLine struct {
	textfile.At
	Them   textfile.List[string] `text:"them" about:"What they write; of a list, several messages in a row."`
	Media  bool                  `text:"media" about:"A picture comes, alone or behind what they write."`
	Wait   text.Duration         `text:"wait" about:"Time passes."`
	Step   string                `text:"at" about:"The step where the conversation stands then."`
	Says   string                `text:"says" about:"A text that must occur in what the bot says then."`
	Silent bool                  `text:"no_reply" about:"The bot says nothing."`
}

// ForgetsAnswers reports whether a step forgets what was answered before.
func (s *Step) ForgetsAnswers() bool {
	return slices.ContainsFunc(s.Then, func(a Act) bool { return a.ForgetAnswers })
}

// ExpectedChoices returns the choices that a step expects.
func (s *Step) ExpectedChoices() []string {
	var choices []string
	for _, k := range s.Expect.Kinds {
		switch k {
		case ExpectChoices:
			choices = append(choices, s.Expect.Choices.Keys...)
		case ExpectYesNo:
			choices = append(choices, "yes", "no")
		default:
		}
	}
	return choices
}

// ShownText returns the line as a chat shows it.
func (l *ChatLine) ShownText() string {
	switch {
	case len(l.Them) > 0:
	case l.Media:
		return "a picture"
	default:
		return "after " + l.Wait.String()
	}
	return fmt.Sprintf("%q", strings.Join(l.Them, " / "))
}
