package metrics_test

import (
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/bottest/stored"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/session"
	"github.com/nectar-bot/nectar/plugins/metrics"
	"go.uber.org/fx"
)

// Of very many accounts the sum is told, and by name those alone that a person should look at.
func TestMetricsOfManyAccounts(t *testing.T) {
	effort.Shared(t)
	const many = 501
	p := emulator.New(emulator.Config{})
	server := httptest.NewServer(p)
	defer server.Close()
	transport := platform.NewTransport()
	defer transport.CloseIdleConnections()
	st, err := bot.OpenStore(t.Context(), bot.StoreOptions{Path: filepath.Join(t.TempDir(), "nectar.db"), Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	}()
	settings := bot.Config{Transport: transport, PollInterval: time.Hour}
	for i := range many {
		name := fmt.Sprintf("shop%03d", i)
		mail := name + "@social.example"
		p.AddAccount(emulator.Person{Username: name}, mail, hunter2)
		settings.Accounts = append(settings.Accounts, bot.Account{
			Name: event.Account(name), BaseURL: server.URL + "/mobile_api", Credentials: session.Credentials{Email: mail, Password: hunter2},
		})
	}
	hold(t, st, "shop007", 3)
	hold(t, st, "shop123", 1)
	var addr *metrics.Server
	app := fx.New(fx.NopLogger, fx.Supply(settings, metrics.Config{Addr: "127.0.0.1:0"}), fx.Provide(func() bot.Store { return st }),
		bot.Module, metrics.Module, fx.Populate(&addr))
	if err := app.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := app.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	body := ""
	for !strings.Contains(body, fmt.Sprintf(`nectar_session_state{account="(all)",state="active"} %d`, many)) ||
		!strings.Contains(body, fmt.Sprintf(`nectar_polls_total{account="(all)",result="good",source="notif"} %d`, many)) {
		if t.Context().Err() != nil {
			t.Fatalf("not all are at work:\n%s", body)
		}
		body = get(t, addr.Addr())
	}
	for _, want := range []string{
		`nectar_actions_held{account="(all)"} 4`, `nectar_actions_held{account="shop007"} 3`, `nectar_actions_held{account="shop123"} 1`,
		`nectar_session_state{account="shop007",state="active"} 1`, `nectar_source_unhealthy{account="(all)",source="message"} 0`,
		`nectar_source_unhealthy{account="shop123",source="message"} 0`, `nectar_account_stopped{account="(all)"} 0`,
		`nectar_source_last_good_timestamp_seconds{account="(all)",source="notif"} 1`,
	} {
		if !strings.Contains(body, "\n"+want) {
			t.Errorf("there is no %q", want)
		}
	}
	if strings.Contains(body, `"shop001"`) || strings.Contains(body, `nectar_polls_total{account="shop`) || strings.Contains(body, `nectar_events_total{account="shop`) {
		t.Errorf("accounts are named of which there is nothing to say, or counts that are told together:\n%s", body)
	}
	if n := strings.Count(body, "\nnectar_"); n > 120 {
		t.Errorf("%d series", n)
	}
	// Nor while the store cannot be read.
	if err := st.Close(); err != nil {
		t.Error(err)
	}
	if body = get(t, addr.Addr()); strings.Contains(body, `"shop001"`) || !strings.Contains(body, `nectar_source_unhealthy{account="(all)",source="message"} 0`) {
		t.Errorf("without the store:\n%.2000s", body)
	}
}

// hold stores so many actions that wait for a person.
func hold(t *testing.T, st bot.Store, account event.Account, n int) {
	t.Helper()
	now := time.Now()
	e := event.Event{Account: account, ID: event.ID{Source: event.Messages, Number: 1}, Kind: event.KindMessage, Peer: 900_001, Text: "hi", SeenAt: now, NotBefore: now}
	turn := &stored.Turn{Trigger: event.Trigger{Kind: event.ByEvent, Key: e.Key(), Event: e}, At: now, Record: event.DecisionRecord{Outcome: bot.OutcomeHandled}}
	for i := range n {
		turn.Actions = append(turn.Actions, record.Action{Action: event.Action{
			Key: fmt.Sprintf("message:1/test/%d", i), Account: account, Peer: e.Peer, Verb: event.VerbMessage, Text: "hello", State: event.StateHeld,
			Position: int64(i + 1), DecidedAt: now, EndedAt: now, Reason: "needs approval",
		}})
	}
	done := make(chan error, 1)
	stored.Commit(st, stored.Write{Turn: turn, Done: func(err error) { done <- err }})
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}
