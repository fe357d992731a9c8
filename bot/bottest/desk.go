package bottest

import (
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/store"
)

// AtDesk lets a test look at what the bot keeps, and ask for something, as the commands do: beside the
// bot when it runs, in its place while it is stopped.
func (w *World) AtDesk(f func(d *store.Desk)) {
	w.t.Helper()
	d, err := store.OpenDesk(w.t.Context(), w.Database())
	if err != nil {
		w.fail("%v", err)
	}
	defer func() {
		if err := d.Close(); err != nil {
			w.t.Errorf("close the desk: %v", err)
		}
	}()
	f(d)
}

// Ask stores requests, as the commands do, and returns them with their numbers.
func (w *World) Ask(requests ...event.Request) (asked []event.Request) {
	w.t.Helper()
	w.AtDesk(func(d *store.Desk) {
		var err error
		if asked, err = d.Ask(w.t.Context(), requests...); err != nil {
			w.fail("%v", err)
		}
	})
	return asked
}

// Answer returns what became of a request; the zero Answer while it waits.
func (w *World) Answer(q event.Request) (a store.Answer) {
	w.t.Helper()
	w.AtDesk(func(d *store.Desk) {
		var err error
		if a, _, err = d.Answer(w.t.Context(), q); err != nil {
			w.fail("%v", err)
		}
	})
	return a
}
