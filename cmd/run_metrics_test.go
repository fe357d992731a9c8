package cmd

import (
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/platform/emulator"
)

func TestRunWithMetrics(t *testing.T) {
	p := emulator.New(emulator.Config{})
	p.AddAccount(emulator.Person{Username: "shop"}, "shop@social.example", hunter2)
	server := httptest.NewServer(p)
	defer server.Close()
	log, end := running(t, server.URL+"/mobile_api", "NECTAR_METRICS=127.0.0.1:0")
	log.Await(t, "metrics are served")
	log.Await(t, "the bot is at work")
	address := regexp.MustCompile(`address=(\S+)`).FindStringSubmatch(log.String())
	if len(address) != 2 {
		t.Fatalf("it does not say where:\n%s", log)
	}
	if want, got := `nectar_session_state{account="main",state="active"} 1`, fetched(t, address[1]); !strings.Contains(got, want) {
		t.Errorf("there is no %s in\n%s", want, got)
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		if got := fetched(t, strings.Replace(address[1], "/metrics", path, 1)); got != "ok\n" {
			t.Errorf("%s: %q", path, got)
		}
	}
	if status := end(); status != 0 {
		t.Errorf("status %d\n%s", status, log)
	}
}

// fetched returns what is served at an address.
func fetched(t *testing.T, address string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Error(err)
	}
	if err := answer.Body.Close(); err != nil {
		t.Error(err)
	}
	return string(body)
}

func TestRunWithMetricsThatCannotBeServed(t *testing.T) {
	taken := httptest.NewServer(http.NotFoundHandler())
	defer taken.Close()
	address := taken.Listener.Addr().String()
	log, end := running(t, taken.URL+"/mobile_api", "NECTAR_METRICS="+address)
	log.Await(t, "NECTAR_METRICS: listen tcp "+address)
	log.Await(t, "name another port, or leave it unset")
	if status := end(); status != cli.ExitFailed {
		t.Errorf("status %d\n%s", status, log)
	}
}
