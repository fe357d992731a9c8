//go:build unix

package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest/child"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/bottest/stored"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/run"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// office is a platform with a shop on it, and the database of the shop's bot.
type office struct {
	t        *testing.T
	platform *emulator.Platform
	me       platform.UserID
	dir      string // with .env and the database
}

func newOffice(t *testing.T) *office {
	t.Helper()
	o := &office{t: t, platform: emulator.New(emulator.Config{})}
	o.me = o.platform.AddAccount(emulator.Person{Username: "shop"}, "shop@social.example", hunter2)
	server := httptest.NewServer(o.platform)
	t.Cleanup(server.Close)
	o.dir = settings(t, server.URL+"/mobile_api", "shop@social.example")
	return o
}

// run starts the bot, and returns when it is at work.
func (o *office) run() *child.Process {
	o.t.Helper()
	args := []string{"run"}
	if _, err := os.Stat(filepath.Join(o.dir, "rules")); err != nil {
		args = append(args, "--starter")
	}
	p := start(o.t, o.dir, args...)
	p.Await(o.t, "the bot is at work")
	return p
}

// nectar runs a command beside the bot.
func (o *office) nectar(args ...string) result {
	o.t.Helper()
	return nectarIn(o.t, []string{"NECTAR_STORE=sqlite:" + filepath.Join(o.dir, "nectar.db")}, args...)
}

// says runs a command that has to succeed, and checks what it prints.
func (o *office) says(want string, args ...string) {
	o.t.Helper()
	if got := o.nectar(args...); got.status != 0 || got.stderr != "" || !regexp.MustCompile(want).MatchString(got.stdout) {
		o.t.Errorf("nectar %s: status %d, want %s\n%s%s", strings.Join(args, " "), got.status, want, got.stdout, got.stderr)
	}
}

// refuses runs a command that has to fail, and checks what it says.
func (o *office) refuses(status int, want string, args ...string) {
	o.t.Helper()
	got := o.nectar(args...)
	if got.status != status || got.stdout != "" || got.stderr != "nectar: "+want+"\n" {
		o.t.Errorf("nectar %s: status %d, want %q\n%s%s", strings.Join(args, " "), got.status, want, got.stdout, got.stderr)
	}
}

// keep changes the database while no bot runs on it.
func (o *office) keep(change func(st bot.Store) error) {
	o.t.Helper()
	st, err := bot.OpenStore(o.t.Context(), bot.StoreOptions{Path: filepath.Join(o.dir, "nectar.db")})
	if err == nil {
		err = change(st)
	}
	if err == nil {
		err = st.Close()
	}
	if err != nil {
		o.t.Fatal(err)
	}
}

// said lets somebody say something that the bot is left with as quarantined.
func (o *office) said(user, text string) string {
	o.t.Helper()
	id := o.platform.UserID(user)
	e := event.Event{
		Account: "main", Kind: event.KindMessage, Peer: id, Name: strings.ToUpper(user[:1]) + user[1:], User: user, Text: text, SeenAt: time.Now(),
		ID: event.ID{Source: event.Messages, Number: int64(o.platform.Say(id, o.me, text))},
	}
	o.keep(func(st bot.Store) error {
		done := make(chan error, 1)
		stored.Commit(st, stored.Write{
			Attempt: &stored.Attempt{Event: e, Tries: 5, Quarantined: true, Record: event.DecisionRecord{Outcome: "quarantined", Note: "try 5: no idea"}, At: time.Now()},
			Done:    func(err error) { done <- err },
		})
		return <-done
	})
	return e.ID.String()
}

