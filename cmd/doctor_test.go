package cmd

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/doctor"
	"github.com/nectar-bot/nectar/platform/emulator"
)

var date = regexp.MustCompile(`\d{4}-\d{2}-\d{2}`)

const longMessage = "hello, I would like to know whether you are open on Sunday in the afternoon"

// clinic is a platform with an account to look at, and the settings that sign in there.
func clinic(t *testing.T, d emulator.Dialect) (*emulator.Platform, []string) {
	t.Helper()
	p := emulator.New(emulator.Config{Dialect: d})
	me := p.AddAccount(emulator.Person{Username: "shop", FirstName: "Shop"}, "shop@social.example", hunter2)
	ana := p.AddPerson(emulator.Person{Username: "ana", FirstName: "Ana"})
	post := p.Post(me, "spring menu")
	p.Reply(ana, post, "tasty")
	p.Like(ana, post)
	p.Follow(ana, me)
	p.Mention(ana, me, "look")
	p.Say(ana, me, longMessage)
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	t.Chdir(t.TempDir())
	if err := put(".", "rules/10-faq.yaml"); err != nil {
		t.Fatal(err)
	}
	return p, []string{
		"NECTAR_BASE_URL=" + server.URL + "/mobile_api", "NECTAR_EMAIL=shop@social.example", "NECTAR_PASSWORD=" + hunter2,
		"NECTAR_SECRET_KEY=" + strings.Repeat("0123456789abcdef", 4),
	}
}

// examined is what the doctor found, by check.
func examined(t *testing.T, environ []string) (result, map[string]doctor.Finding) {
	t.Helper()
	got := nectarIn(t, environ, "doctor", "--json")
	var d doctor.Diagnosis
	if err := json.Unmarshal([]byte(got.stdout), &d); err != nil {
		t.Fatalf("%v: %s%s", err, got.stdout, got.stderr)
	}
	if d.OK != (got.status == 0) {
		t.Errorf("ok is %v with status %d", d.OK, got.status)
	}
	if strings.Contains(got.stdout+got.stderr, hunter2) {
		t.Errorf("the secret is repeated: %s%s", got.stdout, got.stderr)
	}
	found := map[string]doctor.Finding{}
	for _, f := range d.Findings {
		found[strings.TrimSpace(f.Account+" "+f.Check)] = f
	}
	return got, found
}

var clock = regexp.MustCompile(`it is \w{3} \d\d:\d\d`)

