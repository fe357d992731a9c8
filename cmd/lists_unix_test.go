//go:build unix

package cmd

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	ruledecision "github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

// What rules decided shows in the lists of events and conversations, without what was told in private.
func TestLookingAtWhatRulesDo(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	o := newRuledOffice(t, "ana", "leo")
	p := o.run()
	ana, leo := script.Actor("ana"), script.Actor("leo")
	o.play(ana.Says("hi, are you open?"), ana.Expects("We are open from nine to six."))
	o.play(ana.Says("so, are you open?"), leo.Says("is there parking?"))
	o.comes(`"is there parking\?" +acted +\S+ +on watch: parking`, "events")
	o.play(leo.Says("quote please"), leo.Expects("How many guests?"))
	o.play(leo.Says("80"), leo.Expects("Where may we send it?"))
	o.play(leo.Says("leo@example.org"), leo.Expects("80 guests, answer to leo@example.org. Correct?"))
	o.comes(`"so, are you open\?" +held back +opening-hours +opening-hours matched, and is held back: the limit`, "events", "--rule", "opening-hours")

	o.says(`(?s)^SEEN +ID +WHO +WHAT +STATE +RULE\n[^\n]* message:\d+ +@ana +message "hi, are you open\?" +answered +opening-hours[^\n]*\n\nlooked at all that is kept since [^\n]*\n$`,
		"events", "--rule", "opening-hours", "--outcome", "Answered")
	o.says(`^[^\n]*\n[^\n]*"is there parking\?" +acted +\S+ +on watch: parking; it would have done: message "Behind the house."\n\nlooked at all[^\n]*\n$`, "events", "--outcome", "acted")
	o.says(`@leo +message \(private\) +answered +quote`, "events", "--peer", "@leo")
	o.says(`^nothing of that has happened\n\nlooked at all that is kept since [^\n]*\n$`, "events", "--outcome", "late")
	o.says(`@leo +\d+ +Leo .* bot .* quote at confirm`, "conversations")
	o.says(`@ana +\d+ +Ana .* curious\n`, "conversations")
	o.comes(`(?s)^@leo \(Leo\), number \d+, account main\nowner: bot\nstep: quote at confirm\n  contact: \(private\)\n  guests: 80\n\n`+
		`WHEN .*message "Behind the house." +withdrawn +parking +.* the rule parking is on watch\n.*message \(private\) +done +quote `,
		"conversations", "show", "@leo")
	o.says(`(?s)  contact: leo@example.org\n.*answer to leo@example.org`, "conversations", "show", "@leo", "--private")
	for _, command := range []string{"events", "conversations", "conversations show @leo", "outbox --peer @leo"} {
		for _, form := range []string{"", " --json"} {
			if got := o.nectar(strings.Fields(command + form)...); strings.Contains(got.stdout, "leo@example.org") {
				t.Errorf("%s%s shows what is private:\n%s", command, form, got.stdout)
			}
		}
	}
	if e := o.objects("events", "--rule", "opening-hours")[1]; e["outcome"] != "answered" || e["rule"] != "opening-hours" {
		t.Errorf("%v", e)
	}

	o.play(leo.Says("yes"), leo.Expects("Thank you!"))
	o.says(`(?s)^SINCE +WHO +NAME +GUESTS +CONTACT +KEY\n[^\n]* @leo +Leo +80 +\(private\) +\S+\n$`, "lists", "quotes")
	o.says(`@leo +Leo +80 +leo@example.org `, "lists", "quotes", "--private")
	o.end(p)
}

// puts leaves entries on a list of the bot.
func (o *office) puts(entries ...event.Entry) {
	o.t.Helper()
	o.inspect(func(d inspect.Inspector) {
		for _, e := range entries {
			e.Account = "main"
			if _, err := d.AddEntry(o.t.Context(), e); err != nil {
				o.t.Fatal(err)
			}
		}
	})
}

func (o *office) inspect(do func(d inspect.Inspector)) {
	o.t.Helper()
	d, err := inspect.Open(context.Background(), o.dir+"/nectar.db", "")
	if err != nil {
		o.t.Fatal(err)
	}
	do(d)
	if err := d.Close(); err != nil {
		o.t.Error(err)
	}
}