// owes leaves the bot with a message to somebody that is held.
func (o *office) owes(user, text string, n int64) string {
	o.t.Helper()
	trigger := event.Trigger{Kind: event.ByTimer, Timer: event.Timer{Name: "later", Occurrence: n}}
	trigger.Key = event.Key{Account: "main", Peer: o.platform.UserID(user)}
	trigger.Timer.Key, trigger.Timer.Due = trigger.Key, time.Now()
	a := event.Action{
		Key: trigger.ID() + "/later/0", Account: "main", Peer: trigger.Key.Peer, Verb: event.VerbMessage, Text: text,
		State: event.StateInDoubt, Position: n, ReconcileFrom: 1, DecidedAt: time.Now(),
	}
	o.keep(func(st bot.Store) error {
		set := stored.Turn{Trigger: event.Trigger{Kind: event.ByRequest, Key: trigger.Key, Choice: a.Key}, Timers: []event.Timer{trigger.Timer}, At: time.Now()}
		stored.Commit(st, stored.Write{Turn: &set})
		stored.Commit(st, stored.Write{Turn: &stored.Turn{Trigger: trigger, Actions: []record.Action{{Action: a}}, At: time.Now()}})
		a.State, a.Reason, a.EndedAt = event.StateHeld, "nobody knows whether it was sent", time.Now()
		return stored.Mark(o.t.Context(), st, &a)
	})
	return a.Key
}

// tells lets somebody say something to the bot.
func (o *office) tells(user, text string) {
	o.t.Helper()
	if o.platform.Say(o.platform.UserID(user), o.me, text) == 0 {
		o.t.Fatalf("%s cannot say %q", user, text)
	}
}

// expects waits until the bot has said something to somebody.
func (o *office) expects(user, part string) {
	o.t.Helper()
	ctx, cancel := context.WithTimeout(o.t.Context(), patience)
	defer cancel()
	for {
		seq := o.platform.Ledger().Len()
		if o.arrived(user, part) > 0 {
			return
		}
		if o.platform.Ledger().Wait(ctx, seq) != nil {
			o.t.Fatalf("nobody told %s %q", user, part)
		}
	}
}

// arrived counts the messages of the shop to somebody that have a text in them.
func (o *office) arrived(user, part string) (n int) {
	to := o.platform.UserID(user)
	for _, e := range o.platform.Ledger().Since(0) {
		if e.Kind == emulator.Arrived && e.From == o.me && e.To == to && strings.Contains(e.Text, part) {
			n++
		}
	}
	return n
}

func (o *office) end(p *child.Process) {
	o.t.Helper()
	p.Stop()
}

// People look at what a running bot keeps, and decide about it from another process.
func TestDecidingWhileTheBotRuns(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	o := newOffice(t)
	for _, name := range []string{"ana", "leo"} {
		o.platform.AddPerson(emulator.Person{Username: name, FirstName: strings.ToUpper(name[:1]) + name[1:]})
	}
	id := o.said("ana", "hello?\x1b[2J")
	one, two := o.owes("leo", "the first one", 1), o.owes("leo", "the second one", 2)
	p := o.run()

	o.says(`(?s)^SEEN +ID +WHO +WHAT +STATE +WHY\n.* `+id+` +@ana +message "hello\?\[2J" +quarantined +try 5: no idea\n$`, "events", "--quarantined")
	o.says(`^@ana: `+id+` is tried again\n$`, "events", "retry", id)
	o.expects("ana", "Thanks for writing, Ana!")
	o.says(`^nothing is quarantined\n$`, "events", "--quarantined")
	o.says(id+` +@ana .*by fallback: tried again, after quarantine`, "events", "--peer", "@ANA", "--since", "1h")
	o.refuses(1, id+" is handled, not quarantined; nectar events --quarantined lists what is quarantined", "events", "retry", id)

	o.says(`(?s)^STATE .*held +.*message "the second one" +\d{6} +`+two+` +nobody knows.*held +.*"the first one"`, "outbox", "--held")
	o.says(`^released `+one+`\n$`, "outbox", "release", one)
	o.expects("leo", "the first one")
	o.says(`^dropped `+two+`\n$`, "outbox", "drop", two)
	o.says(`^nothing is held\n$`, "outbox", "--held")
	o.says(`(?s)done .*released by .*withdrawn .*dropped by a person`, "outbox", "--peer", fmt.Sprint(o.platform.UserID("leo")))

	o.says(`^@ana: ines has the conversation; the bot is silent until it is given back\n$`, "conversations", "take-over", "@ana", "--as", "ines")
	o.says(`@ana .* ines +20\d\d-`, "conversations", "--taken-over")
	o.tells("ana", "/help")
	for range 1000 {
		if strings.Contains(o.nectar("conversations", "show", "@ana").stdout, "owned") {
			break
		}
		<-time.After(20 * time.Millisecond)
	}
	o.says(`(?s)^@ana \(Ana\), number \d+, account main\nowner: ines since .*until it is given back\n.*"/help" +owned`, "conversations", "show", "@ana")
	const clock = `20\d\d-\d\d-\d\d \d\d:\d\d:\d\d`
	o.says(`^@ana: leo \(after ines\) has the conversation; the bot is silent until `+clock+`\n$`, "conversations", "take-over", "@ana", "--as", "leo", "--for", "2d")
	o.says(`^@ana: the bot has the conversation again, after leo\n$`, "conversations", "give-back", "@ana")
	o.tells("ana", "/help")
	o.expects("ana", run.StarterIntro)
	o.end(p)
	if n := o.arrived("ana", run.StarterIntro) + o.arrived("leo", "one"); n != 2 {
		t.Errorf("%d messages arrived", n)
	}
}

