package cmd

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
)

// phone is a phone that rings.
type phone struct {
	mu    sync.Mutex
	rings []string
}

// ServeHTTP takes a notice.
func (p *phone) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := p.take(r); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}

func (p *phone) take(r *http.Request) error {
	text, err := io.ReadAll(r.Body)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rings = append(p.rings, string(text))
	return err
}

// RoundTrip takes a notice.
func (p *phone) RoundTrip(r *http.Request) (*http.Response, error) {
	err := p.take(r)
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}")), Request: r}, err
}

// rang returns how often it rang, and whether with a text.
func (p *phone) rang(with string) (times int, told bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.rings), slices.ContainsFunc(p.rings, func(text string) bool { return strings.Contains(text, with) })
}

// overnight runs a test from a Tuesday, half past five, with a bot whose team is called on a phone.
func overnight(t *testing.T, test func(w *bottest.World, p *phone)) {
	t.Helper()
	dir := referenceFolder(t, append([]string{"  team: {}\n  sales: {}\n  support: {}\n", "  team: [\"ntfy://a.example/shop\"]\n  sales: [\"ntfy://a.example/shop\"]\n  support: [\"ntfy://a.example/shop\"]\n"}, allLive...)...)
	p := &phone{}
	bottest.Run(t, bottest.Config{
		Start: tuesdayAtTen.Add(7*time.Hour + 30*time.Minute),
		Bot:   bot.Config{PollInterval: 20 * time.Second, Pace: &event.Pace{}},
		Plugins: func(st bot.Store, log *slog.Logger) ([]bottest.Plugin, error) {
			a, err := autoresponder.New(autoresponder.Config{Path: dir, Log: log, WebhookHosts: []string{"a.example"}, Transport: p}, st)
			return []bottest.Plugin{a}, err
		},
	}, func(w *bottest.World) { test(w, p) })
}

// A whole night: questions, a lead, somebody who wants a person, what nobody has thought of, an outage of the platform, of
// the network and of the machine, a colleague on the phone. In the morning, the summary agrees with the platform's ledger.
func TestANight(t *testing.T) {
	t.Parallel()
	onlyWithAll(t)
	overnight(t, func(w *bottest.World, p *phone) {
		aNight(t, w, p)
		s := theSummary(t, w)
		sent, said := 0, 0
		for _, e := range w.Platform().Ledger().Since(0) {
			switch e.Kind {
			case emulator.Arrived:
				sent++
			case emulator.Said:
				said++
			default:
			}
		}
		if got := eventsOf(&s, event.KindMessage); got != said {
			t.Errorf("the summary has %d messages of people, the platform %d", got, said)
		}
		if got := endedActions(&s, event.VerbMessage, event.StateDone); got != sent {
			t.Errorf("the summary has %d messages of the bot, the platform %d", got, sent)
		}
		var waits []string
		for _, x := range s.Waits {
			waits = append(waits, x.Who)
		}
		slices.Sort(waits)
		if want := []string{"@ana", "@mia", "@zoe"}; !slices.Equal(waits, want) {
			t.Errorf("%q wait, want %q\n%s", waits, want, beside(t, w, "summary").stdout)
		}
		if n, told := p.rang("zoe"); n == 0 || n > 12 || !told {
			t.Errorf("the phone rang %d times, for zoe: %v", n, told)
		}
		if s.Calls == 0 || !slices.ContainsFunc(s.Unanswered, func(u view.UnansweredLine) bool { return strings.Contains(u.What, "my cat") }) {
			t.Errorf("called %d times; not answered is %+v", s.Calls, s.Unanswered)
		}
	})
}

// aNight plays the night.
func aNight(t *testing.T, w *bottest.World, p *phone) {
	t.Helper()
	who := func(name string) *bottest.Person { return w.Person(name) }
	who("ana").Says("when do you open tomorrow?")
	who("ana").Hears()
	who("leo").Says("wedding quote")
	for _, answer := range []string{"14 June", "80", "leo@example.org"} {
		who("leo").Hears()
		who("leo").Says(answer)
	}
	who("leo").Hears()
	who("leo").Says("yes")
	who("zoe").Says("catering?")
	who("zoe").Hears()
	w.Advance(2 * time.Hour) // it is half past seven
	who("zoe").Says("can I talk to a person")
	w.Advance(10 * time.Minute)
	if n, told := p.rang("zoe"); n == 0 || !told {
		t.Errorf("nobody was called for zoe: the phone rang %d times", n)
	}
	who("mia").Says("hello?")
	who("mia").Hears()
	who("mia").Says("my cat is called Olive")
	w.Advance(4 * time.Hour)

	w.Faults(emulator.Faults{Err500Before: 1}) // the platform is out
	who("noa").Says("what's the price of the box?")
	w.Advance(30 * time.Minute)
	w.Faults(emulator.Faults{})
	who("noa").Hears()
	w.Faults(emulator.Faults{CutBefore: 1}) // the network is out
	who("tom").Says("when do you open tomorrow?")
	w.Advance(30 * time.Minute)
	w.Faults(emulator.Faults{})
	who("tom").Hears()
	w.CrashStop() // the machine is out
	who("eve").Says("what's the price of the box?")
	w.Advance(time.Hour)
	w.Start()
	who("eve").Hears()

	w.Account("bot").Tells(who("ana"), "Hi Ana, this is Sam. Shall I keep a table?")
	w.Advance(10 * time.Minute)
	who("ana").Says("yes please, for two")
	w.Advance(5 * time.Hour)
}

// theSummary returns the summary of the night.
func theSummary(t *testing.T, w *bottest.World) (s view.Summary) {
	t.Helper()
	got := beside(t, w, "summary", "--since", "14h", "--json", "--limit", "50")
	if err := json.Unmarshal([]byte(got.stdout), &s); err != nil || got.status != 0 {
		t.Fatalf("%v: %s%s", err, got.stdout, got.stderr)
	}
	return s
}

// eventsOf returns how many events of a kind were seen.
func eventsOf(s *view.Summary, kind event.Kind) (n int) {
	for _, c := range s.Happened {
		if c.Kind == kind {
			n += c.Events
		}
	}
	return n
}

// endedActions returns how many actions of a verb ended in a state.
func endedActions(s *view.Summary, verb event.Verb, state event.State) (n int) {
	for _, c := range s.Done {
		if c.Verb == verb && c.State == state {
			n += c.Actions
		}
	}
	return n
}
