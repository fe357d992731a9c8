package bottest

import (
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
)

// Inspect lets a test look at what the bot keeps, and ask for something, as the commands do: beside the
// bot when it runs, in its place while it is stopped. The inspector is good until f returns.
func (w *World) Inspect(f func(d inspect.Inspector)) {
	w.t.Helper()
	if w.inspector == nil { // to open it costs more than most of what is asked
		d, err := inspect.Open(w.t.Context(), w.Database(), w.cfg.Key)
		if err != nil {
			w.fail("%v", err)
		}
		w.inspector = d
	}
	f(w.inspector)
}

// closeInspector closes the inspector, before the bot comes to its database, or leaves it.
func (w *World) closeInspector() {
	w.t.Helper()
	if w.inspector == nil {
		return
	}
	if err := w.inspector.Close(); err != nil {
		w.t.Errorf("close the inspector: %v", err)
	}
	w.inspector = nil
}

// Ask stores requests, as the commands do, and returns them with their numbers.
func (w *World) Ask(requests ...event.Request) (asked []event.Request) {
	w.t.Helper()
	w.Inspect(func(d inspect.Inspector) {
		var err error
		if asked, err = d.Ask(w.t.Context(), requests...); err != nil {
			w.fail("%v", err)
		}
	})
	return asked
}

// Answer returns what became of a request; the zero Answer while it waits.
func (w *World) Answer(q event.Request) (a record.Answer) {
	w.t.Helper()
	w.Inspect(func(d inspect.Inspector) {
		var err error
		if a, _, err = d.Answer(w.t.Context(), q); err != nil {
			w.fail("%v", err)
		}
	})
	return a
}
