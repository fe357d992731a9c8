package try

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
	ruledecision "github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/rehearse"
	"github.com/nectar-bot/nectar/handlers/rules/replay"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/platform"
)

// Session is a chat with rules: what is typed goes in, lines of a transcript come out. It knows
// nothing of terminals.
type Session struct {
	Files  Files
	world  *rehearse.Rehearsal
	people map[platform.UserID]*tryPerson
	who    *tryPerson // who speaks
	posts  platform.PostID
	saved  []string // the test that was saved last

	transcript
}

// tryPerson is somebody who talks to the bot.
type tryPerson struct {
	*rehearse.Guest
	seen    ruledecision.State // as the transcript has it
	handed  time.Time          // when the conversation was given to a team
	follows *bool              // whether the person follows us, when that was said
	chat    []tryTurn
}

// tryTurn is something that a person did, or time that passed for them.
type tryTurn struct {
	at     time.Time
	kind   event.Kind // "" when time passed
	said   string
	media  bool // a picture was sent
	wait   time.Duration
	before ruledecision.State
	lists  []string
	scenes []rehearse.Scene
}

// Config says how a try begins.
type Config struct {
	Paths   []string
	From    sources.Reading // nil for files alone
	As      string          // who speaks first
	at      *text.WhenTime  // when; nil is a Tuesday at 10:00
	explain bool

	Campaign string // with which campaign on stage; "" is a chat, unless there is nothing to chat with
	account  event.Account
}

// ourPost is the post of ours that people like, repost and reply to.
const ourPost platform.PostID = 1

// brokenRules is the report about rule files that do not load, or why they cannot be read.
type brokenRules string

// Error returns the report.
func (b brokenRules) Error() string { return string(b) }

// NewSession reads the files and begins. The error is what is wrong with them.
func NewSession(cfg Config) (*Session, error) {
	s := &Session{Files: Files{Paths: cfg.Paths, from: cfg.From}, people: map[platform.UserID]*tryPerson{}, posts: ourPost}
	s.Files.read()
	v := s.Files.version
	if v == nil {
		return nil, brokenRules(s.Files.broken)
	}
	s.world = rehearse.NewRehearsal(v, rehearse.Begins(v, cfg.at))
	s.world.Status, s.world.Explain = ruledecision.Live, cfg.explain
	s.tellFiles(&s.Files)
	if err := s.becomePerson(cfg.As); err != nil {
		return nil, err
	}
	return s, nil
}

// Do takes what was typed, and returns what is new in the transcript.
func (s *Session) Do(typed string) []Line {
	s.takeEdits()
	typed = strings.TrimSpace(typed)
	var err error
	switch {
	case typed == "":
	case strings.HasPrefix(typed, "/") && !strings.HasPrefix(typed, "//"):
		err = s.runCommand(typed)
	default:
		err = s.saySomething(event.KindMessage, strings.Replace(typed, "//", "/", indexOfSlash(typed)))
	}
	if err != nil {
		s.fail(err)
	}
	return s.TakeLines()
}

// indexOfSlash tells how many slashes to take away: one where a text begins with two.
func indexOfSlash(typed string) int {
	if strings.HasPrefix(typed, "//") {
		return 1
	}
	return 0
}

// takeEdits goes on with the files as they are now.
func (s *Session) takeEdits() {
	if s.Files.read() {
		s.world.Use(s.Files.version)
		s.tellFiles(&s.Files)
	}
}

// becomePerson lets somebody speak from now on, who may be new.
func (s *Session) becomePerson(name string) error {
	name = strings.TrimPrefix(print.PlainText(strings.TrimSpace(name), 0), "@")
	if name == "" || strings.ContainsAny(name, " /") {
		return fmt.Errorf("a user name is one word, such as @ana")
	}
	g := s.world.Guest(name)
	p := s.people[g.State.Peer]
	if p == nil {
		first, rest := utf8.DecodeRuneInString(name)
		g.State.Name = string(unicode.ToUpper(first)) + name[rest:]
		p = &tryPerson{Guest: g, seen: g.State}
		s.people[g.State.Peer] = p
	}
	s.who = p
	return nil
}

// saySomething lets the one who speaks say or do something.
func (s *Session) saySomething(kind event.Kind, said string) error {
	p := s.who
	post := s.aboutPost(kind, said)
	turn := tryTurn{at: s.world.Now(), kind: kind, said: said, media: p.Media, before: p.State, lists: p.Lists}
	for text := range strings.SplitSeq(said, "\n") {
		if turn.media {
			text = "(sends a picture)"
		}
		s.out = append(s.out, Line{kind: tryThey, at: s.now(), who: "@" + p.State.User, text: print.LegibleText(doesWhat(kind, text))})
	}
	scenes, err := s.happens(kind, said, post)
	turn.scenes = scenes
	p.chat = append(p.chat, turn)
	s.showScenes(scenes)
	return err
}

