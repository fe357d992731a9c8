package autoresponder_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
)

// waiting is a memory with notices that wait.
type waiting struct {
	mu      sync.Mutex
	waiting []event.Notice
	broken  bool // it does not note what was sent
	rules   string

	calls
}

func (d *waiting) SaveRules(_ context.Context, r record.Rules) error { d.rules = r.Content; return nil }

func (d *waiting) RulesInForce(context.Context, event.Account) (record.InForce, bool, error) {
	return record.InForce{Content: d.rules}, d.rules != "", nil
}

func (d *waiting) FlowStates(context.Context, ...event.Account) ([]conversation.Count, error) {
	return nil, nil
}

func (d *waiting) Unsent(_ context.Context, limit int) ([]event.Notice, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.waiting[:min(limit, len(d.waiting))]), nil
}

func (d *waiting) leave(n int, who, text string, private bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for range n {
		d.waiting = append(d.waiting, event.Notice{
			Account: "bot", ID: fmt.Sprint("message:", len(d.waiting), "/rules/0"), Who: who, Text: text, Private: private, At: time.Now(),
		})
	}
}

func (d *waiting) breaks(broken bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.broken = broken
}

func (d *waiting) left() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.waiting)
}

// network answers what is sent to webhooks.
type network struct {
	mu     sync.Mutex
	got    map[string]int // by host and text
	answer func(r *http.Request) (*http.Response, error)
}

func (n *network) RoundTrip(r *http.Request) (*http.Response, error) {
	var m struct{ Text string }
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
		return nil, err
	}
	n.mu.Lock()
	n.got[r.URL.Host+" "+m.Text]++
	n.mu.Unlock()
	if n.answer != nil {
		return n.answer(r)
	}
	return answered(http.StatusOK, ""), nil
}

// take returns what came so far, and forgets it.
func (n *network) take() map[string]int {
	n.mu.Lock()
	defer n.mu.Unlock()
	got := maps.Clone(n.got)
	clear(n.got)
	return got
}

func answered(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Status: fmt.Sprint(status), Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
}

// inOffice runs a plugin whose teams have webhooks, for a while.
func inOffice(t *testing.T, answer func(r *http.Request) (*http.Response, error), test func(d *waiting, pass func(time.Duration), n *network, log *strings.Builder)) {
	t.Helper()
	who := "  sales: { webhook: \"https://hooks.example.org/sales?key=s3cret\" }\n  team: { webhook: \"https://team.example.org/\" }\n" +
		"  away: { webhook: \"https://elsewhere.example/\" }\n"
	inOfficeOf(t, who, []string{"hooks.example.org", "team.example.org"}, answer, test)
}

