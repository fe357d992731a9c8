package notify

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/nectar-bot/nectar/bot/event"
)

// style is how a service takes texts.
type style struct {
	own    func(string) string // words of ours
	theirs func(string) string // words of strangers
	most   int                 // of a whole text, as length counts
	length func(string) int
	names  bool // commands may name people: @ana calls nobody
}

func letterCount(s string) int { return utf8.RuneCountInString(s) }

func units(s string) int { return len(utf16.Encode([]rune(s))) }

func octets(s string) int { return len(s) }

func same(s string) string { return s }

// styles are how the services take texts; the numbers are what they document, with some room.
var styles = map[Service]style{
	Ntfy:     {same, plainWords, 4000, octets, true},           // 4,096 bytes, more becomes an attachment
	Slack:    {slackOwn, slackWords, 3900, letterCount, false}, // 4,000 are advised
	Discord:  {same, discordWords, 1950, units, false},         // 2,000
	Telegram: {same, telegramWords, 4000, units, false},        // 4,096 UTF-16 units
	Mail:     {same, plainWords, 100_000, octets, true},        // nobody reads more
	Webhook:  {same, plainWords, 1 << 30, octets, true},        // as it is
	server:   {same, plainWords, 100_000, octets, true},        // of mail
}

// telegramWords returns what strangers wrote as Telegram shows it without a parse mode: as it is, and nobody is mentioned.
func telegramWords(text string) string { return breakMentions(text) }

// sizes are how many letters of what was said, and of texts, a notice tells: as many as fit.
var sizes = [][2]int{{800, 1500}, {300, 600}, {160, 240}, {60, 100}, {20, 30}}

// over marks what has ended among the kinds of a digest.
const over = "/over"

// titleText says in a few words of ours what a digest is about.
func (d *Digest) titleText() string {
	if len(d.Notices) == 1 {
		return d.Notices[0].headingText()
	}
	counts, order := map[string]int{}, []string{}
	for i := range d.Notices {
		n := &d.Notices[i]
		what := n.Kind
		if n.Over {
			what += over
		}
		if counts[what]++; counts[what] == 1 {
			order = append(order, what)
		}
	}
	parts := make([]string, len(order))
	for i, what := range order {
		name, ended := strings.CutSuffix(what, over)
		k := kindOf(name)
		if ended {
			k.one, k.many = "Over: "+k.one, "of these are over: "+k.one
		}
		switch {
		case counts[what] > 1:
			parts[i] = fmt.Sprintf("%d %s", counts[what], k.many)
		case i > 0:
			parts[i] = strings.ToLower(k.one[:1]) + k.one[1:]
		default:
			parts[i] = k.one
		}
	}
	return strings.Join(parts, ", ")
}

// text returns a digest as a service takes it: what does not fit is counted.
func (d *Digest) text(st style, title bool) string {
	head := ""
	if title && len(d.Notices) > 1 {
		head = st.own(d.titleText()) + "\n\n"
	}
	first := 0
	if len(d.Notices) > 1 {
		first = 2
	}
	for _, size := range sizes[first:] {
		if text, all := d.fit(st, head, size); all || len(d.Notices) > 1 && text != head {
			return text
		}
	}
	text, _ := d.fit(st, head, sizes[len(sizes)-1])
	for st.length(text) > st.most { // names alone are too long
		text = cut(text, letterCount(text)*3/4)
	}
	return text
}

// fit puts together what fits, and says how much does not; false when that is not all.
func (d *Digest) fit(st style, head string, size [2]int) (text string, all bool) {
	const room = 100 // for the last line
	text = head
	for i := range d.Notices {
		one := d.Notices[i].lines(st, size, d.Accounts)
		if i > 0 {
			one = "\n" + one
		}
		last := i == len(d.Notices)-1
		if n := st.length(text + one); n > st.most || !last && n > st.most-room {
			if i == 0 {
				return head, false
			}
			return text + st.own(fmt.Sprintf("\nand %d more: nectar notices --since 1d\n", len(d.Notices)-i)), false
		}
		text += one
	}
	return text, true
}

// page is what a notice says, line by line, in a style.
type page struct {
	strings.Builder
	st      style
	private bool
}

func (p *page) line(text string) { _, _ = p.WriteString(text + "\n") } // it never fails

