package cmd

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
)

// exchange are the servers that teams are called by, outside of the test's clock: one for mails, and one for all that goes over HTTP.
type exchange struct {
	mails net.Listener
	web   *httptest.Server

	mu    sync.Mutex
	calls []called
	conns sync.WaitGroup
}

// called is a call of a team: on which way, when by the clock of the bot, and what it said.
type called struct{ way, at, text string }

func newExchange(t *testing.T) *exchange {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	x := &exchange{mails: l}
	x.web = httptest.NewServer(x)
	x.conns.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			x.conns.Go(func() { defer func() { _ = c.Close() }(); x.takesMail(c) })
		}
	})
	t.Cleanup(func() { x.web.Close(); _ = l.Close(); x.conns.Wait() })
	return x
}

func (x *exchange) host() string { return strings.TrimPrefix(x.web.URL, "http://") }

func (x *exchange) note(way, at, text string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.calls = append(x.calls, called{way, at, text})
}

// take returns the calls since it was asked last, on the ways in their order.
func (x *exchange) take() []called {
	x.mu.Lock()
	defer x.mu.Unlock()
	all := x.calls
	x.calls = nil
	slices.SortStableFunc(all, func(a, b called) int { return strings.Compare(a.at+a.way, b.at+b.way) })
	return all
}

// ServeHTTP takes what ntfy, Slack and a webhook take.
func (x *exchange) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct{ Message, Text, Kind, Said string }
	content, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(content, &body)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	way := strings.Trim(r.URL.Path, "/")
	if way == "" { // of ntfy, whose topic is in the body
		way = "ntfy"
	}
	x.note(way, r.Header.Get(clockHeader), body.Message+body.Text)
}

// clockHeader carries the clock of the bot to servers that have another one.
const clockHeader = "X-Clock"

// RoundTrip carries a call to the real server, over a connection of its own: one that stays would hold the clock up.
func (x *exchange) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(clockHeader, time.Now().UTC().Format(nightClock))
	return (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
}

const nightClock = "Mon 15:04"

// takesMail speaks SMTP with whoever brings mails.
func (x *exchange) takesMail(c net.Conn) {
	r := bufio.NewReader(c)
	say := func(line string) bool { _, err := io.WriteString(c, line+"\r\n"); return err == nil }
	for ok := say("220 post"); ok; {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		switch word, _, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(line)), " "); word {
		case "EHLO":
			ok = say("250-post\r\n250-8BITMIME\r\n250 AUTH PLAIN")
		case "AUTH":
			ok = say("235 ok")
		case "DATA":
			if ok = say("354 go on"); !ok {
				return
			}
			var b strings.Builder
			for line = ""; line != ".\r\n"; {
				b.WriteString(line)
				if line, err = r.ReadString('\n'); err != nil {
					return
				}
			}
			x.noteMail(b.String())
			ok = say("250 ok")
		case "QUIT":
			say("221 bye")
			return
		default:
			ok = say("250 ok")
		}
	}
}

func (x *exchange) noteMail(raw string) {
	m, err := mail.ReadMessage(strings.NewReader(raw))
	if err != nil {
		x.note("mail", "", err.Error())
		return
	}
	at, _ := m.Header.Date()
	subject, _ := (&mime.WordDecoder{}).DecodeHeader(m.Header.Get("Subject"))
	body := m.Body
	if strings.EqualFold(m.Header.Get("Content-Transfer-Encoding"), "quoted-printable") {
		body = quotedprintable.NewReader(m.Body)
	}
	text, err := io.ReadAll(body)
	if err != nil {
		subject = err.Error()
	}
	x.note("mail", at.UTC().Format(nightClock), m.Header.Get("To")+"\n"+subject+"\n"+strings.ReplaceAll(string(text), "\r\n", "\n"))
}

