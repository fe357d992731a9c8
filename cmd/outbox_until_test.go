package cmd

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/print"
)

// The outbox shows when what is planned leaves, until when it may, and by when it has to be approved; and why says what became
// of it.
func TestOutboxOfDatedActions(t *testing.T) {
	t.Parallel()
	plans := func(_ context.Context, t *bot.Turn, m event.Message) error {
		slot := t.Now.Truncate(time.Hour).Add(6 * time.Hour)
		options := []bot.Option{bot.In(slot.Sub(t.Now)), bot.Before(slot.Add(10 * time.Minute))}
		if m.Text == "ask" {
			options = append(options, bot.Awaits("needs approval", event.Approval{Expires: slot.Add(-2 * time.Hour)}))
		}
		return t.Publish(m.Text+" spring", options...)
	}
	bottest.Run(t, bottest.Config{Start: tuesdayAtTen, Routes: []bot.Route{bot.On("plan", bot.AnyMessage(), plans)}}, func(w *bottest.World) {
		leo := w.Person("leo")
		leo.Says("ask", "plain")
		w.Advance(time.Minute)
		shows := func(wants []string, args ...string) string {
			t.Helper()
			got := beside(t, w, args...).stdout
			for _, want := range wants {
				if !regexp.MustCompile(want).MatchString(got) {
					t.Errorf("there is no %q in\n%s", want, got)
				}
			}
			return got
		}
		slot := tuesdayAtTen.Add(6 * time.Hour)
		at := func(d time.Duration) string { return regexp.QuoteMeta(print.TimeText(slot.Add(d))) }
		out := shows([]string{
			`needs approval until ` + at(-2*time.Hour), `→ post "ask spring"\n +leaves at ` + at(0) + `, and before ` + at(10*time.Minute) + `\n`,
			`DUE +BEFORE`, `due .*` + at(0) + ` +` + at(10*time.Minute) + ` .*"plain spring"`,
		}, "outbox")
		number := regexp.MustCompile(`(?m)^(\d{6})  → `).FindStringSubmatch(out)[1]
		var row struct {
			DueAt, Until, Expires time.Time
		}
		first, _, _ := strings.Cut(beside(t, w, "outbox", "--held", "--json").stdout, "\n")
		first = strings.NewReplacer("due_at", "DueAt", "until", "Until", "expires", "Expires").Replace(first)
		if err := json.Unmarshal([]byte(first), &row); err != nil || !row.DueAt.Equal(slot) || !row.Until.Equal(slot.Add(10*time.Minute)) || !row.Expires.Equal(slot.Add(-2*time.Hour)) {
			t.Errorf("for machines it is %s, %v", first, err)
		}
		shows([]string{`it is held: needs approval; nectar outbox approve ` + number + ` lets it leave, at ` + at(0), `due ` + at(0) + `, to leave before ` + at(10*time.Minute)}, "why", idOf(t, w, "ask"))

		w.Stop()
		w.Advance(5 * time.Hour)
		shows([]string{`is expired: nobody approved it by ` + at(-2*time.Hour)}, "outbox")
		w.Advance(2 * time.Hour)
		w.Start()
		w.Advance(time.Minute)
		shows([]string{`nothing is to be done`}, "outbox")
		shows([]string{`it never left: nobody approved it by `, `expired `}, "why", idOf(t, w, "ask"))
		shows([]string{`it never left: its time was over at `}, "why", idOf(t, w, "plain"))
	})
}