// What is decided while no bot runs is done when one starts, once, also when it dies over it.
func TestDecidingWhileNoBotRuns(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	o := newOffice(t)
	o.platform.AddPerson(emulator.Person{Username: "ana", FirstName: "Ana"})
	o.said("ana", "hello")
	key := o.owes("ana", "one moment", 1)
	o.end(o.run())
	const waits = `asked for; no bot runs on .*nectar\.db at the moment: it is done when one starts\n$`
	o.says(`^@ana: `+waits, "events", "retry", "--all")
	o.says(`^`+key+`: `+waits, "outbox", "release", key)
	o.says(`nobody knows whether it was sent; release by \S+ asked for 20\d\d-.*, waits for the bot\n$`, "outbox", "--held")
	o.says(`try 5: no idea; retry by \S+ asked for 20\d\d-.*, waits for the bot\n$`, "events", "--quarantined")
	o.says(`(?s)owner: bot\n.*release by \S+ asked for`, "conversations", "show", "@ana")
	dying := start(t, o.dir, "run", "--starter")
	o.expects("ana", "one moment")
	o.expects("ana", "Thanks for writing")
	dying.Kill()
	p := o.run()
	o.tells("ana", "/help")
	o.expects("ana", run.StarterIntro)
	o.end(p)
	if a, b := o.arrived("ana", "one moment"), o.arrived("ana", "Thanks for writing"); a != 1 || b != 1 {
		t.Errorf("%d and %d arrived\n%s", a, b, p)
	}
	o.says(`nothing is to be done`, "outbox")
}

func TestDecidingForMachines(t *testing.T) {
	o := newOffice(t)
	o.platform.AddPerson(emulator.Person{Username: "ana", FirstName: "Ana"})
	id, key := o.said("ana", "hello"), o.owes("ana", "one moment", 1)
	o.end(o.run())
	for command, want := range map[string]map[string]any{
		"events --quarantined --json": {"account": "main", "id": id, "kind": "message", "state": "quarantined", "text": "hello", "tries": 5.0},
		"outbox --json":               {"key": key, "state": "held", "user": nil, "reason": "nobody knows whether it was sent"},
		"conversations --json":        {"user": "ana", "owner": "", "account": "main"},
		"events retry --all --json":   {"wish": "retry", "about": "@ana", "outcome": "waiting"},
	} {
		got := o.nectar(strings.Fields(command)...)
		lines := bytes.Split(bytes.TrimSpace([]byte(got.stdout)), []byte("\n"))
		var line map[string]any
		if err := json.Unmarshal(lines[0], &line); err != nil || len(lines) != 1 || got.status != 0 {
			t.Errorf("%s: %v, %d lines, %+v", command, err, len(lines), got)
		}
		for name, value := range want {
			if line[name] != value {
				t.Errorf("%s: %s is %v, want %v", command, name, line[name], value)
			}
		}
	}
	if got := o.nectar("conversations", "show", "@ana", "--json"); strings.Count(got.stdout, "\n") != 3 ||
		!strings.HasPrefix(got.stdout, `{"conversation":{"account":"main",`) || !strings.Contains(got.stdout, `{"event":{"account":"main"`) {
		t.Errorf("%+v", got)
	}
	o.says(`"outcome":"waiting"`, "conversations", "take-over", "@ana", "--json")
	for command, want := range map[string]string{"conversations": "take-over", "events": "retry"} {
		if asked, ok := o.objects(command)[0]["asked"].(map[string]any); !ok || asked["wish"] != want || asked["asked_at"] == "" {
			t.Errorf("%s: what was asked for is %v", command, asked)
		}
	}
	o.says(`@ana .* bot; take-over by team asked for 20.*, waits for the bot`, "conversations")
}

