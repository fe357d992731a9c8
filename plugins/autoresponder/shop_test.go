package autoresponder_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/session"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
)

// phone is what an address of a team rings. It answers as answer says.
type phone struct {
	mu     sync.Mutex
	rings  []ring
	answer func(r *http.Request) (*http.Response, error) // nil: it takes all
}

type ring struct {
	at       time.Time
	host     string
	text     string // of ntfy
	priority float64
}

func (p *phone) RoundTrip(r *http.Request) (*http.Response, error) {
	body := struct {
		Message  string  `json:"message"`
		Text     string  `json:"text"`
		Priority float64 `json:"priority"`
	}{}
	if r.Body != nil && r.Method == http.MethodPost {
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			return nil, err
		}
	}
	p.mu.Lock()
	p.rings = append(p.rings, ring{time.Now(), r.URL.Host, body.Message + body.Text, body.Priority})
	answer := p.answer
	p.mu.Unlock()
	if answer != nil {
		return answer(r)
	}
	return answered(http.StatusOK, ""), nil
}

func (p *phone) answers(answer func(r *http.Request) (*http.Response, error)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = answer
}

// take returns what rang at a host so far, and forgets it.
func (p *phone) take(host string) []ring {
	p.mu.Lock()
	defer p.mu.Unlock()
	var its, rest []ring
	for _, r := range p.rings {
		if r.host == host {
			its = append(its, r)
		} else {
			rest = append(rest, r)
		}
	}
	p.rings = rest
	return its
}

// texts are what rings said, joined.
func texts(rings []ring) string {
	var b strings.Builder
	for _, r := range rings {
		b.WriteString(r.text + "\n---\n")
	}
	return b.String()
}

// patient is a bot that is watched.
type patient struct {
	mu      sync.Mutex
	health  []bot.Health
	account bot.Standing
}

func (p *patient) Health() []bot.Health {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.health
}

func (p *patient) Standing() []bot.Standing {
	p.mu.Lock()
	defer p.mu.Unlock()
	return []bot.Standing{p.account}
}

func (p *patient) Judgement() (j record.Judgement) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.account.Session.Phase == session.Parked {
		j.Accounts = map[event.Account][]record.Trouble{p.account.Account: {{Why: event.Because(record.TroubleRefused), Says: "it has no session"}}}
	}
	return j
}

func (p *patient) is(unhealthy string, phase session.Phase, stopped bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.health = []bot.Health{{Account: "bot", SourceHealth: event.SourceHealth{Source: event.Messages, Unhealthy: unhealthy, UnhealthySince: time.Now()}}}
	p.account = bot.Standing{Account: "bot", Session: session.State{Phase: phase}, Stopped: stopped}
}

// reads says since when a reading goes on without an end; zero: none does.
func (p *patient) reads(since time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.health[0].ReadingSince = since
}

// shop is an office with its world.
type shop struct {
	t       *testing.T
	dir     string
	memory  *waiting
	phone   *phone
	bot     *patient
	log     *strings.Builder
	plugin  *autoresponder.Plugin
	look    time.Duration
	numbers int
}

// inShop runs a plugin with teams of settings, in a bubble.
func inShop(t *testing.T, settings string, test func(s *shop)) {
	t.Helper()
	dir := folderOf(t, "10-a.yaml", answering("one", "first"), "settings.yaml", "version: 1\n"+settings)
	synctest.Test(t, func(t *testing.T) {
		s := &shop{t: t, dir: dir, memory: &waiting{}, phone: &phone{}, bot: &patient{}, log: &strings.Builder{}, look: time.Second}
		s.bot.is("", session.Active, false)
		s.start()
		test(s)
		s.stop()
	})
}

func (s *shop) start() {
	s.t.Helper()
	p, err := autoresponder.New(autoresponder.Config{
		Path: s.dir, WebhookHosts: []string{"a.example", "b.example", "c.example", "beat.example"}, Transport: s.phone, Look: s.look,
		Lookup: func(name string) (string, bool) { return "s3cret", name == "TOKEN" }, Log: slog.New(slog.NewTextHandler(s.log, nil)),
	}, s.memory)
	if err != nil {
		s.t.Fatal(err)
	}
	p.Watch(s.bot)
	if err := p.Start(context.Background()); err != nil {
		s.t.Fatal(err)
	}
	s.plugin = p
	synctest.Wait()
}

func (s *shop) stop() {
	s.t.Helper()
	if err := s.plugin.Stop(context.Background()); err != nil {
		s.t.Error(err)
	}
}

// slowly lets the office look less often from now on, for a test in which a day passes.
func (s *shop) slowly() {
	s.t.Helper()
	s.stop()
	s.look = 10 * time.Second
	s.start()
}

func (s *shop) pass(d time.Duration) { time.Sleep(d); synctest.Wait() }

// until passes time up to a clock on the wall, in UTC.
func (s *shop) until(hour int) {
	now := time.Now().UTC()
	then := time.Date(now.Year(), now.Month(), now.Day(), hour, 0, 0, 0, time.UTC)
	if !then.After(now) {
		then = then.AddDate(0, 0, 1)
	}
	s.pass(then.Sub(now))
}

// call leaves a notice, as a turn does.
func (s *shop) call(who, kind, said string) { s.callWith(who, kind, said, func(*event.Details) {}) }

// callWith is call with other details.
func (s *shop) callWith(who, kind, said string, change func(d *event.Details)) {
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	s.numbers++
	d := event.Details{User: fmt.Sprint("user", s.numbers), Said: said, Plain: true, Ask: "Answer them.", Do: "nectar conversations give-back {who}"}
	change(&d)
	s.memory.waiting = append(s.memory.waiting, event.Notice{
		Account: "bot", ID: fmt.Sprintf("message:%d/rules/0", s.numbers), Who: who, Kind: kind, Text: said, Peer: platform.UserID(s.numbers), At: time.Now(), Details: d.Encode(),
	})
}

// attend lets a person of ours do something now.
func (s *shop) attend() {
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	s.memory.attended = time.Now()
}
