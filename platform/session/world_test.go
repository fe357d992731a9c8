package session_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/session"
	"go.uber.org/goleak"
)

const (
	email    = "shop@example.org"
	password = platform.Secret("correct-horse-battery")
	social   = platform.Secret("social-proof-of-identity")
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a platform with one account, seen through a barrier.
type world struct {
	*testing.T
	people  *emulator.Platform
	account platform.UserID
	peer    platform.UserID
	barrier *barrier
	client  *platform.Client
	keeper  *keeper
	logged  *logged
}

// logged is what brokers have logged.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String returns what was logged so far.
func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// inWorld runs a test in a bubble of its own. At its end no secret may have been printed.
func inWorld(t *testing.T, cfg emulator.Config, test func(*world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		// The client reads numbers before September 2001 as no time; bubbles begin in 2000.
		time.Sleep(10 * 365 * 24 * time.Hour)
		people := emulator.New(cfg)
		w := &world{T: t, people: people, keeper: &keeper{}, logged: &logged{}}
		w.account = people.AddAccount(emulator.Person{Username: "shop"}, email, password)
		w.peer = people.AddPerson(emulator.Person{Username: "ana", RefuseMessages: true})
		w.barrier = &barrier{next: people, calls: map[string]int{}, hooks: map[string][]hook{}, secrets: map[string]bool{
			password.Reveal(): true, social.Reveal(): true,
		}}
		pipe := emulator.NewPipe(w.barrier)
		client, err := platform.New(platform.Config{BaseURL: pipe.BaseURL(), Transport: pipe.Transport()})
		if err != nil {
			t.Fatal(err)
		}
		w.client = client
		test(w)
		if err := pipe.Close(); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		for secret := range w.barrier.seen() {
			if strings.Contains(w.logged.String(), secret) {
				t.Errorf("the log shows %q:\n%s", secret, w.logged)
			}
		}
	})
}

// broker returns a broker of the account, changed by the options.
func (w *world) broker(options ...func(*session.Config)) *session.Broker {
	cfg := session.Config{
		Account:     "shop",
		Client:      w.client,
		Credentials: session.Credentials{Email: email, Password: password},
		Keeper:      w.keeper,
		Log:         slog.New(slog.NewJSONHandler(w.logged, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, o := range options {
		o(&cfg)
	}
	return session.New(cfg)
}

// chats makes a protected call.
func (w *world) chats(b *session.Broker) error {
	_, err := w.client.WithSession(b).Chats(w.Context())
	w.printsNoSecret(err)
	return err
}

// must makes a protected call that has to succeed.
func (w *world) must(b *session.Broker) {
	w.Helper()
	if err := w.chats(b); err != nil {
		w.Fatal(err)
	}
}

// refusedMessage makes a call that the platform refuses with code 400 for a reason of its own.
func (w *world) refusedMessage(b *session.Broker) error {
	_, err := w.client.WithSession(b).SendMessage(w.Context(), platform.SendMessageParams{To: w.peer, Text: "hi"})
	return err
}

func (w *world) printsNoSecret(err error) {
	w.Helper()
	for secret := range w.barrier.seen() {
		if err != nil && strings.Contains(err.Error(), secret) {
			w.Errorf("the error shows %q: %v", secret, err)
		}
	}
}

// expect compares the number of sign-ins and refreshes that reached the platform so far.
func (w *world) expect(logins, refreshes int) {
	w.Helper()
	if l, r := w.barrier.count("login"), w.barrier.count("refresh_access_token"); l != logins || r != refreshes {
		w.Errorf("%d sign-ins and %d refreshes, want %d and %d", l, r, logins, refreshes)
	}
}

func (w *world) paused(err error) *session.PausedError {
	w.Helper()
	paused := (*session.PausedError)(nil)
	if !errors.As(err, &paused) {
		w.Fatalf("got %v, want a PausedError", err)
	}
	if !paused.Until.After(time.Now()) {
		w.Errorf("paused until %v, which is over", paused.Until)
	}
	return paused
}

func (w *world) phase(b *session.Broker, want session.Phase) {
	w.Helper()
	if got := b.State(); got.Phase != want {
		w.Errorf("the broker is %v (%+v), want %v", got.Phase, got, want)
	}
}

// hook answers a call, or lets next do it.
type hook func(w http.ResponseWriter, r *http.Request, next http.Handler)

// lose lets the platform handle the call and cuts the connection before the answer.
func lose(_ http.ResponseWriter, r *http.Request, next http.Handler) {
	next.ServeHTTP(httptest.NewRecorder(), r)
	panic(http.ErrAbortHandler)
}

// fail answers like a web server whose application is down.
func fail(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
	w.WriteHeader(http.StatusBadGateway)
	_, _ = io.WriteString(w, "<html>Bad Gateway</html>")
}

// answer answers with an envelope.
func answer(body string) hook {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { _, _ = io.WriteString(w, body) }
}

// late lets the platform answer after a second.
func late(w http.ResponseWriter, r *http.Request, next http.Handler) {
	time.Sleep(time.Second)
	next.ServeHTTP(w, r)
}

// hang answers nothing until the caller gives up.
func hang(_ http.ResponseWriter, r *http.Request, _ http.Handler) { <-r.Context().Done() }

// barrier stands before the platform: it counts calls, disturbs them, and notes the secrets that pass.
type barrier struct {
	next http.Handler

	mu      sync.Mutex
	calls   map[string]int
	hooks   map[string][]hook // for the next calls of an endpoint; the last one stays
	secrets map[string]bool
}

func (g *barrier) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	endpoint := path.Base(r.URL.Path)
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	form, _ := url.ParseQuery(string(body))
	g.mu.Lock()
	g.calls[endpoint]++
	for _, values := range []url.Values{form, r.URL.Query()} {
		for _, key := range []string{"session_id", "refresh_token", "password", "access_token"} {
			if v := values.Get(key); v != "" {
				g.secrets[v] = true
			}
		}
	}
	var h hook
	if waiting := g.hooks[endpoint]; len(waiting) > 0 {
		h = waiting[0]
		if len(waiting) > 1 {
			g.hooks[endpoint] = waiting[1:]
		}
	}
	g.mu.Unlock()
	if h == nil {
		g.next.ServeHTTP(w, r)
		return
	}
	h(w, r, g.next)
}

// disturb lets hooks answer the next calls of an endpoint, the last one all that follow; nil is the platform itself.
func (g *barrier) disturb(endpoint string, hooks ...hook) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.hooks[endpoint] = hooks
}

func (g *barrier) count(endpoint string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.calls[endpoint]
}

func (g *barrier) seen() map[string]bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return maps.Clone(g.secrets)
}

// keeper keeps a session in memory, unless its disk is full.
type keeper struct {
	mu    sync.Mutex
	kept  session.Kept
	saves int
	err   error
}

var errDisk = errors.New("no space left on device")

func (k *keeper) LoadSession(context.Context) (session.Kept, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.kept, k.err
}

func (k *keeper) SaveSession(_ context.Context, s session.Kept) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.saves++
	if k.err != nil {
		return k.err
	}
	k.kept = s
	return nil
}

func (k *keeper) set(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.err = err
}

func (k *keeper) now() (session.Kept, int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.kept, k.saves
}