func TestLists(t *testing.T) {
	t.Parallel()
	o := newRuledOffice(t, "ana", "leo")
	p := o.run()
	ana := script.Actor("ana")
	o.says(`^nothing stands on any list yet\n$`, "lists")
	for _, said := range []string{"do you have oysters", "how do I get there?", "Do you have OYSTERS??"} {
		o.play(ana.Says(said))
		o.comes(regexp.QuoteMeta(said), "lists", "unanswered") // and not together with what follows
	}
	o.comes(`(?s)^TIMES +PEOPLE +LAST +TEXT\n2 +1 +20\S+ \S+ +Do you have OYSTERS\?\?\n1 +1 +20\S+ \S+ +how do I get there\?\n$`, "lists", "unanswered")
	o.says(`(?s)^SINCE +WHO +NAME +TEXT +KEY\n[^\n]*OYSTERS.*how do I get there\?.*do you have oysters`, "lists", "unanswered", "--each")
	if all := o.objects("lists", "unanswered", "--limit", "1"); len(all) != 1 || all[0]["times"] != 2.0 || all[0]["people"] != 1.0 {
		t.Errorf("%v", all)
	}
	o.says(`^LIST +ENTRIES\nunanswered +3\n$`, "lists")

	o.says(`^@ana is on the list do-not-touch\n$`, "lists", "add", "do-not-touch", "@ana")
	o.says(`^@ANA was on the list do-not-touch\n$`, "lists", "add", "do-not-touch", "@ANA")
	o.says(`^999 is on the list do-not-touch\n$`, "lists", "add", "do-not-touch", "999")
	o.inspect(func(d inspect.Inspector) {
		if listed, err := d.Listed(t.Context(), event.Key{Account: "main", Peer: o.platform.UserID("ana")}, "do-not-touch"); !listed || err != nil {
			t.Errorf("ana is not on it: %v", err)
		}
	})
	o.says(`^@ana is off the list do-not-touch\n$`, "lists", "remove", "do-not-touch", "@ana")
	o.says(`^999 is off the list do-not-touch\n$`, "lists", "remove", "do-not-touch", "999")
	o.says(`^nothing stands on "do-not-touch"\n$`, "lists", "do-not-touch")
	o.puts(event.Entry{List: "paused", Key: "welcome", Text: "welcome fired more than 50 times in 10m0s, and is paused"})
	o.says(`welcome fired more than 50 times`, "lists", "paused")
	o.says(`^welcome goes on\n$`, "lists", "remove", "paused", "welcome")
	o.end(p)

	for _, c := range []struct {
		status int
		want   string
		args   string
	}{
		{1, `nothing stands on a list "unansweredd"; did you mean "unanswered"?`, "lists unansweredd"},
		{1, `welcome is not on the list paused; nectar lists paused shows what is`, "lists remove paused welcome"},
		{1, `nobody is known as "@zoe": write a user name like @ana, or a number as nectar conversations shows it`, "lists add do-not-touch @zoe"},
		{1, `-3 is nobody's number`, "lists add do-not-touch -- -3"},
		{2, `name a list and a person, like @ana or 90 (see nectar lists add --help)`, "lists add do-not-touch"},
		{2, `on this list stand rules that stopped themselves; to stop one, write status: paused into its file (see nectar lists add --help)`, "lists add paused welcome"},
		{2, `name a list, and a key or a person, like @ana or 90 (see nectar lists remove --help)`, "lists remove paused"},
		{2, `--csv goes with the name of a list, and not with --json (see nectar lists --help)`, "lists --csv"},
	} {
		o.refuses(c.status, c.want, strings.Fields(c.args)...)
	}
}

