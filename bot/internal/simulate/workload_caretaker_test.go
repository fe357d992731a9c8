package simulate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// caretaker is the owner of an account whose platform the bot cannot reach at times, for minutes: an outage, or the bot is down.
// Meanwhile, and in between, she answers by hand, in conversations and in public, while answers of the bot wait: for their time, for the
// pace, for the end of the outage. What she has written before the bot could read again is not answered over, and what she has answered in
// public is not answered again; whom she did not answer, the bot does.
type caretaker struct {
	s        *simulation
	account  platform.UserID
	post     platform.PostID   // of the account, for replies
	writers  []platform.UserID // people who write messages
	callers  []platform.UserID // people who mention the account, and reply to it
	wrote    []platform.UserID // who has written messages, in their order
	asked    []platform.PostID // what the callers have written
	interval time.Duration     // between polls
	pace     float64           // actions a second; 0: no limit
	said     int

	mu        sync.Mutex // guards the fields below
	outage    string     // how calls fail while the platform cannot be reached; see caretaker.fails
	until     time.Time  // when it can be again
	answered  time.Time  // when the platform last told this incarnation anything
	heardFrom time.Time  // what was written before that is known, or nothing leaves
	spoken    map[platform.UserID][]time.Time
	shown     map[platform.UserID]time.Time // when her latest words there had arrived
	seen      map[string]bool               // her words that have arrived
	below     map[platform.PostID]*ownReply
	wrong     []string // at the wire
}

// ownReply is a reply to a post by hand.
type ownReply struct {
	text      string
	at, shown time.Time // shown is zero until an answer to a reading of the thread has shown it
}

const (
	caretakerName     event.Account = "office"
	caretakersHost                  = "office.localhost" // a platform of its own, as far as the bot knows: nobody else notices its outages
	caretakersTime                  = 8 * time.Minute
	caretakersWriters               = 12
	noProfiles                      = "profiles" // an outage of nothing else
	caretakersWords                 = "from the office"
)

// caretakersScenes are what happens there, one step behind the other. Most answers wait, and come due in the middle of an outage or shortly after.
const caretakersScenes = `asks asks asks outage owner owner
asks asks asks outage owner owner owner
asks asks outage owner owner asks owner
asks mentions asks outage hand owner owner
asks asks off owner owner
asks owner
mentions mentions hand
mentions hand mentions replies hand
mentions replies outage hand hand
replies hand mentions
expires mentions hand`

// drawCaretaker draws scenes, with outages of minutes.
func drawCaretaker(dice *rand.Rand) (steps []string) {
	scenes := strings.Split(caretakersScenes, "\n")
	for range 8 + dice.IntN(6) {
		for deed := range strings.FieldsSeq(scenes[dice.IntN(len(scenes))]) {
			steps = append(steps, drawCaretakers(dice, deed))
		}
	}
	return steps
}

// drawCaretakers draws what a step does.
func drawCaretakers(dice *rand.Rand, deed string) string {
	switch deed {
	case "outage":
		how, d := []string{"cut", "lost", "hangs", "502", noProfiles}[dice.IntN(5)], time.Duration(30+dice.IntN(170))*time.Second
		if how == noProfiles { // turns wait for that, and look at a thread no more often than they have to
			d *= 2
		}
		return fmt.Sprintf("outage %s %v", how, d)
	case "off":
		return fmt.Sprintf("off %v", time.Duration(1+dice.IntN(100))*time.Second)
	}
	wait := []time.Duration{0, 40 * time.Second, 90 * time.Second, 90 * time.Second, 150 * time.Second, 150 * time.Second}[dice.IntN(6)]
	return fmt.Sprintf("%s %d %v", deed, dice.IntN(3), wait)
}

func newCaretaker(s *simulation) workload {
	return &caretaker{
		s: s, spoken: map[platform.UserID][]time.Time{}, shown: map[platform.UserID]time.Time{}, seen: map[string]bool{}, below: map[platform.PostID]*ownReply{},
	}
}

func (g *caretaker) begin() {
	g.account = g.s.addAccount(caretakerName)
	for i := range caretakersWriters {
		g.writers = append(g.writers, g.s.platform.AddPerson(emulator.Person{Username: fmt.Sprint("guest-writer", i)}))
	}
	for i := range 3 {
		g.callers = append(g.callers, g.s.platform.AddPerson(emulator.Person{Username: fmt.Sprint("guest-caller", i)}))
	}
	g.post = g.s.platform.Post(g.account, "menu five")
	d := g.s.dice.draw("caretaker")
	g.interval = []time.Duration{700 * time.Millisecond, 2 * time.Second, 2 * time.Second, 13 * time.Second}[d.n(4)] + 123*time.Microsecond
	g.pace = []float64{0, 0, 0.2}[d.n(3)]
}

// configure adds the account, at an address of its own.
func (g *caretaker) configure(cfg *bot.Config) {
	a := accountAt(strings.Replace(cfg.Accounts[0].BaseURL, "emulator.localhost", caretakersHost, 1), caretakerName)
	a.PollInterval, a.Pace = g.interval, &event.Pace{}
	if g.pace > 0 {
		a.Pace.Account = event.Rate{PerSecond: g.pace, Burst: 1}
	}
	cfg.Accounts = append(cfg.Accounts, a)
	cfg.TakeoverFor = phoneSilence
	cfg.Transport = g.between(cfg.Transport)
}

