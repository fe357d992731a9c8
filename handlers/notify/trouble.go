package notify

import (
	"cmp"

	"github.com/nectar-bot/nectar/bot/event"
)

// trouble is what people are told of something that does not work: in words for somebody who has a shop to run, and has not built the bot.
type trouble struct {
	heading string // what does not work; "" for that of the kind
	means   string // what it means for customers: "they"
	ask     string // what to do; "" for what the notice itself says. Of what goes on by itself it says so, and of nothing else
}

// The codes by which troubles are told apart, as a record.Judgement and others write them.
const (
	codeFull      event.ReasonCode = "store.refuses"
	codeLow       event.ReasonCode = "disk.low"
	codeRefused   event.ReasonCode = "session.refused"
	codeUnhealthy event.ReasonCode = "source.unhealthy"
	codeLate      event.ReasonCode = "actions.late"
	codeRules     event.ReasonCode = "rules.broken"
)

const (
	nobody    = "Nobody is answered."
	soon      = "What they write meanwhile is answered later, up to 6 hours late unless your rules say otherwise."
	asBefore  = "They are answered as before the change."
	byItself  = "it goes on by itself"
	engineers = "whoever looks after the bot"
)

// troubleOf returns what people are told of it; false for a notice that is no trouble, or tells all itself.
func (n *Notice) troubleOf() (trouble, bool) {
	if n.Over {
		return trouble{means: endings[n.Kind]}, endings[n.Kind] != ""
	}
	by := n.Why.Param("by")
	var t trouble
	switch n.Why.Code() {
	case codeFull:
		t = trouble{"The bot cannot write to its disk", nobody + " " + soon, "Make room on the disk of the bot; " + byItself + " then. If there is room, this says more:"}
	case codeLow:
		t = trouble{"The disk of the bot is nearly full", "They notice nothing yet. Once it is full, nobody is answered.", "Make room on the disk of the bot. How it stands:"}
	case codeRefused:
		t = refused[by]
		t.means = nobody + " " + soon
	case codeUnhealthy:
		t = unhealthy(by, n.Why.Param("messages") != "")
	case codeLate:
		t = trouble{"Answers are late", "They get their answers more than five minutes late.", cmp.Or(lates[by], lates["platform"])}
	case codeRules:
		t = broken[by]
	default:
		t = troubles[n.Why.Code()]
		if n.Why.Code() == event.WhyCopy && by == "failover" { // nobody knows
			t.heading = troubles[event.WhyLooksCopied].heading
		}
		if t.means == "" {
			t = kinded[n.Kind]
		}
	}
	return t, t.means != ""
}

// refused says why an account cannot sign in.
var refused = map[string]trouble{
	"":         {ask: "Give it what it needs to sign in, and start it again: it does not go on by itself. Whether that works:"},
	"password": {heading: "The bot cannot sign in: its password is refused", ask: "Give it the password that is right (NECTAR_PASSWORD in .env), and start it again: it does not go on by itself. Whether the password is right:"},
	"token":    {heading: "The bot cannot sign in: its token is refused", ask: "Let " + engineers + " get a new token, and start it again: it does not go on by itself. Whether the token is right:"},
	"another":  {heading: "The bot does not sign in: its password is of another account", ask: "Give it the e-mail address and the password of its own account, and start it again: it does not go on by itself. Whose they are:"},
	"none":     {heading: "The bot cannot sign in: it has no password", ask: "Give it a password (NECTAR_PASSWORD in .env), and start it again: it does not go on by itself. Whether that works:"},
}

// unhealthy says what is not heard: messages, or what else happens.
func unhealthy(how string, messages bool) trouble {
	t := trouble{
		"The bot does not see who mentions, reposts or follows you", "Who does that hears nothing for now; messages are answered. " + soon, "",
	}
	if messages {
		t.heading, t.means = "The bot cannot read new messages", nobody+" "+soon
	}
	switch how {
	case "stuck":
		t.ask = "Start the bot again: nothing is lost by that. If it comes back, let " + engineers + " look:"
	case "stale", "hidden":
		t.ask = "See in the app what is new, and answer it there. The bot is shown what is old: let " + engineers + " take away what stands between it and the platform, such as a cache:"
	case "empty":
		t.ask = "See in the app whether your chats are still there. If they are, the bot may be signed in as somebody else:"
	case "blind":
		t.heading, t.means = "The bot hears of new messages late", "They are answered half a minute late, or more."
		t.ask = "Let " + engineers + " take away what stands between it and the platform, such as a cache:"
	default:
		t.heading += ": the platform does not answer as it should"
		t.ask = "Nothing, if the app does not work either: " + byItself + " once the platform answers. If the app works, let " + engineers + " look:"
	}
	return t
}