// inOfficeOf is inOffice with teams of one's own, and the hosts that their webhooks may reach.
func inOfficeOf(t *testing.T, who string, hosts []string, answer func(r *http.Request) (*http.Response, error), test func(d *waiting, pass func(time.Duration), n *network, log *strings.Builder)) {
	t.Helper()
	dir := folderOf(t, "10-a.yaml", answering("one", "first"), "settings.yaml", "version: 1\nwho:\n  quiet: {}\n"+who)
	synctest.Test(t, func(t *testing.T) {
		d, n, log := &waiting{}, &network{got: map[string]int{}, answer: answer}, &strings.Builder{}
		p, err := autoresponder.New(autoresponder.Config{
			Path: dir, WebhookHosts: hosts, Transport: n, Log: slog.New(slog.NewTextHandler(log, nil)),
		}, d)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Start(context.Background()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		test(d, func(pass time.Duration) { time.Sleep(pass); synctest.Wait() }, n, log)
		if err := p.Stop(context.Background()); err != nil {
			t.Fatal(err)
		}
	})
}

// awayGivenUp is what others are told of a team whose host is not allowed.
const awayGivenUp = "The team away could not be called at https://elsewhere.example/… for 24 hours (the host elsewhere.example is not in NECTAR_WEBHOOK_HOSTS): notices for it are given up there"

// A notice is told once: to the webhook as a whole, to the log without what is private.
func TestNotices(t *testing.T) {
	t.Parallel()
	inOffice(t, nil, func(d *waiting, pass func(time.Duration), n *network, log *strings.Builder) {
		d.leave(1, "sales", "call ana@example.org", true)
		d.leave(1, "quiet", "look", false)
		d.breaks(true)
		pass(time.Minute)
		d.breaks(false)
		pass(time.Minute)
		if diff := cmp.Diff(map[string]int{"hooks.example.org call ana@example.org": 1}, n.take()); diff != "" || d.left() > 0 {
			t.Errorf("%d wait; (-want +got)\n%s", d.left(), diff)
		}
		for what, want := range map[string]int{"ana@example.org": 0, "(private)": 1, "text=look": 1, "s3cret": 0} {
			if got := strings.Count(log.String(), what); got != want {
				t.Errorf("the log has %q %d times, want %d:\n%s", what, got, want, log)
			}
		}
	})
}

// What concerns everybody goes to each webhook that may get it, once, and waits for none of them.
func TestNoticeForEverybody(t *testing.T) {
	if testing.Short() {
		t.Skip("a day of seconds takes long")
	}
	t.Parallel()
	var works atomic.Bool
	inOffice(t, func(r *http.Request) (*http.Response, error) {
		if !works.Load() && r.URL.Host == "team.example.org" {
			return answered(http.StatusBadGateway, ""), nil
		}
		return answered(http.StatusNoContent, ""), nil
	}, func(d *waiting, pass func(time.Duration), n *network, log *strings.Builder) {
		d.leave(1, event.Everybody, "look", false)
		pass(time.Minute)
		if got := n.take(); got["hooks.example.org look"] != 1 || d.left() != 1 {
			t.Errorf("%d wait, and got %v", d.left(), got)
		}
		works.Store(true)
		pass(25 * time.Hour) // until the webhook that is not allowed is given up
		if diff := cmp.Diff(map[string]int{"team.example.org look": 1, "team.example.org " + awayGivenUp: 1, "hooks.example.org " + awayGivenUp: 1}, n.take()); diff != "" || d.left() > 0 {
			t.Errorf("%d wait; (-want +got)\n%s", d.left(), diff)
		}
		if got := strings.Count(log.String(), "msg=notice who=* about=\"\""); got != 1 {
			t.Errorf("the log tells it %d times:\n%s", got, log)
		}
	})
}

// A webhook that does not work keeps nobody from the notices of others, and gets its own later.
func TestWebhookOutOfOrder(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]func(r *http.Request) (*http.Response, error){
		"refuses": func(*http.Request) (*http.Response, error) { return answered(http.StatusInternalServerError, ""), nil },
		"hangs":   func(r *http.Request) (*http.Response, error) { <-r.Context().Done(); return nil, r.Context().Err() },
		"fails":   func(*http.Request) (*http.Response, error) { return nil, errors.New("no route to host") },
		"a flood": func(*http.Request) (*http.Response, error) {
			return answered(http.StatusBadGateway, strings.Repeat("no", 1<<20)), nil
		},
		"leads on": func(*http.Request) (*http.Response, error) {
			r := answered(http.StatusFound, "")
			r.Header.Set("Location", "https://team.example.org/other")
			return r, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			var works atomic.Bool
			inOffice(t, func(r *http.Request) (*http.Response, error) {
				if !works.Load() && r.URL.Host == "hooks.example.org" {
					return broken(r)
				}
				return answered(http.StatusNoContent, ""), nil
			}, func(d *waiting, pass func(time.Duration), n *network, log *strings.Builder) {
				d.leave(250, "sales", "a lead", false)
				d.leave(1, "team", "look", false)
				pass(time.Minute)
				got := n.take()
				if got["team.example.org look"] != 1 || d.left() != 250 {
					t.Errorf("%d wait, and got %v", d.left(), got)
				}
				if tries := got["hooks.example.org a lead"]; tries > 10 {
					t.Errorf("the webhook was tried %d times in a minute", tries)
				}
				works.Store(true)
				pass(20 * time.Minute)
				if diff := cmp.Diff(map[string]int{"hooks.example.org a lead": 250}, n.take()); diff != "" || d.left() > 0 {
					t.Errorf("%d wait; (-want +got)\n%s", d.left(), diff)
				}
				if strings.Contains(log.String(), "s3cret") {
					t.Errorf("the log has the address:\n%s", log)
				}
			})
		})
	}
}

