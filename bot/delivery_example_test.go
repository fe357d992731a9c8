package bot_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// cashdesk is a plugin that thanks for payments, of which the payment service tells it by HTTP.
type cashdesk struct {
	account event.Account
	bot     interface {
		Deliver(ctx context.Context, d event.Delivery) error
	}
	secret []byte
	log    *slog.Logger
}

// received is what the payment service tells.
type received struct {
	ID    string          `json:"id"`
	Payer platform.UserID `json:"payer"`
	Sum   string          `json:"sum"`
}

// Routes returns what thanks for payments.
func (s *cashdesk) Routes() []bot.Route {
	return bot.Group("shop", nil,
		bot.On("paid", bot.Delivered[received]("shop/paid"), func(_ context.Context, t *bot.Turn, p received) error {
			if t.IsOwned() { // one of you has the conversation: what the bot would say does not leave
				t.Notify(event.Notice{Who: event.Everybody, Text: "has paid " + p.Sum})
			}
			return t.Message("Thank you: " + p.Sum + " has arrived.")
		}),
	)
}

// ServeHTTP takes word of a payment from who knows the secret. Only when it is on disk it says so: until then the sender tries again.
func (s *cashdesk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<16))
	sum := hmac.New(sha256.New, s.secret)
	_, _ = sum.Write(body)
	signed, _ := hex.DecodeString(r.Header.Get("X-Signature"))
	var p received
	if err != nil || !hmac.Equal(signed, sum.Sum(nil)) || json.Unmarshal(body, &p) != nil {
		http.Error(w, "not signed, or no payment", http.StatusForbidden)
		return
	}
	to := event.Key{Account: s.account, Peer: p.Payer}
	if err := s.bot.Deliver(r.Context(), event.Delivery{To: to, Name: "shop/paid", ID: p.ID, Data: p}); err != nil {
		s.log.Error("a payment could not be delivered", "id", p.ID, "err", err)
		w.Header().Set("Retry-After", "10")
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

// bots is the bot of the world's incarnation.
type bots struct{ w *bottest.World }

func (b bots) Deliver(ctx context.Context, d event.Delivery) error { return b.w.Bot().Deliver(ctx, d) }

// The shop of the page thanks once for each payment, however often it is told; and who does not know the secret costs no turn.
func TestShop(t *testing.T) {
	t.Parallel()
	s := &cashdesk{account: "bot", secret: []byte("shared with the payment service"), log: slog.New(slog.DiscardHandler)}
	hello := bot.On("hello", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, _ event.Message) error { return t.Reply("hello") })
	bottest.Run(t, bottest.Config{Routes: append(s.Routes(), hello)}, func(w *bottest.World) {
		s.bot = bots{w}
		client, ana := w.HTTP(s), w.Person("ana")
		tell := func(p received, secret []byte) int {
			t.Helper()
			body, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			sum := hmac.New(sha256.New, secret)
			_, _ = sum.Write(body)
			r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, "http://shop.example/paid", bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("X-Signature", hex.EncodeToString(sum.Sum(nil)))
			answer, err := client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
			return answer.StatusCode
		}
		ana.Says("hi")
		ana.Expects("hello")
		for i := range 1000 {
			if status := tell(received{fmt.Sprint("forged-", i), ana.ID(), "28"}, []byte("a guess")); status != http.StatusForbidden {
				t.Fatalf("a forged call got %d", status)
			}
		}
		w.Inspect(func(d inspect.Inspector) {
			if rows, err := d.Events(context.Background(), record.EventQuery{Account: "bot", Source: event.Deliveries, Limit: 10}); err != nil || len(rows) != 0 {
				t.Errorf("forged calls have left %d events, %v", len(rows), err)
			}
		})
		for range 3 {
			if status := tell(received{"4711", ana.ID(), "28"}, s.secret); status != http.StatusOK {
				t.Errorf("a payment got %d", status)
			}
		}
		ana.Expects("Thank you: 28 has arrived.")
		ana.ExpectsNothing(time.Minute)
	})
}