// happens lets the one who speaks say or do something: messages that stand on lines are written in a row.
func (s *Session) happens(kind event.Kind, said string, post platform.PostID) ([]rehearse.Scene, error) {
	if kind == event.KindMessage {
		return s.world.Writes(s.who.Guest, strings.Split(said, "\n")...)
	}
	return s.world.Says(s.who.Guest, kind, said, post)
}

// aboutPost returns the post that something is about: ours, or the one that mentions us; 0 for none.
func (s *Session) aboutPost(kind event.Kind, said string) platform.PostID {
	if kind == event.KindMessage || kind == event.KindFollow {
		return 0
	}
	if kind != event.KindMention {
		return ourPost
	}
	s.posts++
	s.who.Posts[s.posts] = platform.Post{ID: s.posts, Time: s.world.Now(), Text: said}
	return s.posts
}

// doesWhat says what somebody does, after their name.
func doesWhat(kind event.Kind, said string) string {
	return map[event.Kind]string{
		event.KindMention: "(mentions us) ", event.KindReply: "(replies to our post) ", event.KindLike: "(likes our post)",
		event.KindRepost: "(reposts our post)", event.KindFollow: "(follows us)",
	}[kind] + said
}

// now returns the time of the clock, as the rules see it.
func (s *Session) now() time.Time { return s.inZone(s.world.Now()) }

func (s *Session) inZone(t time.Time) time.Time { return t.In(s.Files.version.Zone()) }

// defaultReturn is how long a team has a conversation, unless the rules say so: as with a bot.
const defaultReturn = 12 * time.Hour

// passTime lets time pass, and what comes due meanwhile happen.
func (s *Session) passTime(then time.Time) error {
	wait := then.Sub(s.world.Now())
	for _, p := range s.people {
		p.chat = append(p.chat, tryTurn{at: s.world.Now(), wait: wait, before: p.State})
	}
	for {
		stop := then
		if due, ok := s.world.NextTimer(); ok && due.Before(stop) {
			stop = due
		}
		p := s.returning(stop)
		if p != nil {
			stop = p.returns()
		}
		scenes, err := s.world.Until(stop)
		for i := range scenes {
			of := s.people[scenes[i].Peer]
			last := &of.chat[len(of.chat)-1]
			last.scenes = append(last.scenes, scenes[i])
		}
		s.showScenes(scenes)
		switch {
		case err != nil:
			return err
		case p != nil && p.State.Owner != "" && !p.returns().After(stop):
			s.giveBack(p, "nobody of ours has written: the bot has the conversation with @"+p.State.User+" again")
		case !stop.Before(then):
			return nil
		}
	}
}

// returning returns whose conversation comes back to the bot first, by then; nil for nobody.
func (s *Session) returning(then time.Time) *tryPerson {
	var first *tryPerson
	for _, p := range s.people {
		switch {
		case p.State.Owner == "" || p.returns().After(then):
		case first == nil || p.returns().Before(first.returns()),
			p.returns().Equal(first.returns()) && p.State.Peer < first.State.Peer:
			first = p
		}
	}
	return first
}

// returns returns when a conversation that a team has comes back to the bot.
func (p *tryPerson) returns() time.Time {
	after := p.State.OwnerFor
	if after == 0 {
		after = defaultReturn
	}
	return p.handed.Add(after)
}

func (s *Session) giveBack(p *tryPerson, why string) {
	p.State.Owner, p.State.OwnerFor = "", 0
	p.seen = p.State
	s.addLine(tryAside, why)
}

// StandingText says who speaks, when, and where the conversation stands.
func (s *Session) StandingText() []string {
	p := s.who
	parts := []string{"@" + print.PlainText(p.State.User, 0), s.now().Format("Mon 2 January 15:04")}
	if talk, step, ok := replay.Stands(&p.State); ok {
		parts = append(parts, talk+"/"+step)
	}
	if p.State.Owner != "" {
		parts = append(parts, p.State.Owner+" has the conversation")
	}
	if !p.State.Silence.Since.IsZero() {
		parts = append(parts, "wants to be left alone")
	}
	if len(p.State.Labels) > 0 {
		parts = append(parts, strings.Join(p.State.Labels, ", "))
	}
	parts = append(parts, map[ruledecision.Status]string{ruledecision.Live: "as if live", "": "as the files say"}[s.world.Status])
	if s.world.Explain {
		parts = append(parts, "trace")
	}
	if s.Files.broken != "" {
		parts = append(parts, "the files have problems")
	}
	for i := range parts {
		parts[i] = print.PlainText(parts[i], 0)
	}
	return parts
}
