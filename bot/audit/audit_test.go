package audit_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/audit"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// echo answers every message with itself.
func echo() bot.Route {
	return bot.On("echo", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error { return t.Reply(m.Text) })
}

// signedIn is a session that goes on.
type signedIn platform.Secret

func (s signedIn) SessionID(context.Context) (platform.Secret, error) { return platform.Secret(s), nil }

func (signedIn) Rejected(context.Context, platform.Secret, *platform.Refused) (bool, error) {
	return false, nil
}

// signIn returns a client with a session of the account, and what ends it. The test's own context and
// cleanup lie outside of the world's bubble.
func signIn(t *testing.T, w *bottest.World) (*platform.Client, func()) {
	t.Helper()
	pipe := emulator.NewPipe(w.Platform())
	client, err := platform.New(platform.Config{BaseURL: pipe.BaseURL(), Transport: pipe.Transport()})
	if err != nil {
		t.Fatal(err)
	}
	in, err := client.Login(context.Background(), platform.LoginParams{Email: "bot@example.com", Password: "correct horse"})
	if err != nil {
		t.Fatal(err)
	}
	return client.WithSession(signedIn(in.SessionID)), func() { _ = pipe.Close() }
}

// run audits the account of a world, whether its bot runs or not.
func run(t *testing.T, w *bottest.World, since time.Time, change ...func(*audit.Config)) audit.Report {
	t.Helper()
	reader, err := store.OpenReader(context.Background(), w.Database(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Close() }()
	client, end := signIn(t, w)
	defer end()
	cfg := audit.Config{
		Account: "bot", Client: client, Store: reader, Since: since,
		Me: func(context.Context) (platform.UserID, error) { return w.Account("bot").ID(), nil },
	}
	for _, f := range change {
		f(&cfg)
	}
	report, err := audit.Run(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// lively lets three people write and react, and the owner write once.
func lively(w *bottest.World) {
	post := w.Posts("news")
	for i := range 3 {
		p := w.Person(fmt.Sprint("p", i))
		for n := range 15 {
			p.Says(fmt.Sprint("message ", n))
		}
		p.Likes(post)
		p.Mentions("what a bot")
		w.Advance(time.Minute)
	}
	w.Account("bot").Tells(w.Person("p2"), "from the phone")
	w.Advance(20 * time.Minute)
}

func backlog(w *bottest.World) {
	w.Person("p0").Says("long ago")
	w.Person("p1").Likes(w.Posts("old news"))
}

func TestNothingIsMissing(t *testing.T) {
	for name, cfg := range map[string]bottest.Config{
		"fair":    {},
		"faults":  {Platform: emulator.Config{Faults: emulator.Rough(), Seed: 3}},
		"strange": {Platform: emulator.Config{Dialect: emulator.Dialect{NewestPageFirst: true, PageCap: 20, MessagesDescending: true, NumbersAsText: true}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg.Routes, cfg.Before = []bot.Route{echo()}, backlog
			bottest.Run(t, cfg, func(w *bottest.World) {
				lively(w)
				w.Faults(emulator.Faults{})
				w.Advance(20 * time.Minute)
				report := run(t, w, time.Time{})
				want := audit.Count{Seen: 51, Handled: 51, Sent: 45, Person: 1}
				if diff := cmp.Diff(want, report.Total); diff != "" || !report.OK() {
					t.Errorf("the audit of a bot that missed nothing (-want +got):\n%s%+v", diff, report)
				}
			})
		})
	}
}

func TestAuditUnderFaults(t *testing.T) {
	bottest.Run(t, bottest.Config{Routes: []bot.Route{echo()}}, func(w *bottest.World) {
		lively(w)
		reader, err := store.OpenReader(context.Background(), w.Database(), "")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = reader.Close() }()
		client, end := signIn(t, w)
		defer end()
		w.Disturb("get_chats", emulator.Err500Before, emulator.CutAfter)
		w.Disturb("get_messages", emulator.Bad502, emulator.Truncated)
		w.Disturb("get_notifications", emulator.TooMany, emulator.CutBefore, emulator.Err500After)
		w.Stop() // the faults are the audit's alone
		report, err := audit.Run(context.Background(), audit.Config{
			Account: "bot", Client: client, Store: reader,
			Me: func(context.Context) (platform.UserID, error) { return w.Account("bot").ID(), nil },
		})
		if err != nil || !report.OK() || report.Total.Seen != 51 {
			t.Errorf("got %v, %+v", err, report)
		}
	})
}

// exec changes the database of a stopped bot.
func exec(t *testing.T, w *bottest.World, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", w.Database())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(context.Background(), statement); err != nil {
		t.Fatal(err)
	}
}

func TestMissingEvents(t *testing.T) {
	bottest.Run(t, bottest.Config{Routes: []bot.Route{echo()}, Before: backlog}, func(w *bottest.World) {
		lively(w)
		w.Stop()
		exec(t, w, `DELETE FROM event WHERE source = 1 AND text = 'message 7' AND username = 'p1'`)
		exec(t, w, `DELETE FROM event WHERE source = 2 AND username = 'p1'`)
		exec(t, w, `DELETE FROM event WHERE source = 3 AND username = 'p2'`)
		exec(t, w, `UPDATE event SET state = 'quarantined' WHERE source = 1 AND text = 'message 8' AND username = 'p2'`)
		exec(t, w, `UPDATE event SET state = 'pending' WHERE source = 1 AND text = 'message 9' AND username = 'p2'`)
		report := run(t, w, time.Time{})
		want := audit.Count{Seen: 51, Handled: 46, Pending: 1, Quarantined: 1, Missing: 3, Sent: 45, Person: 1}
		if diff := cmp.Diff(want, report.Total); diff != "" || report.OK() {
			t.Errorf("(-want +got):\n%s%+v", diff, report)
		}
		worst := report.Conversations[0]
		if worst.Peer != w.Person("p1").ID() || worst.Missing != 2 || len(worst.MissingEvents) != 2 {
			t.Errorf("want p1 first, with two events, got %+v", worst)
		}
		for _, id := range worst.MissingEvents {
			if _, err := event.ParseID(id); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestRepliesThatAreGone(t *testing.T) {
	bottest.Run(t, bottest.Config{Routes: []bot.Route{echo()}}, func(w *bottest.World) {
		lively(w)
		w.Stop()
		client, end := signIn(t, w)
		defer end()
		page, err := client.Messages(context.Background(), platform.MessagesParams{Peer: w.Person("p0").ID()})
		if err != nil {
			t.Fatal(err)
		}
		own := slices.IndexFunc(page, func(m platform.Message) bool { return m.Own })
		if err := client.DeleteMessage(context.Background(), page[own].ID); err != nil {
			t.Fatal(err)
		}
		report := run(t, w, time.Time{})
		if want := (audit.Count{Seen: 51, Handled: 51, Sent: 44, Person: 1, Unshown: 1}); report.Total != want || report.OK() {
			t.Errorf("want %+v, got %+v", want, report)
		}
		if worst := report.Conversations[0]; worst.Peer != w.Person("p0").ID() || len(worst.UnshownActions) != 1 {
			t.Errorf("want p0 first, got %+v", worst)
		}
	})
}

// What comes while the bot is off is still to come, and what was before a time is not looked at.
func TestAheadAndSince(t *testing.T) {
	bottest.Run(t, bottest.Config{Routes: []bot.Route{echo()}}, func(w *bottest.World) {
		lively(w)
		w.Stop()
		w.Advance(time.Hour)
		w.Person("p1").Says("anybody there?", "hello?")
		w.Person("p3").Follows()
		w.Advance(time.Hour)
		report := run(t, w, time.Now().Add(-100*time.Minute))
		if report.Total.Seen != 3 || report.Total.Ahead != 3 || !report.OK() {
			t.Errorf("want three events, all ahead, got %+v", report)
		}
	})
}

// A bot that polls and gets nothing to read does miss messages, though its cursors do not show it.
func TestUnhealthySourceIsFound(t *testing.T) {
	var unhealthy atomic.Bool
	hide := func(next http.RoundTripper) http.RoundTripper { return hiding{next, &unhealthy} }
	bottest.Run(t, bottest.Config{Routes: []bot.Route{echo()}, Transport: hide}, func(w *bottest.World) {
		lively(w)
		unhealthy.Store(true)
		w.Person("p1").Says("can you hear me?")
		w.Advance(time.Minute)
		if report := run(t, w, time.Time{}); report.Total.Ahead != 1 || !report.OK() {
			t.Errorf("after a minute it may still come, got %+v", report)
		}
		w.Advance(time.Hour)
		if report := run(t, w, time.Time{}); report.Total.Missing != 1 || report.OK() {
			t.Errorf("after an hour it is missing, got %+v", report)
		}
	})
}

// hiding shows no messages while it is told to.
type hiding struct {
	http.RoundTripper
	on *atomic.Bool
}

// RoundTrip implements http.RoundTripper.
func (h hiding) RoundTrip(r *http.Request) (*http.Response, error) {
	if !h.on.Load() || path.Base(r.URL.Path) != "get_messages" {
		return h.RoundTripper.RoundTrip(r)
	}
	return &http.Response{
		StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Request: r,
		Body: io.NopCloser(bytes.NewReader([]byte(`{"code":204,"data":[],"message":""}`))),
	}, nil
}

// What the bot has taken back itself is not somebody's doing.
func TestWhatTheBotDeleted(t *testing.T) {
	var first platform.MessageID
	undo := bot.On("undo", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
		if m.Text == "undo" {
			t.DeleteMessage(first)
			return nil
		}
		return t.Reply("echo " + m.Text)
	})
	bottest.Run(t, bottest.Config{Routes: []bot.Route{undo}}, func(w *bottest.World) {
		p := w.Person("p0")
		p.Says("hello")
		p.Expects("echo hello")
		shown := w.Platform().Messages(w.Account("bot").ID(), p.ID())
		first = shown[slices.IndexFunc(shown, func(m platform.Message) bool { return m.Own })].ID
		p.Says("undo")
		w.Advance(20 * time.Minute)
		if report := run(t, w, time.Time{}); report.Total.Handled != 2 || report.Total.Unshown != 0 || !report.OK() {
			t.Errorf("want two handled events and nothing unshown, got %+v", report)
		}
	})
}

// On a platform where code 400 may mean that the session has ended, nothing is not the same as nothing
// missing.
func TestSessionEndsWhileChatsAreRead(t *testing.T) {
	cfg := bottest.Config{Routes: []bot.Route{echo()}, Platform: emulator.Config{Dialect: emulator.Dialect{Unauthorized400: true}}}
	bottest.Run(t, cfg, func(w *bottest.World) {
		lively(w)
		report := run(t, w, time.Time{}, func(cfg *audit.Config) {
			cfg.Progress = func(what string) {
				if strings.Contains(what, ": chat 1") {
					w.Platform().Expire(w.Account("bot").ID())
				}
			}
		})
		if report.OK() || report.Unread != 3 || len(report.Notes) != 3 || report.Total.Unshown != 0 {
			t.Errorf("want three chats that were not read, got %+v", report)
		}
	})
}

// What lies below the pages that were read is not said to be gone.
func TestChatThatIsNotReadWhole(t *testing.T) {
	bottest.Run(t, bottest.Config{Routes: []bot.Route{echo()}}, func(w *bottest.World) {
		p := w.Person("p0")
		for range 2 {
			for n := range 20 {
				p.Says(fmt.Sprint("message ", n))
			}
			w.Advance(20 * time.Minute)
		}
		report := run(t, w, time.Time{}, func(cfg *audit.Config) { cfg.Pages = 1 })
		if c := report.Total; c.Seen+c.Sent != 50 || c.Sent == 40 || !report.OK() || len(report.Notes) != 1 {
			t.Errorf("want one page of 50 messages, and a note, got %+v", report)
		}
	})
}

// slow answers each call after a while, and notes when it came.
type slow struct {
	http.RoundTripper
	came []time.Time
}

func (s *slow) RoundTrip(r *http.Request) (*http.Response, error) {
	s.came = append(s.came, time.Now())
	time.Sleep(time.Duration(len(s.came)%3) * 70 * time.Millisecond)
	return s.RoundTripper.RoundTrip(r)
}

// The audit asks at a steady pace, however long the answers take, and says how far it has come.
func TestPaceAndProgress(t *testing.T) {
	effort.Shared(t)
	bottest.Run(t, bottest.Config{Routes: []bot.Route{echo()}}, func(w *bottest.World) {
		const people = 40
		for n := range people {
			p := w.Person(fmt.Sprint("p", n))
			p.Says("hello")
			p.Expects("hello")
		}
		w.Advance(20 * time.Minute)
		pipe := emulator.NewPipe(w.Platform())
		defer func() { _ = pipe.Close() }()
		transport := &slow{RoundTripper: pipe.Transport()}
		client, err := platform.New(platform.Config{BaseURL: pipe.BaseURL(), Transport: transport})
		if err != nil {
			t.Fatal(err)
		}
		in, err := client.Login(context.Background(), platform.LoginParams{Email: "bot@example.com", Password: "correct horse"})
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		transport.came = nil
		report := run(t, w, time.Time{}, func(cfg *audit.Config) {
			cfg.Client, cfg.Chats = client.WithSession(signedIn(in.SessionID)), 30
			cfg.Progress = func(what string) { said = append(said, what) }
		})
		if report.Total.Seen != people || len(transport.came) < people {
			t.Errorf("%d calls, %+v", len(transport.came), report)
		}
		for i, at := range transport.came[1:] {
			if gap := at.Sub(transport.came[i]); gap != 200*time.Millisecond {
				t.Errorf("call %d came after %v", i+1, gap)
			}
		}
		for _, want := range []string{"bot: chat 1 of 40\n", "bot: chat 20 of 40, less than a minute left\n", "bot: chat 2 of 10 that are read beside the list\n"} {
			if !strings.Contains(strings.Join(said, "\n")+"\n", want) {
				t.Errorf("it does not say %q:\n%s", want, strings.Join(said, "\n"))
			}
		}
	})
}

// A row under the id of another one that was handled is not handled, and the audit says which.
func TestIDsThatComeAgain(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: []bot.Route{echo()}}, func(w *bottest.World) {
		ana, leo := w.Person("ana"), w.Person("leo")
		post := ana.Mentions("one")
		w.Advance(time.Minute)
		w.Stop()
		reader, err := store.OpenReader(context.Background(), w.Database(), "")
		if err != nil {
			t.Fatal(err)
		}
		newest, err := reader.Newest(context.Background(), "bot", event.Mentions, 1)
		if err := errors.Join(err, reader.Close()); err != nil || len(newest) != 1 {
			t.Fatal(newest, err)
		}
		w.Platform().DeletePost(ana.ID(), post)
		w.Platform().Misnumber(emulator.Misnumbered{To: w.Account("bot").ID(), As: newest[0].ID.Number})
		leo.Mentions("two")
		notes := strings.Join(run(t, w, time.Time{}).Notes, "\n")
		if !strings.Contains(notes, "under 1 ids that were handled before") || !strings.Contains(notes, newest[0].ID.String()) {
			t.Errorf("the notes are %q", notes)
		}
	})
}

// What came while the bot was off is still to come, and what it sent is still compared, also when its clock was ahead before: the report says so.
func TestAfterAClockThatWasAhead(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: []bot.Route{echo()}}, func(w *bottest.World) {
		lively(w)
		w.Stop()
		exec(t, w, `UPDATE cursor SET polled_at = polled_at + 86400000000`)
		exec(t, w, `UPDATE action SET ended_at = ended_at + 86400000000`)
		w.Advance(time.Hour)
		w.Person("p1").Says("anybody there?", "hello?")
		w.Person("p3").Follows()
		w.Advance(time.Hour)
		client, end := signIn(t, w)
		defer end()
		page, err := client.Messages(context.Background(), platform.MessagesParams{Peer: w.Person("p0").ID()})
		if err != nil {
			t.Fatal(err)
		}
		own := slices.IndexFunc(page, func(m platform.Message) bool { return m.Own })
		if err := client.DeleteMessage(context.Background(), page[own].ID); err != nil {
			t.Fatal(err)
		}
		report := run(t, w, time.Time{})
		if report.Total.Ahead != 3 || report.Total.Missing != 0 || report.Total.Unshown != 1 {
			t.Errorf("want three events that are ahead, and one message that is gone: %+v", report.Total)
		}
		if n := strings.Count(strings.Join(report.Notes, "\n"), "has not come yet, so the clock was ahead then"); n != 3 {
			t.Errorf("%d notes of a clock: %q", n, report.Notes)
		}
	})
}
