package bare_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/cmd/internal/bare"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// Who writes more than a page before the client first reads the chat is answered from the first message on.
func TestMoreThanAPageBeforeTheFirstRead(t *testing.T) {
	t.Parallel()
	p := emulator.New(emulator.Config{})
	account := p.AddAccount(emulator.Person{Username: "bot"}, "bot@example.org", "secret")
	ana := p.AddPerson(emulator.Person{Username: "ana"})
	const said = 120
	for n := range said {
		p.Say(ana, account, fmt.Sprint(n))
	}
	server := httptest.NewServer(p)
	defer server.Close()

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	polls := 0
	err := bare.Run(ctx, bare.Config{
		BaseURL: server.URL + "/mobile_api", Email: "bot@example.org", Password: "secret", Concurrency: 2, Pause: time.Millisecond,
		Answer: func(text string) string { return "You wrote: " + text },
	}, func() {
		if polls++; polls == 2 { // all that the first one showed has been answered
			cancel()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	all := p.Messages(account, ana)
	if len(all) != 2*said {
		t.Fatalf("%d messages are in the chat, want %d and as many answers", len(all), said)
	}
	for n, m := range all[said:] {
		if want := fmt.Sprint("You wrote: ", n); m.Text != want {
			t.Fatalf("answer %d is %q, want %q", n, m.Text, want)
		}
	}
}