func TestDoctorInPlainWords(t *testing.T) {
	want, err := os.ReadFile("testdata/doctor.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, environ := clinic(t, emulator.Dialect{})
	got := nectarIn(t, environ, "doctor")
	base := strings.TrimPrefix(environ[0], "NECTAR_BASE_URL=")
	printed := strings.ReplaceAll(got.stdout, base, "https://social.example/mobile_api")
	if diff := cmp.Diff(string(want), clock.ReplaceAllString(date.ReplaceAllString(printed, "2036-01-01"), "it is Mon 12:00")); diff != "" {
		t.Error(diff)
	}
	if got.status != 0 || got.stderr != "" {
		t.Errorf("status %d: %s", got.status, got.stderr)
	}
}

func TestDoctorUnderstandsEveryDialect(t *testing.T) {
	for _, n := range emulator.Dialects() {
		if effort.Few() && len(n.Name)%5 != 0 {
			continue
		}
		t.Run(n.Name, func(t *testing.T) {
			_, environ := clinic(t, n.Dialect)
			got, found := examined(t, environ)
			if got.status != 0 {
				t.Errorf("status %d: %s", got.status, got.stdout)
			}
			if len(found) != len(doctor.DoctorChecks())+6 {
				t.Errorf("%d findings", len(found))
			}
		})
	}
}

func TestDoctorSaysWhatIsOdd(t *testing.T) {
	const lost = "the bot sees only the last message of each chat; earlier ones of a burst are lost"
	for name, c := range map[string]struct {
		dialect emulator.Dialect
		want    []doctor.Finding
	}{
		"classic": {emulator.Dialect{}, []doctor.Finding{
			{Account: "main", Check: "get_messages", Status: doctor.Good, Said: "1 on the first page of the newest chat"},
			{Account: "main", Check: "long messages in get_chats", Status: doctor.Good, Said: "whole, as far as can be seen"},
			{Account: "main", Check: "reading marks as seen", Status: doctor.Odd, Said: "yes: what the bot has read no longer counts as unread on the owner's phone"},
		}},
		"read-keeps-unseen": {emulator.Dialect{ReadKeepsUnseen: true}, []doctor.Finding{{Account: "main", Check: "reading marks as seen", Status: doctor.Good, Said: "no"}}},
		"no-get-messages": {emulator.Dialect{Messages: emulator.AbsentPage}, []doctor.Finding{
			{Account: "main", Check: "get_messages", Status: doctor.Missing, Said: lost},
			{Account: "main", Check: "reading marks as seen", Status: doctor.Good, Said: "no: there is no get_messages"},
		}},
		"no-get-messages-400": {emulator.Dialect{Messages: emulator.AbsentCode, LastCut: 50}, []doctor.Finding{
			{Account: "main", Check: "get_messages", Status: doctor.Missing, Said: lost},
			{Account: "main", Check: "long messages in get_chats", Status: doctor.Odd, Said: "they seem to be cut after 50 characters; the bot does not see the rest"},
		}},
		"last-cut": {emulator.Dialect{LastCut: 50}, []doctor.Finding{
			{Account: "main", Check: "long messages in get_chats", Status: doctor.Good, Said: "cut after 50 characters; the bot reads them whole with get_messages"},
		}},
		"unknown-subjects": {emulator.Dialect{UnknownSubjects: true}, []doctor.Finding{
			{Account: "main", Check: "get_notifications mentions", Status: doctor.Odd, Said: `2 on the first page; the subject "announcement" is not known, and reaches handlers as "other"`},
		}},
		"expiry-absent": {emulator.Dialect{ExpiryAbsent: true}, []doctor.Finding{
			{Account: "main", Check: "sign-in", Status: doctor.Good, Said: "@shop, user 12; the platform does not say how long the session lasts"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			_, environ := clinic(t, c.dialect)
			_, found := examined(t, environ)
			for _, want := range c.want {
				if diff := cmp.Diff(want, found["main "+want.Check]); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

func TestDoctorSaysWhatFails(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	for name, c := range map[string]struct{ setting, want string }{
		"wrong password": {"NECTAR_PASSWORD=no", "the platform refuses the sign-in: check the e-mail address and the password (signing in: login: refused with code 402"},
		"a web page":     {"", "a web page answers, not the mobile API: check the base address"},
		"unreachable":    {"NECTAR_BASE_URL=" + gone.URL + "/mobile_api", "nothing answers at that address: check the host and the port"},
	} {
		t.Run(name, func(t *testing.T) {
			_, environ := clinic(t, emulator.Dialect{})
			if c.setting == "" {
				c.setting = strings.Replace(environ[0], "/mobile_api", "/elsewhere", 1)
			}
			got, found := examined(t, append(environ, c.setting))
			if f := found["main sign-in"]; f.Status != doctor.Failed || !strings.HasPrefix(f.Said, c.want) {
				t.Errorf("found %+v", f)
			}
			if got.status != 1 || got.stderr != "" || len(found) != 8 {
				t.Errorf("status %d, printed %s%s", got.status, got.stdout, got.stderr)
			}
		})
	}
}

// A machine whose clock is hours off does everything at the wrong time, and nothing else shows it.
func TestDoctorSaysWhatTimeItIs(t *testing.T) {
	for name, c := range map[string]struct {
		date func() string // what the platform says
		want string
		odd  bool
	}{
		"ahead":  {func() string { return time.Now().Add(-3*time.Hour - time.Minute/2).UTC().Format(http.TimeFormat) }, "this machine is 3h", true},
		"behind": {func() string { return time.Now().Add(49 * time.Hour).UTC().Format(http.TimeFormat) }, " behind the platform: slots of campaigns wait for it, and hours and whatever else has a time come 2d", true},
		"silent": {func() string { return "" }, "the platform does not say what time it is", false},
	} {
		t.Run(name, func(t *testing.T) {
			p, environ := clinic(t, emulator.Dialect{})
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header()["Date"] = nil // none
				if says := c.date(); says != "" {
					w.Header().Set("Date", says)
				}
				p.ServeHTTP(w, r)
			}))
			defer server.Close()
			got, found := examined(t, append(environ, "NECTAR_BASE_URL="+server.URL+"/mobile_api"))
			f := found["main clock"]
			if got.status != 0 || !strings.Contains(f.Said, c.want) || (f.Status == doctor.Odd) != c.odd {
				t.Errorf("%+v", f)
			}
		})
	}
}

func TestDoctorLooksAtAllAccounts(t *testing.T) {
	_, environ := clinic(t, emulator.Dialect{})
	accounts := fmt.Sprintf("accounts:\n  shop:\n    email: shop@social.example\n    password: %s\n  news:\n    oauth_type: google\n    oauth_token: x\n", hunter2)
	if err := os.WriteFile("accounts.yaml", []byte(accounts), 0o600); err != nil {
		t.Fatal(err)
	}
	got, found := examined(t, []string{environ[0], "NECTAR_ACCOUNTS=accounts.yaml"})
	want := map[string]doctor.Status{"settings": doctor.Good, "database": doctor.Odd, "shop sign-in": doctor.Good, "shop get_chats": doctor.Good, "news sign-in": doctor.Failed, "news everything else": doctor.Failed}
	for check, st := range want {
		if found[check].Status != st {
			t.Errorf("%s: %+v", check, found[check])
		}
	}
	if got.status != 1 {
		t.Errorf("status %d", got.status)
	}
}

func TestDoctorBesideARunningBot(t *testing.T) {
	p, environ := clinic(t, emulator.Dialect{})
	cfg, err := config.Load(config.Source{Environ: environ})
	if err != nil {
		t.Fatal(err)
	}
	log, _ := capture()
	st, err := cfg.OpenStore(t.Context(), log)
	if err != nil {
		t.Fatal(err)
	}
	got, found := examined(t, environ)
	if f := found["database"]; f.Status != doctor.Good || f.Said != "nectar.db is in use: a bot runs on it" {
		t.Errorf("found %+v", f)
	}
	if got.status != 0 || p.Logins() != 1 {
		t.Errorf("status %d, %d sign-ins", got.status, p.Logins())
	}
	if err := st.Close(); err != nil {
		t.Error(err)
	}
}

func TestDoctorAndTheDatabase(t *testing.T) {
	_, environ := clinic(t, emulator.Dialect{})
	if err := os.WriteFile("letter.txt", []byte(strings.Repeat("Dear Ana, ", 500)), 0o600); err != nil {
		t.Fatal(err)
	}
	got, found := examined(t, append(environ, "NECTAR_STORE=sqlite:letter.txt"))
	if f := found["database"]; f.Status != doctor.Failed || !strings.Contains(f.Said, "file is not a database") {
		t.Errorf("found %+v", f)
	}
	if found["main sign-in"].Status != doctor.Good || got.status != 1 {
		t.Errorf("status %d, %+v", got.status, found["main sign-in"])
	}
}

func TestDoctorTriesThePasswordAndKeepsTheSession(t *testing.T) {
	p, environ := clinic(t, emulator.Dialect{})
	for range 2 {
		if got, _ := examined(t, environ); got.status != 0 {
			t.Fatal(got.stdout)
		}
	}
	if p.Logins() != 2 {
		t.Errorf("%d sign-ins for two visits", p.Logins())
	}
}

// A row with an absurd id is told of.
func TestDoctorSeesAbsurdIDs(t *testing.T) {
	p, environ := clinic(t, emulator.Dialect{})
	p.Misnumber(emulator.Misnumbered{To: p.UserID("shop"), As: math.MaxInt64})
	p.Mention(p.UserID("ana"), p.UserID("shop"), "look again")
	p.Misnumber(emulator.Misnumbered{From: p.UserID("ana"), To: p.UserID("shop"), As: math.MaxInt64})
	p.Say(p.UserID("ana"), p.UserID("shop"), "hello?")
	got, found := examined(t, environ)
	for _, check := range []string{"get_notifications mentions", "get_messages"} {
		if f := found["main "+check]; f.Status != doctor.Odd || !strings.Contains(f.Said, "9223372036854775807") || got.status != 0 {
			t.Errorf("%s: %+v", check, f)
		}
	}
}

// A last poll that has not come yet is told as what it is: the clock was ahead.
func TestDoctorAfterAClockThatWasAhead(t *testing.T) {
	_, environ := clinic(t, emulator.Dialect{})
	cfg, err := config.Load(config.Source{Environ: environ})
	if err != nil {
		t.Fatal(err)
	}
	log, _ := capture()
	st, err := cfg.OpenStore(t.Context(), log)
	if err != nil {
		t.Fatal(err)
	}
	st.QueueCursors(record.Cursor{Account: "main", Source: event.Messages, ID: 1, PolledAt: time.Now().Add(73 * time.Hour)})
	if err := st.MarkNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, said := range []string{"; it has not been polled since, although a bot runs: ", "; no bot runs at the moment"} {
		_, found := examined(t, environ)
		if f := found["main last good poll"]; f.Status != doctor.Odd || !strings.Contains(f.Said, "which has not come yet: the clock was ahead by at least 3 days then") ||
			!strings.Contains(f.Said, said) || strings.Contains(f.Said, " ago") {
			t.Errorf("found %+v", f)
		}
		if st == nil {
			return
		}
		if err := st.Close(); err != nil {
			t.Error(err)
		}
		st = nil
	}
}
