package grammar

import (
	"fmt"
	"strings"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/internal/bounds"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/textfile"
	"github.com/nectar-bot/nectar/platform"
)

// Rule answers one kind of event.
type Rule struct {
	textfile.At
	ID            string                    `text:"id,required" about:"A short name that stays the same: the key of the rule's history, limits and tests."`
	Name          string                    `text:"name" about:"What people call it."`
	Status        decision.Status           `text:"status" about:"A rule may be more careful than its file, never less."`
	When          textfile.List[When]       `text:"when,required" about:"What happened: message, mention, reply, repost, like, follow, no_match (nothing answered it), silence (nobody answered it for the time in after), held_back (what would have answered it was held back)."`
	After         text.Duration             `text:"after" about:"With when: silence, how long nobody has answered."`
	Reason        textfile.List[HeldReason] `text:"reason" about:"With when: held_back, what held the answer back: limit, too_many, hours, ceiling or paused. Without it: any of them."`
	If            Conditions                `text:"if" about:"All of these must hold."`
	Always        bool                      `text:"always" about:"Asked before the step in which the person stands, whatever that expects. What keeps the bot from speaking keeps it from speaking alone: a team is told, and has the conversation, all the same. Needs a condition on text."`
	Then          []Act                     `text:"then,required" about:"What to do, from top to bottom."`
	Limits        Limits                    `text:"limits" about:"How often."`
	MergeMessages *text.Duration            `text:"merge_messages" about:"Wait this long for the rest of what somebody writes."`
	ReplyAfter    *bounds.Span              `text:"reply_after" about:"How long an answer waits."`
	AnswerWithin  text.Duration             `text:"answer_within" about:"How late an event may still be answered after an outage."`
	IfTooMany     *TooMany                  `text:"if_too_many" about:"Stops the rule when it fires too often."`
	Tests         []Test                    `text:"tests" about:"Run at every load; live is refused while one fails."`
}

// TooMany stops a rule that fires too often.
type TooMany struct {
	textfile.At
	MoreThan text.Rate `text:"more_than,required" about:"For example 50 in 10m."`
	Then     string    `text:"then,required" about:"pause_and_notify: the rule stops until it is resumed with nectar resume."`
	Who      string    `text:"who" about:"Who is told."`
}

// Test is one event with the decision that is expected.
type Test struct {
	textfile.At
	Say       textfile.List[string]   `text:"say" about:"A private message with this text; of a list, several in a row."`
	Media     bool                    `text:"media" about:"A picture comes in private, alone or behind the texts of say."`
	Mention   string                  `text:"mention" about:"A post with this text that mentions us."`
	Reply     string                  `text:"reply" about:"A reply with this text to a post of ours."`
	Event     When                    `text:"event" about:"Another event: repost, like, follow."`
	From      string                  `text:"from" about:"Who it comes from, for example @ana."`
	When      *text.WhenTime          `text:"at" about:"When, for example Sat 23:00. Otherwise a Tuesday, 10:00."`
	Again     bool                    `text:"again" about:"It happens once more, after the tests before it."`
	FollowsMe *bool                   `text:"follows_me" about:"Whether the person follows us."`
	Mine      *bool                   `text:"mine" about:"Whether the post is ours."`
	PostAge   text.Duration           `text:"post_age" about:"How old the post is."`
	PostText  string                  `text:"post_text" about:"What the post says."`
	Labels    textfile.List[string]   `text:"labels" about:"Labels that the conversation has."`
	Lists     textfile.List[string]   `text:"lists" about:"Lists that the person is on."`
	Owner     string                  `text:"owner" about:"Who has the conversation: a team, anybody (one of your people) or nobody (the bot)."`
	HeldBack  HeldReason              `text:"held_back" about:"What holds all answers back meanwhile: paused or ceiling. A limit is used up by again: true."`
	Stopped   bool                    `text:"stopped" about:"The person has asked for silence, by a stop word."`
	Expect    textfile.List[Expected] `text:"expect,required" about:"reply, message, like, repost, follow, handoff, label, list, notify, ignored, no_reply or no_action."`
	Says      string                  `text:"says" about:"A text that must occur in the answer."`
	Skipped   string                  `text:"skipped" about:"It may fail: since when, and who said so. nectar rules live FILE --without-test NAME writes it."`
}

// Expected is what should come of a test's event.
type Expected string

// What can be expected.
const (
	ExpectReply    Expected = "reply"
	ExpectMessage  Expected = "message"
	ExpectLike     Expected = "like"
	ExpectRepost   Expected = "repost"
	ExpectFollow   Expected = "follow"
	ExpectHandoff  Expected = "handoff"
	ExpectLabel    Expected = "label"
	ExpectList     Expected = "list"
	ExpectNotify   Expected = "notify"
	ExpectIgnored  Expected = "ignored"   // the rule says that it is answered by nothing
	ExpectNoReply  Expected = "no_reply"  // nothing is said to the person
	ExpectNoAction Expected = "no_action" // nothing happens on the platform
)

// FromText reads what is expected.
func (e *Expected) FromText(n textfile.Node) textfile.Problems {
	return textfile.OneOf(n, e, ExpectReply, ExpectMessage, ExpectLike, ExpectRepost, ExpectFollow, ExpectHandoff, ExpectLabel,
		ExpectList, ExpectNotify, ExpectIgnored, ExpectNoReply, ExpectNoAction)
}

// ShownText names a test by what happens in it.
func (t *Test) ShownText() string {
	for _, said := range []string{strings.Join(t.Say, " / "), t.Mention, t.Reply} {
		if said != "" {
			return fmt.Sprintf("%q", said)
		}
	}
	if t.Media {
		return "a picture"
	}
	if t.Again {
		return string(t.Event) + ", again"
	}
	return string(t.Event)
}

// OwnerOf returns who has the conversation in a test; "" is the bot.
func (t *Test) OwnerOf() string {
	switch t.Owner {
	case OwnerNobody:
		return ""
	case OwnerAnybody:
		return bot.OwnedByPerson
	default:
		return t.Owner
	}
}

// TestedEvent returns the event of a test.
func (t *Test) TestedEvent() (event.Kind, string, platform.PostID) {
	switch {
	case t.Mention != "":
		return event.KindMention, t.Mention, TestPost
	case t.Reply != "":
		return event.KindReply, t.Reply, TestPost
	case len(t.Say) > 0 || t.Event == "":
		return event.KindMessage, "", 0
	case t.Event.aboutPost():
		return event.Kind(t.Event), "", TestPost
	default:
		return event.Kind(t.Event), "", 0
	}
}

// TestPost is the post that a test's event is about.
const TestPost platform.PostID = 1
