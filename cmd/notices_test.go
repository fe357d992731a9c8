package cmd

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest/child"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/doctor"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
)

// ringing is a service that keeps what it gets.
func ringing(t *testing.T, status int) (host string, got func() []string) {
	t.Helper()
	var mu sync.Mutex
	var texts []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Message, Text string }
		_ = json.NewDecoder(r.Body).Decode(&body) // what it is shows below
		mu.Lock()
		texts = append(texts, body.Message+body.Text)
		mu.Unlock()
		w.WriteHeader(status)
	}))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://"), func() []string {
		mu.Lock()
		defer mu.Unlock()
		return texts
	}
}

// A team is called at each address at once, and it is said what came back; nothing secret is shown.
func TestNoticesTest(t *testing.T) {
	t.Parallel()
	good, got := ringing(t, http.StatusOK)
	bad, _ := ringing(t, http.StatusForbidden)
	dir := t.TempDir()
	putRules(t, dir, "settings.yaml", "version: 1\nwho:\n  team: [\"ntfy://${TOKEN}@"+good+"/topic\"]\n  other: [\"ntfy://"+good+"/t\", \"ntfy://${TOKEN}@"+bad+"/t\", \"ntfy://${GONE}@"+good+"/t\", \"ntfy://ntfy.sh/t\"]\n  empty: {}\n")
	putRules(t, dir, "10-broken.yaml", "version: 1\nrulez: []\n") // people are called all the same
	environ := []string{"NECTAR_RULES=" + filepath.Join(dir, "rules"), "NECTAR_WEBHOOK_HOSTS=" + good + "," + bad, "TOKEN=s3cret"}
	r := nectarIn(t, environ, "notices", "test", "team")
	if want := "ntfy://" + good + "/…  taken\n"; r.status != 0 || r.stdout != want || len(got()) != 1 || !strings.Contains(got()[0], "This is how the team team is called") {
		t.Errorf("%+v, %v", r, got())
	}
	r = nectarIn(t, environ, "notices", "test", "other")
	want := "ntfy://" + good + "/…  taken\nntfy://" + bad + "/…  FAILED: ntfy at " + bad + " answers 403 Forbidden\n" +
		"ntfy://" + good + "/…  FAILED: the variable GONE is not set: set it in .env or in the environment of the bot\n" +
		"ntfy://ntfy.sh/…  FAILED: the host ntfy.sh is not in NECTAR_WEBHOOK_HOSTS\n"
	if r.status != cli.ExitFailed || r.stdout != want || strings.Contains(r.stdout+r.stderr, "s3cret") {
		t.Errorf("%+v", r)
	}
	for name, want := range map[string]string{"taem": `did you mean "team"?`, "empty": "has no address", "": "name one team"} {
		if r := nectarIn(t, environ, "notices", "test", name); r.status == 0 || !strings.Contains(r.stderr, want) && name != "" {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if r := nectarIn(t, environ, "notices", "test"); r.status != cli.ExitUsage || !strings.Contains(r.stderr, "name one team") {
		t.Errorf("%+v", r)
	}
}

// The checker says what is missing on this machine, with the line and what to do.
func TestCheckOfAddresses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	putRules(t, dir, "settings.yaml", "version: 1\nwho:\n  team:\n    - \"ntfy://${NTFY_TOKEN}@ntfy.sh/topic\"\n    - \"ntfy://ntfy.example.org/topic\"\nheartbeat: https://hc.example/${HC}\n")
	putRules(t, dir, "10-fine.yaml", "version: 1\nstatus: live\nrules:\n  - id: likes\n    when: mention\n    then: [{ like: the_post }]\n    tests: [{ mention: hi, expect: like }]\n")
	rules := filepath.Join(dir, "rules")
	r := nectarIn(t, []string{"NECTAR_WEBHOOK_HOSTS=ntfy.sh,hc.example"}, "check", rules)
	for _, want := range []string{
		"line 4   team: ntfy://ntfy.sh/…: the variable NTFY_TOKEN is not set: set it in .env", "line 5   team: ntfy://ntfy.example.org/…: the host ntfy.example.org is not in", "line 6   heartbeat: https://hc.example/…: the variable HC is not set",
	} {
		if r.status != cli.ExitFailed || !strings.Contains(r.stdout, want) {
			t.Errorf("%q is missing: %+v", want, r)
		}
	}
	r = nectarIn(t, []string{"NECTAR_WEBHOOK_HOSTS=ntfy.sh,hc.example,ntfy.example.org", "NTFY_TOKEN=s3cret", "HC=s3cret"}, "check", rules)
	if r.status != 0 || strings.Contains(r.stdout, "s3cret") {
		t.Errorf("%+v", r)
	}
}

// The doctor has a line for each address, and calls nobody.
func TestDoctorAndAddresses(t *testing.T) {
	t.Parallel()
	host, got := ringing(t, http.StatusOK)
	dir := t.TempDir()
	putRules(t, dir, "settings.yaml", "version: 1\nwho: { team: [\"ntfy://"+host+"/topic\", \"ntfy://${GONE}@"+host+"/t\"] }\n")
	putRules(t, dir, "10-likes.yaml", "version: 1\nstatus: live\nrules:\n  - id: likes\n    when: mention\n    then: [{ like: the_post }]\n")
	d := doctor.Doctor{Out: &child.Output{}}
	cfg, err := config.Load(config.Source{Environ: []string{"NECTAR_RULES=" + filepath.Join(dir, "rules"), "NECTAR_WEBHOOK_HOSTS=" + host}})
	if err != nil {
		t.Fatal(err)
	}
	folders, err := cfg.RuleFolders()
	if err != nil {
		t.Fatal(err)
	}
	d.CheckAddresses(t.Context(), cfg, folders)
	if len(d.Found.Findings) != 2 || d.Found.Findings[0].Status != doctor.Good || d.Found.Findings[1].Status != doctor.Failed ||
		!strings.Contains(d.Found.Findings[1].Said, "the variable GONE is not set") || len(got()) > 0 {
		t.Errorf("%+v", d.Found)
	}
}

// What people were called for is listed, with what became of it; what is private on demand.
func TestNoticesListed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "nectar.db")
	st, err := bot.OpenStore(t.Context(), bot.StoreOptions{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	notice := func(id, who, kind, text string, d event.Details) event.Notice {
		return event.Notice{Account: "main", ID: id, Who: who, Kind: kind, Text: text, Peer: 7, At: now.Add(-time.Hour), Details: d.Encode()}
	}
	told := notice("a", "team", "handoff", "summary", event.Details{User: "ana", Said: "help", Plain: true})
	gone := notice("b", "sales", "notify", "a lead", event.Details{User: "bo"})
	open := notice("c", event.Everybody, "approval", "an answer", event.Details{User: "cy", Said: "card 4111", Answer: "thanks", Plain: true})
	open.Private = true
	old := notice("d", "team", "notify", "long ago", event.Details{})
	old.At = now.Add(-30 * 24 * time.Hour)
	fates := func(f autoresponder.Fate) []byte {
		encoded, err := json.Marshal(map[string]autoresponder.Fate{"x": f})
		if err != nil {
			t.Fatal(err)
		}
		return encoded
	}
	if err := st.Tell(context.Background(), []event.Notice{told, gone, open, old}, nil, nil); err != nil {
		t.Fatal(err)
	}
	told.SentAt, gone.SentAt = now, now
	told.Reached = fates(autoresponder.Fate{At: "ntfy://ntfy.sh/…", Team: "team", Sent: now})
	gone.Reached = fates(autoresponder.Fate{At: "ntfy://ntfy.sh/…", Team: "sales", GivenUp: now, Error: "ntfy at ntfy.sh answers 403 Forbidden"})
	if err := st.Told(context.Background(), []event.Notice{told, gone}, nil); err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	environ := []string{"NECTAR_STORE=sqlite:" + path}
	for args, want := range map[string][]string{
		"notices":             {"told", "given up", "waiting", "@ana", `"help"`, "a lead", "403 Forbidden", "all called", "(private)", "!4111", "!long ago"},
		"notices --private":   {`"card 4111" → "thanks"`},
		"notices --team team": {`"help"`, "(private)", "!a lead"},
		"notices --failed":    {"a lead", "!help", "!(private)"},
		"notices --since 90d": {"long ago"},
		"notices --limit 1":   {"!long ago"},
		"notices --json":      {`"state":"given up"`, `"kind":"handoff"`, `"said":"help"`, "!4111"},
		"notices --since 1m":  {"nobody was called for anything within that time"},
	} {
		r := nectarIn(t, environ, strings.Fields(args)...)
		for _, w := range want {
			if w, not := strings.CutPrefix(w, "!"); r.status != 0 || strings.Contains(r.stdout, w) == not {
				t.Errorf("%s: %q\n%s%s", args, w, r.stdout, r.stderr)
			}
		}
	}
}
