package bottest

import (
	"net/http"

	"github.com/nectar-bot/nectar/platform/emulator"
)

// HTTP returns a client whose calls all reach h, whatever host they name: for handlers that call a service of their own. It speaks real HTTP within the
// bubble of the test, so what h takes its time for passes by the clock of the test; an httptest.Server is outside of that clock, and a call of
// it never ends there. Addresses begin with "http://". The service is there until the test ends, over all incarnations of the bot.
//
//	var shop *http.Client // the handlers call it
//	bottest.Run(t, bottest.Config{Routes: routes(&shop)}, func(w *bottest.World) {
//		shop = w.HTTP(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { fmt.Fprint(rw, "three are left") }))
func (w *World) HTTP(h http.Handler) *http.Client {
	s := emulator.NewPipe(h)
	w.services = append(w.services, s)
	return &http.Client{Transport: s.Transport()}
}

// closeServices ends what HTTP has begun.
func (w *World) closeServices() {
	for _, s := range w.services {
		if err := s.Close(); err != nil {
			w.t.Errorf("%v", err)
		}
	}
}