// No rule file reaches a host that is not allowed; what is for it is given up after a day.
func TestWebhookNotAllowed(t *testing.T) {
	t.Parallel()
	inOffice(t, nil, func(d *waiting, pass func(time.Duration), n *network, log *strings.Builder) {
		d.leave(1, "away", "look", false)
		left, wait := 0, 25*time.Hour
		if testing.Short() { // a day of seconds takes long
			left, wait = 1, time.Minute
		}
		pass(wait)
		got := n.take()
		delete(got, "team.example.org "+awayGivenUp)
		delete(got, "hooks.example.org "+awayGivenUp)
		if len(got) > 0 || d.left() != left {
			t.Errorf("%d wait, and got %v", d.left(), got)
		}
		if !strings.Contains(log.String(), "NECTAR_WEBHOOK_HOSTS") {
			t.Errorf("the log does not say why:\n%s", log)
		}
	})
}

// A host stands for the port that its address has without one; others are named.
func TestWebhookPorts(t *testing.T) {
	t.Parallel()
	var who strings.Builder
	hooks := map[string]bool{
		"https://hooks.example.org/": true, "https://hooks.example.org:443/": true, "https://HOOKS.example.org/": true, "https://hooks.example.org:8443/": false,
		"https://hooks.example.org:80/": false, "https://hooks.example.org:22/": false, "https://chat.example.org:8443/": true, "https://chat.example.org/": false,
		"https://plain.example.org/": true, "http://localhost/": true, "http://localhost:80/": true, "http://localhost:9464/": false, "https://[::1]:8443/": true,
		"https://[::1]/": false, "http://127.0.0.1:8080/": true, "http://127.0.0.1/": false,
	}
	names := map[string]string{}
	for hook := range hooks {
		name := fmt.Sprintf("team%d", len(names))
		names[hook] = name
		fmt.Fprintf(&who, "  %s: { webhook: %q }\n", name, hook)
	}
	hosts := []string{"hooks.example.org", "chat.example.org:8443", "plain.example.org:443", "localhost", "[::1]:8443", "127.0.0.1:8080"}
	inOfficeOf(t, who.String(), hosts, nil, func(d *waiting, pass func(time.Duration), n *network, _ *strings.Builder) {
		for hook := range hooks {
			d.leave(1, names[hook], hook, false)
		}
		pass(time.Minute)
		got := n.take()
		for hook, allowed := range hooks {
			sent := false
			for to := range got {
				sent = sent || strings.HasSuffix(to, " "+hook)
			}
			if sent != allowed {
				t.Errorf("%s: sent is %v", hook, sent)
			}
		}
	})
}

// The log has the beginning of a long text, and says how long it is; the webhook has all of it.
func TestLongNotices(t *testing.T) {
	t.Parallel()
	inOffice(t, nil, func(d *waiting, pass func(time.Duration), n *network, log *strings.Builder) {
		long := strings.Repeat("é", 3_000_000)
		d.leave(1, "sales", long, false)
		d.leave(1, "sales", strings.Repeat("a", 300), false)
		pass(time.Minute)
		if got := n.take(); got["hooks.example.org "+long] != 1 {
			t.Error("the webhook did not get all of it")
		}
		if log.Len() > 10_000 || strings.Count(log.String(), "é") != 300 || !strings.Contains(log.String(), "… (3000000 letters)") ||
			!strings.Contains(log.String(), "text="+strings.Repeat("a", 300)+" ") {
			t.Errorf("%d bytes: %.2000s", log.Len(), log)
		}
	})
}
