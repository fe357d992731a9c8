package try

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/words"
	ruledecision "github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/text"
)

// tryCommands lists what can be typed.
func tryCommands() []slash[*Session] {
	does := func(kind event.Kind) func(*Session, string) error {
		return func(s *Session, arg string) error {
			if arg != "" {
				return fmt.Errorf("/%s takes nothing more", kind)
			}
			return s.saySomething(kind, "")
		}
	}
	writes := func(kind event.Kind) func(*Session, string) error {
		return func(s *Session, arg string) error {
			if arg == "" {
				return fmt.Errorf("write what it says: /%s TEXT", kind)
			}
			return s.saySomething(kind, arg)
		}
	}
	return []slash[*Session]{
		{"as", "@ana", "somebody else speaks, who may be new", (*Session).becomePerson},
		{"row", "TEXT | TEXT", "they write several messages in a row", (*Session).doRow},
		{"media", "", "they send a picture", (*Session).doMedia},
		{"mention", "TEXT", "they mention us in a post", writes(event.KindMention)},
		{"reply", "TEXT", "they reply to our post in public", writes(event.KindReply)},
		{"like", "", "they like our post", does(event.KindLike)},
		{"repost", "", "they repost our post", does(event.KindRepost)},
		{"follow", "", "they follow us", does(event.KindFollow)},
		{"follows", "yes|no", "whether they follow us", (*Session).doFollows},
		{"list", "NAME", "puts them on a list", (*Session).doList},
		{"give-back", "", "gives the conversation back to the bot", (*Session).doGiveBack},
		{"wait", "3h", "time passes, and what comes due happens", (*Session).doWait},
		{"at", "Sat 23:00", "time passes until then", (*Session).doAt},
		{"status", "live|file", "acts as if live, or as the files say", (*Session).doStatus},
		{"trace", "", "shows why, or stops to", (*Session).doExplain},
		{"save", "[NAME]", "writes the chat into the rule file as a test", (*Session).doSave},
		{"reload", "", "reads the rule files again; a changed one is read by itself", (*Session).doReload},
		{"help", "", "this list", (*Session).doHelp},
		{"quit", "", "ends it; so do Ctrl-C and Ctrl-D", func(s *Session, arg string) error { return s.doQuit(arg) }},
	}
}

// runCommand runs what begins with a slash.
func (s *Session) runCommand(typed string) error {
	name, _, _ := strings.Cut(typed[1:], " ")
	return runSlash(s, tryCommands(), typed, ". To say it to the bot, write //"+print.PlainText(name, 32))
}

// betweenMessages stands between messages that are written in a row.
const betweenMessages = "|"

func (s *Session) doRow(arg string) error {
	var texts []string
	for said := range strings.SplitSeq(arg, betweenMessages) {
		if said = strings.TrimSpace(said); said != "" {
			texts = append(texts, said)
		}
	}
	if len(texts) < 2 {
		return errors.New("write what they write in a row: /row TEXT | TEXT")
	}
	return s.saySomething(event.KindMessage, strings.Join(texts, "\n"))
}

func (s *Session) doMedia(arg string) error {
	if arg != "" {
		return errors.New("/media takes nothing more: write the text before it")
	}
	s.who.Media = true
	return s.saySomething(event.KindMessage, "")
}

func (s *Session) doFollows(arg string) error {
	follows := arg == "yes"
	if !follows && arg != "no" {
		return errors.New("write /follows yes or /follows no")
	}
	s.who.Follows, s.who.follows = follows, &follows
	s.addLine(tryAside, "@"+s.who.State.User+map[bool]string{true: " follows us", false: " does not follow us"}[follows])
	return nil
}

func (s *Session) doList(arg string) error {
	if arg == "" {
		return errors.New("write the name of the list: /list NAME")
	}
	s.who.Lists = append(slices.Clip(s.who.Lists), arg)
	s.addLine(tryAside, "@"+s.who.State.User+" is on the list "+arg)
	return nil
}

func (s *Session) doGiveBack(string) error {
	if s.who.State.Owner == "" {
		return errors.New("the bot has the conversation already")
	}
	s.giveBack(s.who, "the bot has the conversation with @"+s.who.State.User+" again")
	return nil
}

// arriving is how long after it is decided an answer may be on its way, for time to be counted from when
// it is there.
const arriving = time.Minute

func (s *Session) doWait(arg string) error {
	d, err := text.ParseDuration(arg)
	if err != nil {
		return fmt.Errorf("/wait %s: %w", print.PlainText(arg, 32), err)
	}
	then := s.world.Now()
	if due := s.who.lastDue(); due.After(then) && due.Sub(then) <= arriving {
		then = due
	}
	return s.pass(then.Add(time.Duration(d)), words.AsWritten(time.Duration(d))+" later")
}

// lastDue returns when what was said last arrives.
func (p *tryPerson) lastDue() (due time.Time) {
	for i := range p.chat {
		for j := range p.chat[i].scenes {
			for _, a := range p.chat[i].scenes[j].Decision.Actions {
				if a.Verb == event.VerbMessage && a.Due.After(due) {
					due = a.Due
				}
			}
		}
	}
	return due
}

// farthest is how many years time may pass at once.
const farthest = 10

func (s *Session) doAt(arg string) error {
	arg = strings.Trim(arg, `"`)
	when, err := text.ParseWhenTime(arg)
	if err != nil {
		return fmt.Errorf("/at %s: %w", print.PlainText(arg, 32), err)
	}
	then := when.Next(s.now())
	switch {
	case then.Before(s.world.Now()):
		return fmt.Errorf("/at %s: it is %s already", arg, s.now().Format("2006-01-02 15:04"))
	case then.After(s.now().AddDate(farthest, 0, 0)):
		return fmt.Errorf("/at %s: that is more than %d years ahead", arg, farthest)
	}
	return s.pass(then, "later")
}

// pass lets time pass and says so.
func (s *Session) pass(then time.Time, what string) error {
	s.out = append(s.out, Line{kind: tryTime, text: fmt.Sprintf("--- %s: %s", what, s.inZone(then).Format("Mon 2 January 15:04"))})
	return s.passTime(then)
}

func (s *Session) doStatus(arg string) error {
	switch arg {
	case "live":
		s.world.Status = ruledecision.Live
		s.addLine(tryAside, "everything acts as if it were live")
	case "file":
		s.world.Status = ""
		s.addLine(tryAside, "everything acts as the files say")
	default:
		return errors.New("write /status live or /status file")
	}
	return nil
}

func (s *Session) doExplain(string) error {
	s.world.Explain = !s.world.Explain
	s.addLine(tryAside, map[bool]string{true: "shows why", false: "does not show why any more"}[s.world.Explain])
	return nil
}

func (s *Session) doReload(string) error {
	s.Files.src = nil
	s.takeEdits()
	if s.Files.broken != "" {
		s.Failed = true
	}
	return nil
}

func (s *Session) doHelp(string) error {
	for _, c := range tryCommands() {
		s.addLine(tryAside, c.shownText())
	}
	s.addLine(tryAside, "Everything else is what the person writes to the bot; a text that begins with a slash has two: //")
	return nil
}