// lates says what helps against answers that are late.
var lates = map[string]string{
	"pace":     "The bot writes as much as NECTAR_PACE allows. Let " + engineers + " raise it, if the platform takes more. What waits:",
	"host":     "The bot calls the platform as often as NECTAR_HOST_RATE allows. Let " + engineers + " raise it, if the platform takes more. What waits:",
	"platform": "Nothing: the platform is slow, and " + byItself + ". If it lasts, let " + engineers + " look. What waits:",
}

// broken says what is wrong with the rules; what keeps a change out is asked for by the notice.
var broken = map[string]trouble{
	"file":      {"A rule file has a mistake", "They are answered by the file as it last worked. What never worked answers nobody.", "Mend it; the bot takes it by itself. The line, and what to write there:"},
	"test":      {"A change of your rules is not in force: a test speaks against it", asBefore, ""},
	"beside":    {"A change of your rules is not in force: another file would not work with it", asBefore, "Mend one of the two; the bot takes it by itself. The line, and what to write there:"},
	"missing":   {"The rule files are gone", "They are answered as before. What you change now does not arrive.", "Bring the files back; the bot takes them by itself. What is in force:"},
	"nothing":   {"The rule files are gone", nobody, "Bring the files back; the bot takes them by itself. What is in force:"},
	"published": {"The rules that were published do not work here", asBefore, "Let " + engineers + " start the version of the program that they were published with, or go back:"},
}

var troubles = map[event.ReasonCode]trouble{
	event.WhyRivalStops:  {"Another bot answers on this account: this one has stopped", "The other bot answers them. This one is silent, so that nobody is answered twice.", "End one of the two. If this one is to stay, let it go on:"},
	event.WhyRivalWarns:  {"Another bot answers on this account", "They may be answered twice until one of the two stops.", "End the other one. If that one is to stay, end this one, and let it go on there:"},
	event.WhyRivalStays:  {"Another bot answers on this account", "They may be answered twice: both go on.", "End the other one."},
	event.WhyCopy:        {"What the bot knows is older than what it did", "Nobody is answered twice. Where one of you may have written since, the bot is silent.", "Answer there, and give these conversations back to the bot (nectar conversations give-back --all). Which they are:"},
	event.WhyRenumbered:  {"The platform has numbered its messages anew", "Nobody is answered twice. Where one of you may have written since, the bot is silent.", "Answer there, and give these conversations back to the bot (nectar conversations give-back --all). Which they are:"},
	event.WhyLooksCopied: {"What the bot knows may be older than what it did", "The bot is silent in chats in which it takes its own words for yours.", "If a copy of its database was put back, let " + engineers + " say so, with the bot stopped. If another bot answers there, end that. To say so:"},
	event.WhyCrash:       {"The bot had crashed, and runs again", "What they wrote meanwhile is answered now, up to 6 hours late unless your rules say otherwise.", "Nothing, if it stays at this one time. If it comes again, let " + engineers + " look at what it printed last."},
	event.WhyWorkerCrash: {"A part of the bot had crashed, and others do its work", "They notice a short wait, and no more.", "Nothing, if it stays at this one time. If it comes again, let " + engineers + " look at what it printed last."},
}

// kinded are the troubles that are told apart by the kind of the notice alone.
var kinded = map[string]trouble{
	KindReading:     {"", "What is new there is not heard for now. All else goes on.", "If it lasts, let " + engineers + " look for what stands between the bot and the platform:"},
	KindPaused:      {"", "They get no answers of this rule.", "Find out why it answered so often. It does not go on by itself; let it do so:"},
	KindQuarantine:  {"", "This alone gets no answer. What they write next does.", ""},
	KindHeld:        {"", "It does not happen before one of you decides.", ""},
	KindUndelivered: {"", "They notice nothing, but what the team should hear is heard by nobody there.", "See whether the address in settings.yaml is right. What was not told:"},
	KindApproval:    {"", "Nothing leaves before one of you decides.", ""},
}

// whenText says since when something does not work, or when it was; "" for what has no time of its own.
func (n *Notice) whenText() string {
	lead := "Since "
	switch n.Why.Code() {
	case event.WhyCrash, event.WhyWorkerCrash:
		lead = "It ended on "
	case event.WhyCopy:
		lead = "It knows nothing of what was after "
	case event.WhyRenumbered, event.WhyLooksCopied:
		return ""
	default: // most begin once, and last
	}
	switch {
	case n.Over && n.Since.IsZero() || n.Kind == KindApproval || n.Kind == KindQuarantine:
		return ""
	case n.Over:
		lead = "It had lasted since "
	}
	return lead + n.clockText(cmp.Or(n.Since, n.At)) + "."
}

// endings are what is told when something is over.
var endings = map[string]string{
	KindDisk:      "The disk is well again.",
	KindParked:    "The bot can sign in again.",
	KindUnhealthy: "The bot hears again, and reads what came meanwhile.",
	KindReading:   "All is read.",
	KindLate:      "Answers are in time again.",
	KindRules:     "Nothing is wrong there any more.",
	KindSecondBot: "The other bot has gone, and this one goes on. See that no other one signs in as this account.",
}
