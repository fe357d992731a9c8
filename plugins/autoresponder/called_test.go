package autoresponder_test

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
)

const calledRules = `version: 1
status: live
rules:
  - id: human
    when: message
    if: [text: { any_word: [human] }]
    then: [{ handoff: { to: team, say_open: "A colleague will answer you." } }]
    limits: { per_person: 10 per 1h }
  - id: hours
    status: ask
    when: message
    if: [text: { any_word: [hours] }]
    then: [{ reply: "We open at nine." }]
    limits: { per_person: 10 per 1h }
  - id: often
    when: message
    if: [text: { any_word: [often] }]
    then: [{ reply: "Yes." }]
    limits: { per_person: 10 per 1h }
    if_too_many: { more_than: 1 in 1h, then: pause_and_notify, who: team }
`

// called runs a bot whose team has a phone.
func called(t *testing.T, test func(w *bottest.World, p *phone, watch func())) {
	t.Helper()
	calledBy(t, calledRules, "", tuesday, 5*time.Second, test)
}

// calledBy runs a bot by rules, whose team has a phone; settings are those beside it, with other teams or with it.
func calledBy(t *testing.T, rules, settings string, start time.Time, poll time.Duration, test func(w *bottest.World, p *phone, watch func())) {
	t.Helper()
	who := "who: { team: [\"ntfy://a.example/topic\"] }\n"
	if strings.Contains(settings, "who:") {
		who = ""
	}
	dir := folderOf(t, "10-a.yaml", rules, "settings.yaml", "version: 1\n"+who+settings)
	ring := &phone{}
	var plugin *autoresponder.Plugin
	bottest.Run(t, bottest.Config{
		Start: start,
		Bot:   bot.Config{PollInterval: poll, RequestPause: poll / 3, Pace: &event.Pace{}},
		Plugins: func(st bot.Store, log *slog.Logger) ([]bottest.Plugin, error) {
			p, err := autoresponder.New(autoresponder.Config{Path: dir, WebhookHosts: []string{"a.example", "b.example"}, Transport: ring, Look: poll, Log: log}, st)
			plugin = p
			return []bottest.Plugin{p}, err
		},
	}, func(w *bottest.World) { test(w, ring, func() { plugin.Watch(w.Bot()) }) })
}

// People are called with who it is, what they said, what is asked, and the command, in the commit of the turn: a crash
// loses nothing.
func TestCalledByTurns(t *testing.T) {
	t.Parallel()
	called(t, func(w *bottest.World, p *phone, _ func()) {
		ana, bo := w.Person("ana"), w.Person("bo")
		ana.Says("a human, please")
		ana.Expects("A colleague will answer you.")
		w.Crash()
		w.Advance(time.Minute)
		if got := texts(p.take("a.example")); strings.Count(got, "Somebody needs a person: @ana") != 1 || !strings.Contains(got, "They wrote: “a human, please”") ||
			!strings.Contains(got, "nectar conversations give-back @ana\n") {
			t.Errorf("handoff: %s", got)
		}
		bo.Says("what are your hours?")
		w.Advance(6 * time.Minute) // people were called for the crash, too
		var held []event.Action
		w.Inspect(func(d inspect.Inspector) {
			var err error
			if held, err = d.Actions(context.Background(), record.ActionQuery{Account: "bot", State: event.StateHeld, Limit: 9}); err != nil || len(held) != 1 {
				t.Fatalf("%v: %v", err, held)
			}
		})
		got := texts(p.take("a.example"))
		for _, want := range []string{
			"An answer waits for your approval: @bo", "They wrote: “what are your hours?”", "The bot would say: “We open at nine.”",
			"nectar outbox approve " + held[0].Number() + "\n", "nectar outbox refuse " + held[0].Number(),
		} {
			if !strings.Contains(got, want) {
				t.Errorf("approval: %q is missing in %s", want, got)
			}
		}
		w.Ask(event.Request{Key: held[0].Conversation(), Wish: event.WishRelease, Action: held[0].Key})
		bo.Expects("We open at nine.")
		for range 2 {
			bo.Says("often")
			w.Advance(10 * time.Second)
		}
		w.Advance(10 * time.Minute)
		if got := texts(p.take("a.example")); !strings.Contains(got, "A rule has paused itself") || !strings.Contains(got, "nectar resume often") {
			t.Errorf("paused: %s", got)
		}
	})
}

// A source that is not heard calls people, and so does the end of that.
func TestCalledForAnUnhealthySource(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	called(t, func(w *bottest.World, p *phone, watch func()) {
		watch()
		w.Advance(time.Minute)
		w.Faults(emulator.Faults{Err500Before: 1})
		w.Advance(time.Hour)
		if got := texts(p.take("a.example")); strings.Count(got, "The bot cannot read new messages") != 1 || !strings.Contains(got, "nectar doctor") {
			t.Errorf("deaf: %s", got)
		}
		w.Faults(emulator.Faults{})
		w.Advance(time.Hour)
		if got := texts(p.take("a.example")); strings.Count(got, "Over: The bot hears nothing new") != 1 {
			t.Errorf("over: %s", got)
		}
	})
}

// A call that does not end when the bot does holds up no stop, and is made once more after the start.
func TestCallThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	called(t, func(w *bottest.World, p *phone, _ func()) {
		hangs := make(chan struct{})
		p.answers(func(*http.Request) (*http.Response, error) {
			<-hangs // whatever its context says
			return answered(http.StatusOK, ""), nil
		})
		ana := w.Person("ana")
		ana.Says("a human, please")
		ana.Expects("A colleague will answer you.")
		w.Advance(10 * time.Second)
		begun := time.Now()
		w.Stop()
		if lasted := time.Since(begun); lasted > 10*time.Second {
			t.Errorf("the stop lasted %v", lasted)
		}
		if !strings.Contains(w.Log(), "a call of people does not end") {
			t.Error(w.Log())
		}
		close(hangs)
		p.answers(nil)
		p.take("a.example")
		w.Start()
		w.Advance(time.Minute)
		if got := texts(p.take("a.example")); strings.Count(got, "Somebody needs a person: @ana") != 1 {
			t.Errorf("after the start: %s", got)
		}
	})
}
