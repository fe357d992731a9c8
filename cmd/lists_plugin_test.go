package cmd

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
)

// What a plugin puts on a list is shown, whatever JSON it is: names and values of an object as columns, in its order.
func TestListsOfAPlugin(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	note := bot.On("note", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
		t.Record(event.Entry{List: "orders", Key: t.Trigger.ID(), Data: json.RawMessage(m.Text)})
		return t.Reply("noted")
	})
	bottest.Run(t, bottest.Config{Routes: []bot.Route{note}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says(`{"size": "L", "count": 2, "with": ["nuts", {"more": true}]}`, `[1, 2]`, `"in words"`, `[{"name":"colour","value":"red","private":true}]`, `[{"count": 3}]`)
		ana.Expects("noted", "noted", "noted", "noted", "noted")
		prints(t, w, "lists orders", 0, "SIZE", "COUNT", "WITH", "DATA", "COLOUR", " L ", ` ["nuts",{"more":true}] `, " [1,2] ", " in words ", "(private)", ` [{"count":3}] `)
		prints(t, w, "lists orders --json", 0, `"fields":{"count":"2","size":"L","with":"[\"nuts\",{\"more\":true}]"}`, `"fields":{"data":"in words"}`)
		prints(t, w, "lists orders --csv --no-bom", 0, `"size","count","with","data","colour"`)
	})
}
