package cmd

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/cmd/internal/doctor"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/session"
	kept "github.com/nectar-bot/nectar/plugins/campaigns"
)

// changed returns what was changed on a platform since some entries of its ledger, a word each.
func changed(p *emulator.Platform, since int) []string {
	var all []string
	for _, e := range p.Ledger().Since(int64(since)) {
		if e.Post != 0 { // not a sign-in
			all = append(all, e.Kind.String())
		}
	}
	return all
}

// ownPost returns the newest post of the shop.
func ownPost(t *testing.T, p *emulator.Platform) (platform.UserID, platform.PostID) {
	t.Helper()
	for _, e := range p.Ledger().Since(0) {
		if e.Kind == emulator.Posted || e.Kind == emulator.Published {
			return e.From, e.Post
		}
	}
	t.Fatal("the shop has no post")
	return 0, 0
}

// askedOf returns what the bot is asked for.
func askedOf(t *testing.T, environ []string) (all []string) {
	t.Helper()
	inspector, err := inspect.Open(t.Context(), "nectar.db", platform.Secret(strings.TrimPrefix(environ[3], "NECTAR_SECRET_KEY=")))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = inspector.Close() }()
	waiting, err := inspector.Requests(t.Context(), event.Request{}, 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range waiting {
		all = append(all, strings.TrimSpace(string(q.Key.Account)+" "+q.Subject+" "+q.Text))
	}
	return all
}

// The doctor finds out on an own post what campaigns have to know, leaves it as it was, and tells the bot.
func TestDoctorProbesForCampaigns(t *testing.T) {
	effort.Long(t)
	for name, c := range map[string]struct {
		dialect emulator.Dialect
		renewal doctor.Finding
		told    []string
	}{
		"lifts": {
			emulator.Dialect{OwnReposts: true},
			doctor.Finding{Account: "main", Check: "renewal", Status: doctor.Good, Said: "lifts the post: it stands higher than before. Renewals leave without being asked for, where the campaign is live"},
			[]string{"main campaigns/lifts yes"},
		},
		"does not lift": {
			emulator.Dialect{OwnReposts: true, RepostStays: true},
			doctor.Finding{Account: "main", Check: "renewal", Status: doctor.Odd, Said: "does not lift the post: it stands where it stood, so that nobody sees it again. A person is asked before each renewal; leave out how: undo_then_repost"},
			[]string{"main campaigns/lifts no"},
		},
		"untold": {
			emulator.Dialect{OwnReposts: true, Untold: true, Toggle: emulator.ToggleSilent},
			doctor.Finding{Account: "main", Check: "renewal", Status: doctor.Good, Said: "lifts the post: it stands higher than before. Renewals leave without being asked for, where the campaign is live"},
			[]string{"main campaigns/lifts yes"},
		},
		"shows nothing": {
			emulator.Dialect{},
			doctor.Finding{Account: "main", Check: "renewal", Status: doctor.Odd, Said: "whether it lifts a post cannot be seen here: a person is asked before the first renewal of a campaign, which shows it"},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, environ := clinic(t, c.dialect)
			me, post := ownPost(t, p)
			before := int(p.Ledger().Len())
			got := nectarIn(t, environ, "doctor", "--campaigns", "--yes")
			if got.status != 0 || got.stderr != "" || p.Reposted(me, post) {
				t.Errorf("status %d, reposted %v: %s%s", got.status, p.Reposted(me, post), got.stdout, got.stderr)
			}
			if diff := cmp.Diff([]string{"reposted", "unreposted", "reposted", "unreposted"}, changed(p, before)); diff != "" {
				t.Error(diff)
			}
			if !strings.Contains(got.stdout, c.renewal.Said) {
				t.Errorf("the renewal:\n%s", got.stdout)
			}
			if diff := cmp.Diff(c.told, askedOf(t, environ)); diff != "" {
				t.Error(diff)
			}
			if name == "untold" && !strings.Contains(got.stdout, "posts do not say whether you have reposted them") {
				t.Errorf("untold:\n%s", got.stdout)
			}
		})
	}
}

// What it does is said before, in words that the documentation shows.
func TestDoctorSaysWhatItProbes(t *testing.T) {
	want := string(readFile(t, "testdata/doctor_campaigns.txt"))
	p, environ := clinic(t, emulator.Dialect{OwnReposts: true})
	_, post := ownPost(t, p)
	before := int(p.Ledger().Len())
	got := nectarIn(t, environ, "doctor", "--campaigns", "--post", p.Address(post))
	if got.status != 1 || !strings.Contains(got.stderr, "nothing was changed (--yes does not ask)") || len(changed(p, before)) > 0 {
		t.Errorf("status %d, changed %v: %s", got.status, changed(p, before), got.stderr)
	}
	got = nectarIn(t, environ, "doctor", "--campaigns", "--yes", "--post", p.Address(post))
	if diff := cmp.Diff(want, date.ReplaceAllString(got.stdout, "2036-01-01")); diff != "" {
		t.Error(diff)
	}
}

