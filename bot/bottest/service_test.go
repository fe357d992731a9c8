package bottest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
)

// A handler calls a service, by the clock of the test: one that is slow for an hour costs no time, and one that hangs is given up by the deadline of the handler.
// It is there after a crash of the bot, too.
func TestHTTP(t *testing.T) {
	t.Parallel()
	var shop *http.Client
	asks := bot.On("stock", bot.AnyMessage(), func(ctx context.Context, t *bot.Turn, m event.Message) error {
		left, err := bot.Fact(ctx, t, "left", func(ctx context.Context) (string, error) {
			q, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://shop.example/"+m.Text, http.NoBody)
			if err != nil {
				return "", err
			}
			answer, err := shop.Do(q)
			if err != nil {
				return "", err
			}
			defer func() { _ = answer.Body.Close() }()
			body, err := io.ReadAll(answer.Body)
			return string(body), err
		})
		if errors.Is(err, context.DeadlineExceeded) {
			return t.Reply("the shop does not answer")
		}
		return errors.Join(err, t.Reply(left))
	})
	bottest.Run(t, bottest.Config{Routes: []bot.Route{asks}}, func(w *bottest.World) {
		shop = w.HTTP(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/hats":
				time.Sleep(20 * time.Second)
				_, _ = fmt.Fprintf(rw, "three hats at %s", r.Host)
			default:
				<-r.Context().Done()
			}
		}))
		ana := w.Person("ana")
		ana.Says("hats")
		ana.Expects("three hats at shop.example")
		w.Crash()
		ana.Says("hats")
		ana.Expects("three hats at shop.example")
		ana.Says("shoes")
		ana.Expects("the shop does not answer")
	})
}
