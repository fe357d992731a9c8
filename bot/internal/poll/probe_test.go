package poll_test

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// between calls hook before the n-th get_messages goes out.
type between struct {
	http.RoundTripper
	n    int
	hook func()
}

func (b *between) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Path == "/mobile_api/get_messages" {
		if b.n--; b.n == 0 {
			b.hook()
		}
	}
	return b.RoundTripper.RoundTrip(req)
}

type signedIn platform.Secret

func (s signedIn) SessionID(context.Context) (platform.Secret, error) { return platform.Secret(s), nil }

func (signedIn) Rejected(context.Context, platform.Secret, *platform.Refused) (bool, error) {
	return false, nil
}

type nothingStored struct{}

func (nothingStored) Cursors(context.Context, event.Account, event.Source, []platform.UserID) ([]record.Cursor, error) {
	return nil, nil
}

func (nothingStored) CursorsAfter(context.Context, event.Account, event.Source, platform.UserID, int) ([]record.Cursor, error) {
	return nil, nil
}

type texts []string

func (s *texts) Deliver(_ context.Context, b poll.Batch) error {
	for _, e := range b.Events {
		*s = append(*s, e.Text)
	}
	return nil
}

// A message that comes between two calls of one read counts as seen after the second one. When the
// account's own answer is then the last line of the chat, the list shows nothing of it: it has to be
// read at once, not by a sweep.
func TestMessageBetweenTwoCallsOfARead(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 4; n++ {
		synctest.Test(t, func(t *testing.T) {
			p := emulator.New(emulator.Config{})
			account := p.AddAccount(emulator.Person{Username: "bot"}, "bot@social.example", "secret")
			ana := p.AddPerson(emulator.Person{Username: "ana"})
			pipe := emulator.NewPipe(p)
			defer func() { _ = pipe.Close() }()
			wire := &between{RoundTripper: pipe.Transport(), hook: func() { p.Say(ana, account, "three") }}
			client, err := platform.New(platform.Config{BaseURL: pipe.BaseURL(), Transport: wire})
			if err != nil {
				t.Fatal(err)
			}
			in, err := client.Login(t.Context(), platform.LoginParams{Email: "bot@social.example", Password: "secret"})
			if err != nil {
				t.Fatal(err)
			}
			client = client.WithSession(signedIn(in.SessionID))
			var got texts
			poller, err := poll.New(poll.Config{
				Account: "main", Client: client, Cursors: nothingStored{}, Sink: &got, Sources: poll.Sources{Messages: true},
			})
			if err != nil {
				t.Fatal(err)
			}
			cycle := func() {
				t.Helper()
				if _, err := poller.Poll(t.Context()); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Second) // virtual
			}
			cycle()
			p.Say(ana, account, "one")
			p.Say(ana, account, "two")
			wire.n = n
			cycle()
			sent, err := client.SendMessage(t.Context(), platform.SendMessageParams{To: ana, Text: "hello"})
			if err != nil {
				t.Fatal(err)
			}
			poller.NoteSent(ana, sent.ID, "hello")
			cycle()
			want := texts{"one", "two", "three"}
			if wire.n > 0 { // there was no such call
				want = want[:2]
			}
			if !slices.Equal(got, want) {
				t.Errorf("with a message before call %d: got %q, want %q", n, got, want)
			}
		})
	}
}