func TestDoctorRefusesToProbe(t *testing.T) {
	p, environ := clinic(t, emulator.Dialect{OwnReposts: true})
	me, post := ownPost(t, p)
	ana := p.AddPerson(emulator.Person{Username: "rui", FirstName: "Rui"})
	others := p.Post(ana, "not yours")
	refuses := func(want string, status int, args ...string) {
		t.Helper()
		before := int(p.Ledger().Len())
		got := nectarIn(t, environ, append([]string{"doctor"}, args...)...)
		if got.status != status || !strings.Contains(got.stderr, want) || len(changed(p, before)) > 0 {
			t.Errorf("%v: status %d, changed %v: %s%s", args, got.status, changed(p, before), got.stdout, got.stderr)
		}
	}
	refuses("it is not yours, and only your own posts are touched", 1, "--campaigns", "--yes", "--post", p.Address(others))
	refuses(`--post "nowhere" is not the address of a post`, 2, "--campaigns", "--yes", "--post", "nowhere")
	refuses("--post and --yes belong to --campaigns", 2, "--yes")
	refuses("with --json nobody can be asked: say --yes, too", 2, "--campaigns", "--json")
	p.Repost(me, post)
	refuses("is reposted already. Take that back first", 1, "--campaigns", "--yes", "--post", p.Address(post))
	refuses("there is no post of your own that is not reposted", 1, "--campaigns", "--yes")
	p.Unrepost(me, post)
	key := platform.Secret(strings.TrimPrefix(environ[3], "NECTAR_SECRET_KEY="))
	st, err := bot.OpenStore(t.Context(), bot.StoreOptions{Path: "nectar.db", Key: key})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	refuses("a bot runs on nectar.db: stop it first", 1, "--campaigns", "--yes")
}

// broken is how a call of a repost goes wrong.
type broken string

const (
	interrupted broken = "interrupted before"     // by the person
	cutOff      broken = "interrupted after"      // handled, and the person interrupts before the answer
	refused     broken = "refused"                // not handled
	failing     broken = "500 before"             // not handled
	done500     broken = "500 after"              // handled
	cut         broken = "cut after"              // handled, without an answer
	allOf       broken = "500 before, from there" // no call works any more
)