func (g *caretaker) joins(*bot.Bot) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.answered, g.heardFrom = time.Time{}, time.Now()
}

func (g *caretaker) routes() []bot.Route {
	here := func(_ context.Context, t *bot.Turn) bool { return t.Trigger.Key.Account == caretakerName }
	return []bot.Route{
		bot.On("office", bot.AnyMessage().If(here), func(_ context.Context, t *bot.Turn, m event.Message) error {
			return t.Reply("got "+m.Text, waitOf(m.Text)...)
		}),
		bot.On("office-mention", bot.AnyMention().If(here), func(ctx context.Context, t *bot.Turn, m event.Mention) error {
			if strings.Contains(m.Text, "member") {
				if _, err := t.Profile(ctx); err != nil {
					return err
				}
			}
			return t.Reply(fmt.Sprint("seen ", m.Post), waitOf(m.Text)...)
		}),
		bot.On("office-reply", bot.AnyReply().If(here), func(_ context.Context, t *bot.Turn, r event.Reply) error {
			return t.Reply(fmt.Sprint("seen ", r.Post), waitOf(r.Text)...)
		}),
	}
}

// waitOf returns how long the answer to a text has to wait, which its last word tells.
func waitOf(text string) []bot.Option {
	d, err := time.ParseDuration(text[strings.LastIndex(text, " ")+1:])
	if err != nil || d == 0 {
		return nil
	}
	return []bot.Option{bot.In(d)}
}

func (g *caretaker) do(_ context.Context, what string) error {
	g.said++
	var deed, how string
	if _, err := fmt.Sscan(what, &deed, &how); err != nil && deed != "off" {
		return err
	}
	switch deed {
	case "outage", "off":
		return g.fails(strings.Fields(what))
	case "expires":
		g.s.platform.Expire(g.account)
		return nil
	}
	who, wait := int(how[0]-'0'), what[strings.LastIndex(what, " ")+1:]
	switch text := fmt.Sprintf("word %d %s", g.said, wait); deed {
	case "asks":
		writer := g.writers[len(g.wrote)%len(g.writers)]
		g.wrote = append(g.wrote, writer)
		g.s.platform.Say(writer, g.account, text)
	case "mentions":
		if g.said%2 == 0 {
			text = "member " + text
		}
		g.asked = append(g.asked, g.s.platform.Mention(g.callers[who], g.account, text))
	case "replies":
		g.asked = append(g.asked, g.s.platform.Reply(g.callers[who], g.post, text))
	case "owner": // one of the last who wrote: for them something waits
		if at := len(g.wrote) - 1 - who; at >= 0 {
			g.writes(g.wrote[at])
		}
	case "hand":
		if at := len(g.asked) - 1 - who; at >= 0 {
			g.answers(g.asked[at])
		}
	}
	return nil
}

// writes lets her write to somebody by hand.
func (g *caretaker) writes(who platform.UserID) {
	g.mu.Lock()
	g.spoken[who] = append(g.spoken[who], time.Now()) // before an answer can show it
	g.mu.Unlock()
	g.s.platform.SayAs(g.account, who, fmt.Sprintf("by hand %d.", g.said))
}

// answers lets her answer a post by hand, once.
func (g *caretaker) answers(post platform.PostID) {
	g.mu.Lock()
	known := g.below[post] != nil
	r := &ownReply{text: fmt.Sprintf("%s %d.", caretakersWords, g.said), at: time.Now()}
	if !known {
		g.below[post] = r
	}
	g.mu.Unlock()
	if !known {
		g.s.platform.Reply(g.account, post, r.text)
	}
}

// fails lets the bot be down for a while, or the platform be out of its reach: each call is cut off before it arrives, or has no answer; waits in
// vain; or gets the page of a proxy.
func (g *caretaker) fails(words []string) error {
	d, err := time.ParseDuration(words[len(words)-1])
	if err != nil {
		return err
	}
	if words[0] == "off" {
		g.s.off(d)
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.outage, g.until = words[1], time.Now().Add(d)
	return nil
}

// comesHome ends the last outage.
func (g *caretaker) comesHome(context.Context) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.until = time.Now()
	return nil
}

func (g *caretaker) knows(e emulator.Entry) bool {
	mine := func(id platform.UserID) bool {
		return id == g.account || slices.Contains(g.writers, id) || slices.Contains(g.callers, id)
	}
	return mine(e.From) || mine(e.To)
}

// after waits until the conversations are the bot's again, which has to answer then, everywhere.
func (g *caretaker) after(ctx context.Context) error {
	time.Sleep(phoneSilence + time.Minute)
	for i := range g.writers {
		for _, what := range []string{"asks", "mentions"} {
			if err := g.do(ctx, fmt.Sprintf("%s %d 5s", what, i%len(g.callers))); err != nil {
				return err
			}
		}
	}
	return nil
}