// starterNight runs a test from a Tuesday evening on, with the files to begin with in a language, all live, and two teams.
func starterNight(t *testing.T, language string, test func(w *bottest.World, x *exchange)) {
	t.Helper()
	x, dir := newExchange(t), t.TempDir()
	if got := begins(t, dir, "--language", language, "--timezone", "Europe/Lisbon", "--hours", "Mon-Fri 09:00-18:30", "--hours", "Sat 10:00-14:00"); got.status != 0 {
		t.Fatal(got)
	}
	rules := filepath.Join(dir, "rules")
	files, err := os.ReadDir(rules)
	if err != nil {
		t.Fatal(err)
	}
	teams := fmt.Sprintf("  team: [\"ntfy://%[1]s/shop\", \"mailto:team@example.org\"]\n  boss: [\"slack://%[1]s/services/boss\", \"http://%[1]s/hook\"]\ncall: [boss]\nmail_server: \"smtp://bot%%40example.org:secret@%[2]s\"\n", x.host(), x.mails.Addr())
	for _, f := range files {
		path := filepath.Join(rules, f.Name())
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.NewReplacer("status: watch", "status: live", "  team: {}\n", teams).Replace(string(content))
		if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	bottest.Run(t, bottest.Config{
		Start: tuesdayAtTen.Add(10 * time.Hour),
		Bot:   bot.Config{PollInterval: 20 * time.Second, Pace: &event.Pace{}},
		Plugins: func(st bot.Store, log *slog.Logger) ([]bottest.Plugin, error) {
			a, err := autoresponder.New(autoresponder.Config{Path: rules, Log: log, WebhookHosts: []string{x.host(), x.mails.Addr().String()}, Transport: x, Look: 20 * time.Second}, st)
			return []bottest.Plugin{a}, err
		},
	}, func(w *bottest.World) { test(w, x) })
}

// nightWords are what people write in the night, in a language, and what they are told.
var nightWords = map[string]struct{ price, smoke, person, dentist, stop, there, thanks, priced, closed, handed string }{
	"en": {
		"what's the price of the box?", "there is smoke in the kitchen!", "PERSON", "do you know a good dentist?", "STOP", "are you there?", "thanks 🙏",
		"The small box is 12, the family box 28. Anything else, Ana?", "Thanks %s! We are closed and will answer tomorrow at 9:00.", "Of course, Pia. We are closed; a colleague will answer you tomorrow at 9:00.",
	},
	"es": {
		"¿qué precio tiene la caja?", "¡hay humo en la cocina!", "PERSONA", "¿conocen un buen dentista?", "BAJA", "¿hay alguien?", "muchas gracias 🙏",
		"Ana, la caja pequeña cuesta 12 y la familiar, 28. ¿Algo más?", "%s, gracias por escribir. Ahora está cerrado; te respondemos mañana a las 9:00.", "Pia, claro que sí. Ahora está cerrado; alguien del equipo te responde mañana a las 9:00.",
	},
}

// A night with the files to begin with: who is rung when, and by what, over real servers; and what a manager reads and does in the morning.
func TestNightOfTheStarter(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"en", "es"} {
		t.Run(language, func(t *testing.T) {
			effort.Case(t)
			starterNight(t, language, func(w *bottest.World, x *exchange) { nightAndMorning(t, w, x, language) })
		})
	}
}

func nightAndMorning(t *testing.T, w *bottest.World, x *exchange, language string) {
	t.Helper()
	said := nightWords[language]
	until := func(clock time.Duration) { w.Advance(time.Until(tuesdayAtTen.Add(-10*time.Hour + clock))) }
	says := func(hour int, minute time.Duration, who, text string) {
		until(time.Duration(hour)*time.Hour + minute*time.Minute)
		w.Person(who).Says(text)
	}
	says(20, 5, "ana", said.price)
	says(22, 0, "leo", said.smoke)
	says(23, 0, "pia", said.person)
	says(23, 30, "mia", said.dentist)
	says(24, 10, "tom", said.stop)
	says(24, 40, "tom", said.there)
	says(25, 30, "zoe", said.thanks)
	until(27 * time.Hour)
	w.Crash()
	until(33*time.Hour + 10*time.Minute)
	team, boss := []string{"mail", "ntfy"}, []string{"hook", "services/boss"}
	tells := func(who, name, asked, told string) string {
		return "Somebody still waits for an answer: @" + who + " (" + name + ")\nThey wrote on Tuesday, HH:MM: “" + asked + "”\n" +
			"The bot has said since: “" + told + "”\nAnswer them on the platform. What was said until now:\nnectar conversations show @" + who + "\n"
	}
	x.rang(t, []wanted{
		{"Tue 23:0", team, "Somebody needs a person: @pia (Pia)\nThey wrote: “" + said.person + "”\n" +
			"Answer them on the platform: the bot is silent there. When you are done, give it back to the bot:\nnectar conversations give-back @pia"},
		{"Wed 00:4", team, "A rule tells you: @tom (Tom)\nThey wrote: “" + said.there + "”\nasked for silence, and is not answered: message from @tom: " + said.there + "\nnectar conversations show @tom"},
		{"Wed 01:0", team, "Somebody still waits for an answer: @pia (Pia)\nnobody has answered yet: message from @pia: " + said.person +
			"\nAnswer them on the platform. What was said until now:\nnectar conversations show @pia"},
		{"Wed 03:0", boss, ""},
		{"Wed 09:0", team, tells("ana", "Ana", said.price, said.priced) + "\n" + tells("leo", "Leo", said.smoke, fmt.Sprintf(said.closed, "Leo")) + "\n" +
			tells("pia", "Pia", said.person, said.handed) + "\n" + tells("mia", "Mia", said.dentist, fmt.Sprintf(said.closed, "Mia"))},
	})
	waits := func(args string, lines ...string) {
		t.Helper()
		got := beside(t, w, strings.Fields(args)...)
		_, list, _ := strings.Cut(got.stdout, "who waits for you: ")
		list, _, _ = strings.Cut(list, "Whoever one of you writes to is off this list.")
		var have []string
		for line := range strings.Lines(list) {
			if at := strings.Index(line, "@"); at >= 0 {
				have = append(have, whichRule.ReplaceAllString(strings.Join(strings.Fields(line[at:]), " "), "a rule leaves"))
			}
		}
		if diff := cmp.Diff(lines, have); diff != "" || !strings.HasPrefix(list, fmt.Sprintln(len(lines))) {
			t.Errorf("nectar %s: (-want +got)\n%s\n%s%s", args, diff, got.stdout, got.stderr)
		}
	}
	line := func(who, why, asked string) string {
		return fmt.Sprintf("@%s %s message %q nectar conversations show @%[1]s", who, why, asked)
	}
	leaves := "a rule leaves it to one of you"
	leo, mia := line("leo", leaves, said.smoke), line("mia", leaves, said.dentist)
	tom := line("tom", "has asked for silence, and wrote", said.there)
	ana, pia := line("ana", leaves, said.price), line("pia", "team has the conversation, and has not written since", said.person)
	waits("summary --since 14h", ana, leo, pia, mia, tom)
	waits("conversations waiting", ana, leo, pia, mia, tom)
	prints(t, w, "summary --since 14h", 0, "seen: 7 messages of 6 people\n", "done: 5 messages done\n",
		"not answered: 1 on the list unanswered (besides 1 that rules ignore)\n", "you were called: 8 times\n")
	morning(t, w, x, map[string]string{"leo": leo, "mia": mia, "tom": tom, "ana": ana, "pia": pia}, waits)
}