// surgery is a platform on which the n-th repost goes wrong, and a prober of the shop.
func surgery(t *testing.T, d emulator.Dialect, n int32, how broken, interrupt func()) (*emulator.Platform, *doctor.Prober) {
	t.Helper()
	p := emulator.New(emulator.Config{Dialect: d})
	me := p.AddAccount(emulator.Person{Username: "shop", FirstName: "Shop"}, "shop@social.example", hunter2)
	p.Post(me, "spring menu")
	var calls atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now := int32(0)
		if strings.HasSuffix(r.URL.Path, "publication_repost") {
			now = calls.Add(1)
		}
		if now != n && (how != allOf || now < n) || now == 0 {
			p.ServeHTTP(w, r)
			return
		}
		switch how {
		case interrupted:
			interrupt()
			panic(http.ErrAbortHandler)
		case cutOff, cut, done500:
			p.ServeHTTP(httptest.NewRecorder(), r)
			if how == cutOff {
				interrupt()
			}
			if how != done500 {
				panic(http.ErrAbortHandler)
			}
			w.WriteHeader(http.StatusInternalServerError)
		case refused:
			w.WriteHeader(http.StatusForbidden)
		case failing, allOf:
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	t.Cleanup(server.Close)
	client, err := platform.New(platform.Config{BaseURL: server.URL + "/mobile_api", AllowPlainHTTP: true})
	if err != nil {
		t.Fatal(err)
	}
	broker := session.New(session.Config{Account: "main", Client: client, Credentials: session.Credentials{Email: "shop@social.example", Password: hunter2}})
	if _, err := broker.Me(t.Context()); err != nil {
		t.Fatal(err)
	}
	pr := doctor.NewProber(client.WithSession(broker), me, func(doctor.Finding) {})
	pr.Looks, pr.Grace = []time.Duration{0}, time.Millisecond
	return p, pr
}

// Whatever goes wrong with whichever call, the post ends as it was, or it is said how it may stand.
func TestProbeIsPutBack(t *testing.T) {
	t.Parallel()
	dialects := map[string]emulator.Dialect{
		"told": {OwnReposts: true}, "untold": {OwnReposts: true, Untold: true}, "blind": {Untold: true, Toggle: emulator.ToggleSilent},
	}
	for name, d := range dialects {
		for n := range int32(4) {
			for _, how := range []broken{interrupted, cutOff, refused, failing, done500, cut, allOf} {
				t.Run(name+"/"+string(how)+"/"+string('1'+n), func(t *testing.T) {
					effort.Case(t)
					ctx, interrupt := context.WithCancel(t.Context())
					defer interrupt()
					p, pr := surgery(t, d, n+1, how, interrupt)
					if err := pr.ChoosePost(ctx, 0); err != nil {
						t.Fatal(err)
					}
					err := pr.Run(ctx)
					on, warned := p.Reposted(pr.Me, pr.Post.ID), err != nil && strings.Contains(err.Error(), "may still be reposted")
					if on && !warned {
						t.Errorf("it is reposted, and nobody is told: %v", err)
					}
					// Where posts do not tell, our page has to have shown a repost before its silence says something.
					if warned && name != "blind" && how != allOf && (name != "untold" || n > 0) {
						t.Errorf("it could have been put back: %v", err)
					}
					if err == nil && n < 3 {
						t.Error("nothing went wrong")
					}
					for _, e := range p.Ledger().Since(0) {
						if e.Post != 0 && e.Post != pr.Post.ID {
							t.Errorf("another post was touched: %v", e)
						}
					}
				})
			}
		}
	}
}

// A kill between the undo and the second repost leaves the post as it was; one later leaves it reposted, and the next run says so.
func TestProbeAfterAKill(t *testing.T) {
	t.Parallel()
	for n, on := range []bool{false, true, false, true} { // before the call n+1
		p, killed := surgery(t, emulator.Dialect{OwnReposts: true}, int32(n+1), interrupted, func() {})
		if err := killed.ChoosePost(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		err := killed.RunChecks(t.Context()) // nothing is put back
		if n == 3 {
			err = nil
		} else if err == nil {
			t.Fatalf("call %d did not fail", n+1)
		}
		if p.Reposted(killed.Me, killed.Post.ID) != on {
			t.Errorf("before call %d it is reposted: %v", n+1, !on)
		}
		next := doctor.NewProber(killed.Client, killed.Me, func(doctor.Finding) {})
		next.Looks = []time.Duration{0}
		switch err = next.ChoosePost(t.Context(), killed.Post.ID); {
		case on && (err == nil || !strings.Contains(err.Error(), "is reposted already")):
			t.Errorf("call %d: %v", n+1, err)
		case on:
		case err != nil:
			t.Error(err)
		default:
			if err := next.Run(t.Context()); err != nil || next.Lifts != campaigns.Yes {
				t.Errorf("call %d: it lifts: %q, %v", n+1, next.Lifts, err)
			}
		}
	}
}

// What the doctor has seen is taken over by the next bot that starts, also by the first one.
func TestNextBotIsToldOfLifting(t *testing.T) {
	p, environ := clinic(t, emulator.Dialect{OwnReposts: true})
	_, post := ownPost(t, p)
	if err := os.RemoveAll("rules"); err != nil {
		t.Fatal(err)
	}
	putRules(t, ".", "settings.yaml", "version: 1\nwho: { marketing: {} }\n")
	putRules(t, ".", "50-menu.yaml", menuFile(int64(post), ""))
	if got := nectarIn(t, environ, "doctor", "--campaigns", "--yes"); got.status != 0 {
		t.Fatalf("status %d: %s%s", got.status, got.stdout, got.stderr)
	}
	lifts := func() campaigns.Tri {
		inspector, err := inspect.Open(t.Context(), "nectar.db", platform.Secret(strings.TrimPrefix(environ[3], "NECTAR_SECRET_KEY=")))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = inspector.Close() }()
		s, err := kept.Read(t.Context(), inspector, "main")
		if err != nil {
			t.Fatal(err)
		}
		return s.Uses.Lifts
	}
	if is := lifts(); is != campaigns.Unknown {
		t.Errorf("before a bot has started it is %q", is)
	}
	base := strings.TrimPrefix(environ[0], "NECTAR_BASE_URL=")
	log, end := running(t, base, append(slices.Clone(environ), "NECTAR_RULES=rules", "NECTAR_STORE=sqlite:nectar.db")...)
	for deadline := time.Now().Add(patience); lifts() != campaigns.Yes; {
		if time.Now().After(deadline) {
			t.Fatalf("the bot was not told: %v\n%s", askedOf(t, environ), log)
		}
	}
	if status := end(); status != 0 {
		t.Errorf("status %d\n%s", status, log)
	}
}
