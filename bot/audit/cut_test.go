package audit_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// Of a list that is cut, the audit compares what arrives, and the chats behind it that the bot knows.
func TestAuditOfAListThatIsCut(t *testing.T) {
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		bot.On("quiet", bot.AnyMessage(), func(context.Context, *bot.Turn, event.Message) error { return nil }),
	}}, func(w *bottest.World) {
		for i := range 30 {
			w.Person(fmt.Sprint("p", i)).Says("hello")
			w.Advance(time.Minute)
		}
		w.Platform().TroubleLists(emulator.ListTrouble{Break: 3000})
		report := run(t, w, time.Time{})
		if report.Total.Seen != 30 || report.Total.Handled != 30 || !report.OK() {
			t.Errorf("got %+v", report)
		}
		if len(report.Notes) != 1 || !strings.Contains(report.Notes[0], "newest chats of the list arrived, cut by the fault") {
			t.Errorf("notes %q", report.Notes)
		}
	})
}