func TestDecidingAboutNothing(t *testing.T) {
	o := newOffice(t)
	o.platform.AddPerson(emulator.Person{Username: "ana", FirstName: "Ana"})
	missing := o.nectar("events")
	if missing.status != 1 || !strings.Contains(missing.stderr, "nectar.db yet: start the bot once, or name another file\n") {
		t.Errorf("without a database: %+v", missing)
	}
	o.end(o.run())
	for _, c := range []struct {
		status int
		want   string
		args   string
	}{
		{1, `nobody is known as "@anna": write a user name like @ana, or a number as nectar conversations shows it`, "conversations show @anna"},
		{1, `nobody is known as "99": write a user name like @ana, or a number as nectar conversations shows it`, "events --peer 99"},
		{1, `there is no action "x/y/0"; nectar outbox --held lists what is held`, "outbox release x/y/0"},
		{1, `there is no event message:9; nectar events --quarantined lists what is quarantined`, "events retry message:9"},
		{2, `no account "news" has been at work on this database; there is only "main"`, "events --account news"},
		{2, `"501" is no event id: write it like message:501, notif:77 or mention:88 (see nectar events retry --help)`, "events retry 501"},
		{2, `name events like message:501, or all of them with --all (see nectar events retry --help)`, "events retry"},
		{2, `name actions by their numbers or keys; nectar outbox --held lists them (see nectar outbox drop --help)`, "outbox drop"},
		{2, `name one person, like @ana or 90 (see nectar conversations give-back --help)`, "conversations give-back"},
		{2, `--as wants a name of a person or team; "bot" and "person" have a meaning of their own (see nectar conversations take-over --help)`, "conversations take-over @ana --as bot"},
		{2, `--quarantined, --pending and --orphaned do not go together (see nectar events --help)`, "events --quarantined --pending"},
		{2, `invalid argument "0" for "--limit" flag: want a whole number from 1 on (see nectar outbox --help)`, "outbox --limit 0"},
		{2, `invalid argument "-1h" for "--since" flag: want a time from 0 on, like 30s, 24h or 7d (see nectar events --help)`, "events --since -1h"},
		{2, `invalid argument "7dx" for "--since" flag: want a time from 0 on, like 30s, 24h or 7d (see nectar audit --help)`, "audit --since 7dx"},
		{2, `say what to do with the conversation, as in: nectar conversations show @ana (see nectar conversations --help)`, "conversations @ana"},
		{2, `there is no command "takeover"; did you mean "take-over"? (see nectar conversations --help)`, "conversations takeover @ana"},
	} {
		o.refuses(c.status, c.want, strings.Fields(c.args)...)
	}
	o.says(`^nothing is quarantined: there is nothing to retry\n$`, "events", "retry", "--all")
	o.says(`^$`, "events", "retry", "--all", "--json")
	o.says(`^nothing has happened\n$`, "events", "--since", "7d")
	o.says(`^nothing is to be done\n$`, "outbox")
	o.says(`^there is no conversation yet\n$`, "conversations")
	o.says(`^the bot has all conversations\n$`, "conversations", "--taken-over")
}