// whichRule is a rule that leaves somebody to people.
var whichRule = regexp.MustCompile(`the rule \S+ leaves`)

// howToAck is the line of a notice that says how to see to it, with its number.
var howToAck = regexp.MustCompile(`(?m)^You see to it\?.*\n`)

// morning is what people of ours do about those who wait, and who waits and is rung then.
func morning(t *testing.T, w *bottest.World, x *exchange, lines map[string]string, waits func(args string, lines ...string)) {
	t.Helper()
	number := regexp.MustCompile(`(?m)^(\d+) .* waiting +@leo `).FindStringSubmatch(beside(t, w, "notices").stdout)
	if number == nil {
		t.Fatalf("no notice tells of leo:\n%s", beside(t, w, "notices").stdout)
	}
	prints(t, w, "notices ack "+number[1]+" --as ines --wait 0s", 0, "@leo: asked for")
	prints(t, w, "conversations done @ana --as ines --wait 0s", 0, "@ana: asked for")
	w.Account("bot").Tells(w.Person("pia"), "This is Sam.")
	w.Advance(5 * time.Minute)
	over := "Over: Somebody still waits for an answer: @"
	x.rang(t, []wanted{{"Wed 09:1", []string{"mail", "ntfy"}, over + "leo (Leo)\nines has it\n\n" + over + "ana (Ana)\nines has it\n\n" + over + "pia (Pia)\none of you has written to them"}})
	waits("conversations waiting", lines["leo"], lines["mia"], lines["tom"])
	w.Person("pia").Says("👍")
	w.Account("bot").Tells(w.Person("leo"), "This is Sam. We are on our way.")
	prints(t, w, "conversations later @mia 2h --wait 0s", 0, "@mia: asked for")
	w.Advance(5 * time.Minute)
	waits("conversations waiting", lines["tom"])
	w.Advance(2 * time.Hour)
	waits("summary --since 16h", lines["mia"], lines["tom"])
}

// wanted is a call: about when, on which ways, and what it says. HH:MM stands for a time there.
type wanted struct {
	at   string
	ways []string
	says string
}

// rang checks that the servers were called just so since they were asked last.
func (x *exchange) rang(t *testing.T, want []wanted) {
	t.Helper()
	calls := x.take()
	for _, r := range want {
		says := regexp.MustCompile(strings.ReplaceAll(regexp.QuoteMeta(r.says), "HH:MM", `\d\d:\d\d`) + `\n?$`)
		for _, way := range r.ways {
			if len(calls) == 0 || calls[0].way != way || !strings.HasPrefix(calls[0].at, r.at) || !says.MatchString(howToAck.ReplaceAllString(calls[0].text, "")) {
				t.Errorf("wanted at %s by %s: %q\nleft: %q", r.at, way, r.says, calls)
				return
			}
			calls = calls[1:]
		}
	}
	if len(calls) > 0 {
		t.Errorf("it rang, too: %q", calls)
	}
}