// quote writes down what somebody said.
func (p *page) quote(what, text string, most int) {
	switch {
	case text != "" && p.private:
		p.line(p.st.own(what + ": (private: nectar notices --private)"))
	case text != "":
		p.line(p.st.own(what+":") + " “" + p.st.theirs(cut(oneLine(text), most)) + "”")
	}
}

// lines are what a notice says, in a style. size bounds the letters of what was said and of texts. With several accounts it says
// which one it is about.
func (n *Notice) lines(st style, size [2]int, accounts bool) string {
	b := page{st: st, private: n.Private}
	b.line(n.headline(st, accounts))
	t, troubled := n.troubleOf()
	if when := n.whenText(); troubled && when != "" {
		b.line(st.own(when))
	}
	wrote := "They wrote"
	if !n.Since.IsZero() {
		wrote += " on " + n.clockText(n.Since)
	}
	b.quote(wrote, n.Said, size[0])
	for _, said := range n.More {
		b.quote("And then", said, size[0])
	}
	for _, said := range n.Told {
		b.quote("The bot has said since", said, size[0])
	}
	b.quote("The bot would say", n.Answer, size[1])
	below := troubled && n.Kind != KindApproval // for who wants to know
	says := n.Text != "" && !n.Plain
	switch {
	case says && n.Private:
		b.line(st.own("Note: (private: nectar notices --private)"))
	case says && !below:
		b.line(st.theirs(cut(oneLine(n.Text), size[1])))
	}
	n.todo(&b, t, troubled)
	if n.Do != "" {
		b.line(st.own(n.command(st, accounts)))
	}
	if n.Peer != 0 && !n.Over && (n.Kind == KindHandoff || n.Kind == KindWaiting) {
		b.line(st.own("You see to it? Then nobody else is called: nectar notices ack " + n.number()))
	}
	if says && below && !n.Private {
		b.line(st.own("In detail:") + " " + st.theirs(cut(oneLine(n.Text), size[1])))
	}
	return b.String()
}

// headline says what a notice is about, with whom, and of which account.
func (n *Notice) headline(st style, accounts bool) string {
	says := st.own(n.headingText())
	if who := n.person(st); who != "" {
		says += ": " + who
	}
	if about := n.Why.Param("about"); about != "" {
		says += " (" + st.theirs(cut(oneLine(about), 60)) + ")"
	}
	if accounts && n.Account != "" {
		says += st.own(" (account " + n.Account + ")")
	}
	return says
}

// todo writes what something means for customers, and what the reader is asked to do.
func (n *Notice) todo(b *page, t trouble, troubled bool) {
	what := ""
	switch {
	case troubled && n.Over:
		b.line(b.st.own(t.means))
	case troubled:
		what = "What to do: "
		b.line(b.st.own("For customers: " + t.means))
	}
	if ask := cmp.Or(n.Ask, t.ask); ask != "" {
		b.line(b.st.own(what + ask))
	}
}

// number is by what people take the notice who see to the person.
func (n *Notice) number() string {
	return (&event.Action{Account: event.Account(n.Account), Key: n.ID}).Number()
}

// clockText says when something was that the notice is about: on the clock of who reads it, and with its day of the month when it is long ago.
func (n *Notice) clockText(t time.Time) string {
	const week = 6 * 24 * time.Hour
	if n.At.Sub(t) > week {
		return t.Format("2 January, 15:04")
	}
	return t.Format("Monday, 15:04")
}

// command returns the command that answers a notice.
func (n *Notice) command(st style, accounts bool) string {
	who := strconv.FormatInt(n.Peer, 10)
	if st.names && plainName(n.User) {
		who = "@" + n.User
	}
	do := strings.ReplaceAll(n.Do, "{who}", who)
	if accounts && n.Account != "" && !strings.Contains(do, "--account") && !strings.Contains(do, " accounts ") {
		do += " --account " + n.Account
	}
	return do
}

// person names whom a notice is about.
func (n *Notice) person(st style) string {
	const most = 60
	name, user := cut(oneLine(n.Name), most), cut(oneLine(n.User), most)
	switch {
	case n.Peer == 0 || n.Kind == KindPaused: // it is about the rule
		return ""
	case user != "" && name != "":
		return st.theirs("@" + user + " (" + name + ")")
	case user != "":
		return st.theirs("@" + user)
	case name != "":
		return st.theirs(name)
	}
	return "person " + strconv.FormatInt(n.Peer, 10)
}
