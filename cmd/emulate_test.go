package cmd

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/platform"
)

// emulating runs "nectar emulate" with args on a free port. It returns what the command prints, as it
// prints it, and end, which interrupts it and returns its result.
func emulating(t *testing.T, args ...string) (stdout *bufio.Reader, end func() result) {
	t.Helper()
	ctx, interrupt := context.WithTimeout(t.Context(), time.Minute)
	var stderr strings.Builder
	r, w := io.Pipe()
	done := make(chan int, 1)
	go func() {
		args := append([]string{"emulate", "--addr", "127.0.0.1:0"}, args...)
		done <- execute(ctx, cli.Shell{Args: args, Stdin: strings.NewReader(""), Stdout: w, Stderr: &stderr})
		_ = w.Close()
	}()
	stdout = bufio.NewReader(r)
	return stdout, func() result {
		interrupt()
		rest, err := io.ReadAll(stdout)
		if err != nil {
			t.Error(err)
		}
		return result{<-done, string(rest), stderr.String()}
	}
}

// signedIn signs in as the bot would and returns the client.
func signedIn(t *testing.T, base, email, password string) *platform.Client {
	t.Helper()
	transport := platform.NewTransport()
	t.Cleanup(transport.CloseIdleConnections)
	client, err := platform.New(platform.Config{BaseURL: base, Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	in, err := client.Login(t.Context(), platform.LoginParams{Email: email, Password: platform.Secret(password)})
	if err != nil {
		t.Fatal(err)
	}
	return client.WithSession(fixedSession{in.SessionID})
}

// fixedSession is a session that is never renewed.
type fixedSession struct{ id platform.Secret }

func (s fixedSession) SessionID(context.Context) (platform.Secret, error) { return s.id, nil }

func (s fixedSession) Rejected(context.Context, platform.Secret, *platform.Refused) (bool, error) {
	return false, nil
}

// setting returns the value of a printed line "NAME=value".
func setting(t *testing.T, stdout *bufio.Reader, name string) string {
	t.Helper()
	line, err := stdout.ReadString('\n')
	value, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), name+"=")
	if err != nil || !ok {
		t.Fatalf("printed %q, want %s=…: %v", line, name, err)
	}
	return value
}

func TestEmulate(t *testing.T) {
	stdout, end := emulating(t, "--transcript", "--people", "2", "--messages", "4", "--pause", "0s", "--password", hunter2)
	base, email := setting(t, stdout, "NECTAR_BASE_URL"), setting(t, stdout, "NECTAR_EMAIL")
	client := signedIn(t, base, email, hunter2)
	var chats []platform.Chat
	for len(chats) < 2 { // each of the two people has written by the time the last line is there
		line, err := stdout.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(line, hunter2) {
			t.Errorf("printed %q", line)
		}
		if chats, err = client.Chats(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := client.SendMessage(t.Context(), platform.SendMessageParams{To: chats[0].Peer, Text: "good evening"}); err != nil {
		t.Fatal(err)
	}
	got := end()
	if got.status != 0 || got.stderr != "" {
		t.Errorf("status %d: %s", got.status, got.stderr)
	}
	if !strings.Contains(got.stdout, ": good evening\n") {
		t.Errorf("the transcript ends with %q", got.stdout)
	}
}

func TestEmulateForMachines(t *testing.T) {
	stdout, end := emulating(t, "--json", "--people", "0")
	var printed struct {
		BaseURL string `json:"base_url"`
		Email   string
	}
	if err := json.NewDecoder(stdout).Decode(&printed); err != nil {
		t.Fatal(err)
	}
	signedIn(t, printed.BaseURL, printed.Email, "emulated")
	if got := end(); got.status != 0 || got.stderr != "" {
		t.Errorf("status %d: %s", got.status, got.stderr)
	}
}

func TestEmulateEndsBeforeAnybodySignsIn(t *testing.T) {
	stdout, end := emulating(t)
	setting(t, stdout, "NECTAR_BASE_URL")
	if got := end(); got.status != 0 || got.stderr != "" {
		t.Errorf("status %d: %s", got.status, got.stderr)
	}
}

func TestEmulateOnATakenPort(t *testing.T) {
	var lc net.ListenConfig
	taken, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	got := nectar(t, "emulate", "--addr", taken.Addr().String())
	if got.status != 1 || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 || !strings.Contains(got.stderr, taken.Addr().String()) {
		t.Errorf("status %d, printed %q: %s", got.status, got.stdout, got.stderr)
	}
}
