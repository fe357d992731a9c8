package metrics_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/script"
	"github.com/nectar-bot/nectar/platform/session"
	"github.com/nectar-bot/nectar/plugins/metrics"
	"go.uber.org/fx"
)

const hunter2 = platform.Secret("hunter2")

// application is a bot with metrics on p. It tells of its first poll.
func application(t *testing.T, p *emulator.Platform, cfg metrics.Config, options ...fx.Option) (app *fx.App, polled <-chan struct{}) {
	t.Helper()
	p.AddAccount(emulator.Person{Username: "shop"}, "shop@social.example", hunter2)
	server := httptest.NewServer(p)
	transport := platform.NewTransport()
	st, err := bot.OpenStore(t.Context(), bot.StoreOptions{Path: filepath.Join(t.TempDir(), "nectar.db"), Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		server.Close()
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	first := make(chan struct{}, 1)
	settings := bot.Config{
		Accounts: []bot.Account{{
			Name: "main", BaseURL: server.URL + "/mobile_api",
			Credentials: session.Credentials{Email: "shop@social.example", Password: hunter2},
		}},
		PollInterval: 50 * time.Millisecond, Transport: transport, Budget: bot.NewBudget(1000),
		Observe: func(event.Account, event.PollResult, error) {
			select {
			case first <- struct{}{}:
			default:
			}
		},
	}
	echo := bot.On("echo", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error { return t.Reply(m.Text) })
	return fx.New(fx.NopLogger, fx.Supply(settings, cfg), fx.Provide(func() bot.Store { return st }),
		bot.Module, bot.Routes(echo), metrics.Module, fx.Options(options...)), first
}

func get(t *testing.T, addr net.Addr) string {
	t.Helper()
	status, body := ask(t, addr, "/metrics")
	if status != http.StatusOK {
		t.Fatalf("status %d", status)
	}
	return body
}

// ask asks the server, and returns the status and the answer.
func ask(t *testing.T, addr net.Addr, path string) (status int, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+addr.String()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	answer, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	all, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(all)
}

// A program with its own main has the address from its variables, as nectar run has; what it supplies itself wins.
func TestAddressOfTheVariables(t *testing.T) {
	for name, c := range map[string]struct {
		own  metrics.Config
		vars config.Config
		on   bool
	}{
		"variables": {vars: config.Config{Metrics: "127.0.0.1:0", MetricsHosts: []string{"metrics.example"}}, on: true},
		"its own":   {own: metrics.Config{Addr: "127.0.0.1:0"}, vars: config.Config{Metrics: "192.0.2.1:1"}, on: true},
		"neither":   {},
	} {
		t.Run(name, func(t *testing.T) {
			var server *metrics.Server
			app, polled := application(t, emulator.New(emulator.Config{}), c.own, fx.Supply(c.vars), fx.Populate(&server))
			if err := app.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			<-polled
			if on := server.Addr() != nil; on != c.on {
				t.Errorf("served: %v", on)
			}
			if c.on && !strings.Contains(get(t, server.Addr()), "go_goroutines ") {
				t.Error("nothing is told there")
			}
			if err := app.Stop(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// What Prometheus reads says what the bot did, and to nobody's name.
func TestMetrics(t *testing.T) {
	p := emulator.New(emulator.Config{})
	var server *metrics.Server
	app, polled := application(t, p, metrics.Config{Addr: "127.0.0.1:0"}, fx.Populate(&server))
	if err := app.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-polled
	ana := script.Actor("ana")
	if err := script.Play(t.Context(), p, script.Script{Account: p.UserID("shop"), Steps: []script.Step{
		ana.Says("hi"), ana.Expects("hi"), ana.Says("bye"), ana.Expects("bye"), // once it is answered, the first is counted
	}}); err != nil {
		t.Fatal(err)
	}
	body := get(t, server.Addr())
	for _, want := range []string{
		`nectar_polls_total{account="main",result="good",source="message"} `,
		`nectar_polls_total{account="main",result="failed",source="notif"} 0`,
		`nectar_source_unhealthy{account="main",source="mention"} 0`, `nectar_cursors_set_back_total{account="main",source="notif"} 0`,
		`nectar_list_chats{account="main"} 1`, `nectar_list_limit_share{account="main"} `, `nectar_list_deadline_share{account="main"} `,
		`nectar_list_cut{account="main"} 0`,
		`nectar_source_last_good_timestamp_seconds{account="main",source="message"} 1`,
		`nectar_events_total{account="main",kind="message",outcome="handled"} 2`,
		`nectar_actions_total{account="main",state="done",verb="message"} `,
		`nectar_actions_in_doubt{account="main"} 0`, `nectar_actions_held{account="main"} 0`, `nectar_actions_due{account="main"} `, `nectar_actions_due_oldest_seconds{account="main"} `, `nectar_people_waiting{account="main"} 0`, `nectar_quarantined{account="main"} 0`,
		`nectar_session_state{account="main",state="active"} 1`, `nectar_session_state{account="main",state="parked"} 0`,
		`nectar_lanes_busy `, `nectar_events_waiting `, `nectar_handlers_abandoned_total 0`, `nectar_store_faults_total 0`,
		`nectar_host_rate{host="127.0.0.1:`, `nectar_host_share{host="127.0.0.1:`, `nectar_host_requests_total{class="acts",host="127.0.0.1:`,
		`nectar_host_requests_total{class="polls",host="127.0.0.1:`, `nectar_host_requests_waiting{host="127.0.0.1:`, `nectar_host_polls_delayed_total{host="127.0.0.1:`,
		`go_goroutines `,
	} {
		if !strings.Contains(body, "\n"+want) {
			t.Errorf("there is no %q in\n%s", want, body)
		}
	}
	for _, private := range []string{"ana", "shop", hunter2.Reveal()} {
		if strings.Contains(body, `"`+private+`"`) {
			t.Errorf("it tells %q:\n%s", private, body)
		}
	}
	if err := app.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

// Stop has nothing to end before Start.
func TestStopWithoutStart(t *testing.T) {
	t.Parallel()
	if err := metrics.New(metrics.Config{}, nil, nil).Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestOffByDefault(t *testing.T) {
	var server *metrics.Server
	app, polled := application(t, emulator.New(emulator.Config{}), metrics.Config{}, fx.Populate(&server))
	if err := app.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-polled
	if server.Addr() != nil {
		t.Errorf("it serves at %v", server.Addr())
	}
	if err := app.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

// Without a host only this machine is served. An address that cannot be had keeps the application from
// starting.
func TestAddresses(t *testing.T) {
	s := metrics.New(metrics.Config{Addr: ":0"}, nil, nil)
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	taken := s.Addr().String()
	if !strings.HasPrefix(taken, "127.0.0.1:") {
		t.Errorf("it serves at %s", taken)
	}
	for addr, want := range map[string]string{taken: "serve metrics: listen tcp " + taken, "nowhere": "metrics.Config.Addr: it is not a host and a port: missing port in address"} {
		app, _ := application(t, emulator.New(emulator.Config{}), metrics.Config{Addr: addr})
		if err := app.Start(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("it starts at %q, or says %v", addr, err)
		}
		if err := app.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

// Only who asks for a name of its own is answered: a web page whose name points here is not (DNS rebinding).
func TestHosts(t *testing.T) {
	t.Parallel()
	p := emulator.New(emulator.Config{})
	for _, c := range []struct {
		addr            string
		hosts           []string
		served, refused []string
	}{
		{
			addr: "127.0.0.1:0", served: []string{"", "localhost", "LOCALHOST.:80", "127.0.0.1:1", "127.9.9.9", "[::1]:9464", "[::1]"},
			refused: []string{"evil.example", "evil.example:9464", "10.0.0.5:9464", "localhost.evil.example", "127.0.0.1.evil.example", "0.0.0.0"},
		},
		{
			addr: "localhost:0", hosts: []string{"nectar.example.org", "Metrics:9464"},
			served:  []string{"", "nectar.example.org:9464", "NECTAR.example.org", "metrics", "metrics:1", "localhost:9464"},
			refused: []string{"example.org", "evil.example"},
		},
		{
			addr: "0.0.0.0:0", served: []string{"10.0.0.5:9464", "[2001:db8::1]:9464", "0.0.0.0", "localhost", "127.0.0.1"},
			refused: []string{"evil.example", "evil.example:9464"},
		},
	} {
		var server *metrics.Server
		app, _ := application(t, p, metrics.Config{Addr: c.addr, Hosts: c.hosts}, fx.Populate(&server))
		if err := app.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		for want, hosts := range map[int][]string{http.StatusOK: c.served, http.StatusMisdirectedRequest: c.refused} {
			for _, host := range hosts {
				if got := statusFor(t, server.Addr(), host); got != want {
					t.Errorf("at %s, asked for %q: status %d, want %d", c.addr, host, got, want)
				}
			}
		}
		if err := app.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// statusFor asks for the metrics under the name of host; that of the address for "".
func statusFor(t *testing.T, addr net.Addr, host string) int {
	t.Helper()
	_, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:"+port+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = host
	answer, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	return answer.StatusCode
}

// What somebody took for an address is not repeated: there may be a password in it.
func TestAddressesWithCredentials(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{"http://bot:hunter2@127.0.0.1:9464", "hunter2@127.0.0.1:9464", "bot:hunter2@127.0.0.1:9464", "http://hunter2"} {
		if err := metrics.New(metrics.Config{Addr: addr}, nil, nil).Start(t.Context()); err == nil || strings.Contains(err.Error(), hunter2.Reveal()) {
			t.Errorf("at %q: %v", addr, err)
		}
	}
}

// Whoever looks after processes hears that this one lives, and whether it is at work; if not, why.
func TestHealth(t *testing.T) {
	p := emulator.New(emulator.Config{})
	var server *metrics.Server
	var trouble error
	app, polled := application(t, p, metrics.Config{Addr: "127.0.0.1:0", Ready: func() error { return trouble }}, fx.Populate(&server))
	if err := app.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-polled
	expect := func(path string, wantStatus int, want string) {
		t.Helper()
		if status, body := ask(t, server.Addr(), path); status != wantStatus || body != want {
			t.Errorf("%s: %d %q, want %d %q", path, status, body, wantStatus, want)
		}
	}
	expect("/healthz", http.StatusOK, "ok\n")
	expect("/readyz", http.StatusOK, "ok\n")
	trouble = errors.New("the store cannot write")
	expect("/readyz", http.StatusServiceUnavailable, "the store cannot write\n")
	expect("/healthz", http.StatusOK, "ok\n")
	if err := app.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}