// What people write is no formula of a spreadsheet, and what they told in private is not in it.
func TestListsForSpreadsheets(t *testing.T) {
	o := newOffice(t)
	o.end(o.run())
	at := time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)
	o.puts(
		event.Entry{List: "leads", Key: "a", Peer: 900, At: at, Data: []byte(`[{"name":"guests","value":"80"},{"name":"contact","value":"+351 21","private":true}]`)},
		event.Entry{
			List: "leads", Key: "=b", Peer: 901, At: at.Add(time.Hour), Text: "one, \"two\"\nthree",
			Data: []byte(`[{"name":"name","value":"=cmd()"},{"name":"guests","value":"-3"}]`),
		},
		event.Entry{List: "unanswered", Key: "c", At: at, Text: "@all now?"},
	)
	got := o.nectar("lists", "leads", "--csv")
	if bare := o.nectar("lists", "leads", "--csv", "--no-bom"); got.stdout != "\uFEFF"+bare.stdout {
		t.Errorf("%q, and without a mark %q", got.stdout, bare.stdout)
	}
	got = o.nectar("lists", "leads", "--csv", "--no-bom")
	if got.status != 0 || strings.Count(got.stdout, "\r\n") != 4 {
		t.Fatalf("%+v", got)
	}
	lines, err := csv.NewReader(strings.NewReader(got.stdout)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"since", "account", "number", "user", "name", "text", "key", "answer name", "guests", "contact"},
		{"2026-11-20T13:00:00Z", "main", "901", "", "", "one, \"two\"\nthree", "'=b", "'=cmd()", "'-3", ""},
		{"2026-11-20T12:00:00Z", "main", "900", "", "", "", "a", "", "80", "(private)"},
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
	if got := o.nectar("lists", "leads", "--csv", "--private"); !strings.Contains(got.stdout, "'+351 21") {
		t.Errorf("%+v", got)
	}
	o.says(`^\x{FEFF}"times","people","first","last","text"\r\n"1","1","2026-11-20T12:00:00Z","2026-11-20T12:00:00Z","'@all now\?"\r\n$`, "lists", "unanswered", "--csv")
	o.says(`"fields":\{"contact":"\(private\)","guests":"80"\}`, "lists", "leads", "--json")
	o.says(`^nothing was added to "leads" within that time\n$`, "lists", "leads", "--since", "0h1m")
}

// What strangers write reaches into no terminal and no spreadsheet, whichever way it is shown.
func TestSignsOfOutsiders(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	o := newOffice(t)
	const hostile = "A\x1b[2J\u009b31m\u202eb\u2066c\u200fd\u061ce\x7f\U000e0041;=1+1\tx\r\n+2\u2028@3"
	o.platform.AddPerson(emulator.Person{Username: "zoe", FirstName: hostile})
	p := o.run()
	o.tells("zoe", hostile)
	o.expects("zoe", "Thanks for writing")
	o.end(p)
	id := o.said("zoe", hostile)
	held := o.owes("zoe", hostile, 1)
	o.puts(event.Entry{List: "leads", Key: hostile, Peer: o.platform.UserID("zoe"), At: time.Now(), Text: hostile, Data: jsonOf(t, []ruledecision.Field{{Name: hostile, Value: hostile}})},
		event.Entry{List: hostile, Key: "k", At: time.Now()}, event.Entry{List: "unanswered", Key: "k", At: time.Now(), Text: hostile})
	whole := func(text any) bool { return strings.Contains(fmt.Sprint(text), hostile) }
	for _, args := range []string{
		"lists", "lists leads", "lists unanswered", "lists unanswered --each", "lists leads --csv --no-bom", "lists unanswered --csv --no-bom", "events", "why " + id,
		"outbox", "outbox --peer @zoe", "conversations", "conversations show @zoe", "why " + held, "events retry " + id, "outbox release " + held,
		"lists --json", "lists leads --json", "lists unanswered --json", "events --json", "outbox --json", "conversations --json",
		"conversations show @zoe --json", "why --json " + id,
	} {
		got := o.nectar(strings.Fields(args)...)
		if got.status != 0 || got.stdout == "" {
			t.Errorf("nectar %s: %+v", args, got)
		}
		if i := strings.IndexFunc(got.stdout+got.stderr, unfit); i >= 0 {
			t.Errorf("nectar %s passes on a sign: %q", args, (got.stdout + got.stderr)[i:])
		}
		if !strings.HasSuffix(args, "--json") {
			continue
		}
		found := false
		for line := range strings.Lines(got.stdout) {
			var v any
			if err := json.Unmarshal([]byte(line), &v); err != nil {
				t.Errorf("nectar %s: %v", args, err)
			}
			found = found || whole(v)
		}
		if !found {
			t.Errorf("nectar %s has lost what was said: %s", args, got.stdout)
		}
	}
}

func jsonOf(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestFolded(t *testing.T) {
	for _, same := range [][]string{
		{"Do you deliver?", "do you  deliver", "DO YOU DELIVER!!!", "dó yóu deliver ?"},
		{"¿Abrís mañana?", "abris manana", "Abri\u0301s man\u0303ana"},
		{"営業時間は？", "営業時間は"},
		{"🎉", "🎉!"},
		{"fish &amp; chips", "fish chips"},
	} {
		for _, text := range same {
			if view.FoldText(text) != view.FoldText(same[0]) {
				t.Errorf("%q is %q, %q is %q", same[0], view.FoldText(same[0]), text, view.FoldText(text))
			}
		}
	}
	if view.FoldText("?!") == view.FoldText("...") || view.FoldText("80") == view.FoldText("81") {
		t.Error("different texts are the same")
	}
}
