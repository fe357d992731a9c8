package notify_test

import (
	"flag"
	"fmt"
	"mime"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/notify"
)

var update = flag.Bool("update", false, "write testdata/notices.txt anew")

// page is every notice that is left, as those leave it who do, by its name.
func page() []struct {
	name string
	notify.Notice
} {
	since, why := time.Date(2027, 3, 2, 21, 4, 0, 0, time.UTC), event.Because
	type one = struct {
		name string
		notify.Notice
	}
	trouble := func(name, kind string, why event.Reason, text, do string) one {
		return one{name, notify.Notice{Kind: kind, Account: "cafe", Text: text, Details: event.Details{Why: why, Since: since, Do: do}}}
	}
	ended := func(kind string, why event.Reason) one {
		n := trouble(kind+", over", kind, why, "it had lasted since 2027-03-02 21:04 UTC", "")
		n.Over, n.Plain = true, true
		return n
	}
	person := func(kind, said, ask, do string) one {
		return one{kind, notify.Notice{Kind: kind, Account: "cafe", Peer: 812, Text: "message from @ana: " + said, Details: event.Details{Name: "Ana", User: "ana", Said: said, Plain: true, Ask: ask, Do: do}}}
	}
	refused := func(by, text string) one {
		return trouble("no session, "+by, notify.KindParked, why(record.TroubleRefused, "by", by), "It cannot sign in: "+text, "nectar doctor")
	}
	unheard := func(by, text string, pairs ...string) one {
		return trouble("unheard, "+by, notify.KindUnhealthy, why(record.TroubleUnhealthy, append(pairs, "by", by)...), text, "nectar doctor")
	}
	rules := func(by, about, text, ask, do string) one {
		n := trouble("rules, "+by, notify.KindRules, why(record.TroubleRules, "by", by, "about", about), text, do)
		n.Ask = ask
		return n
	}
	all := []one{
		person(notify.KindHandoff, "may I talk to somebody?", "Answer them on the platform: the bot is silent there. When you are done, give it back to the bot:", "nectar conversations give-back {who}"),
		person(notify.KindRule, "do you cater?", "", "nectar conversations show {who}"),
		person(notify.KindWaiting, "hello?", "Answer them on the platform. What was said until now:", "nectar conversations show {who}"),
		person(notify.KindApproval, "when do you open?", "The rule hours has prepared it. Let it leave, or: nectar outbox refuse 482913", "nectar outbox approve 482913"),
		{"campaign", notify.Notice{Kind: notify.KindCampaign, Account: "cafe", Text: "The campaign Spring menu has ended: its last day is over"}},
		{"held", notify.Notice{Kind: notify.KindHeld, Account: "cafe", Peer: 812, Text: "message: the conversation was taken over meanwhile", Details: event.Details{
			Since: since, Ask: "Look at the conversation first; then let it leave, or: nectar outbox drop 482913", Do: "nectar outbox release 482913",
		}}},
		{"quarantine", notify.Notice{Kind: notify.KindQuarantine, Account: "cafe", Peer: 812, Text: "message:77 could not be handled: panic: index out of range", Details: event.Details{
			Name: "Ana", User: "ana", Ask: "The conversation goes on without it. Find out why with nectar why message:77, then let it be tried again:", Do: "nectar events retry message:77",
		}}},
		refused("password", "login: refused with code 402: Incorrect Credentials"), refused("token", "its google sign-in cannot be renewed"),
		refused("another", "what is stored for it is of @cafe, and its credentials sign in as @bar"), refused("none", "it has no session and no credentials"),
		ended(notify.KindParked, ""),
		unheard("", "The message, notif of cafe are not heard: its polls fail (get_chats: 502 Bad Gateway)", "messages", "true"),
		unheard("stuck", "The message of cafe are not heard: its poll is stuck", "messages", "true"), unheard("stale", "The mention of cafe are not heard: its list stands still"),
		unheard("empty", "The message of cafe are not heard: its list is empty", "messages", "true"), unheard("hidden", "The message of cafe are not heard: its messages are not shown", "messages", "true"),
		unheard("blind", "The message of cafe are not heard: its list shows no news", "messages", "true"), ended(notify.KindUnhealthy, ""),
		trouble("reading", notify.KindReading, "", "The mention of cafe are read and come to no end: the platform shows ever older ones that nobody knows", "nectar doctor"),
		ended(notify.KindReading, why("over", "about", "mention")),
	}
	for _, by := range []string{"pace", "host", "platform"} {
		all = append(all, trouble("late, "+by, notify.KindLate, why(record.TroubleLate, "by", by), "On cafe 12 actions are due, the oldest for 7 minutes, and …: …", "nectar outbox --account cafe"))
	}
	rival := func(code event.ReasonCode, do string) one {
		return one{string(code), notify.Notice{Kind: notify.KindSecondBot, Account: "cafe", Text: "From the bot on shop-pc, account cafe: …", Details: event.Details{Why: why(code), Do: do, Over: code == event.WhyRivalGone}}}
	}
	all = append(all, ended(notify.KindLate, ""), rival(event.WhyRivalStops, "nectar accounts resume cafe"), rival(event.WhyRivalWarns, "nectar accounts resume cafe"), rival(event.WhyRivalStays, ""),
		rival(event.WhyRivalGone, ""),
		trouble("restored", notify.KindRestored, why(event.WhyCopy), "From the bot on shop-pc, account cafe: the database is a copy of …: 3 conversations in which …", "nectar conversations --taken-over"),
		trouble("renumbered", notify.KindRestored, why(event.WhyRenumbered), "From the bot on shop-pc, account cafe: the platform has numbered its messages anew: …", "nectar conversations --taken-over"),
		trouble("looks copied", notify.KindRestored, why(event.WhyLooksCopied), "From the bot on shop-pc, account cafe: in five or more conversations stand words …", "nectar restored"),
		trouble("crash", notify.KindCrashed, why(event.WhyCrash), "The bot on shop-pc had ended without being stopped, about 2027-03-02 21:04:00, and runs again. Version: v1.", ""),
		trouble("crash of a worker", notify.KindCrashed, why(event.WhyWorkerCrash, "worker", "w2"), "The worker w2 had ended without being stopped, about 2027-03-02 21:04:00, and others serve its accounts. Version: v1.", ""),
		trouble("paused", notify.KindPaused, why("rule.paused", "about", "welcome"), "welcome fired more than 50 times in 10m, and is paused", "nectar resume welcome"),
		rules("file", "10-faq.yaml", "10-faq.yaml: line 12: there is no key rulez; did you mean rules?", "", "nectar check"),
		rules("test", "10-faq.yaml", "10-faq.yaml: it was changed, and the change is not in force: with it the test of prices fails (20-shop.yaml:12: \"how much?\" expected reply, got no_reply)",
			"Change that test, or let it be live without it:", "nectar rules live 20-shop.yaml --without-test prices"),
		rules("beside", "10-faq.yaml", "10-faq.yaml: it works by itself, and is not in force as it was saved: 20-shop.yaml would not work beside it", "", "nectar check"),
		rules("missing", "", "The rule files cannot be read: there is no file or folder rules. What was in force since 2027-03-01 10:00 UTC stays so (files: 4); what is changed now does not arrive", "", "nectar doctor"),
		rules("nothing", "", "The rule files cannot be read: there is no file or folder rules. Nothing is in force, and nobody is answered", "", "nectar doctor"),
		rules("published", "shop", "10-faq.yaml of shop: line 12: there is no key only", "", "nectar back shop"),
		ended(notify.KindRules, why("over", "about", "10-faq.yaml")),
		trouble("disk, full", notify.KindDisk, why(record.TroubleStore), "The database takes no writes: nothing new is handled until it does", "nectar doctor"),
		trouble("disk, nearly full", notify.KindDisk, why(record.TroubleDisk), "Soon the database takes no writes: hardly anything is free on the disk of the database", "nectar status"),
		ended(notify.KindDisk, ""),
		trouble("undelivered", notify.KindUndelivered, why("address.given_up", "about", "sales"), "The team sales could not be called at ntfy://ntfy.sh/… for 24 hours (429 Too Many Requests): notices for it are given up there", "nectar notices --failed --team sales"),
		one{"test", notify.Notice{Kind: notify.KindTest, Text: "This is how the team team is called. Nobody has to do anything."}},
	)
	return all
}

// What people of ours are told of each kind, on a phone and by mail, is in testdata/notices.txt, for people to read.
func TestAllKindsOfNotices(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("America/Sao_Paulo")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	seen := map[string]bool{}
	for _, n := range page() {
		n.At = time.Date(2027, 3, 2, 21, 6, 0, 0, time.UTC).In(zone)
		if seen[n.Kind] = true; !n.Since.IsZero() {
			n.Since = n.Since.In(zone)
		}
		phone, body := got(t, "ntfy://HOST/topic", "message", told(n.Notice))
		p := newPostbox(t, "")
		if err := mailed(t, "smtp://"+p.Addr().String()+"?from=bot@example.org", notify.Config{Hosts: []string{p.Addr().String()}}, told(n.Notice)); err != nil {
			t.Fatal(err)
		}
		m, mail := p.mail(t)
		subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
		if err != nil || strings.TrimSpace(mail) != strings.TrimSpace(phone) || subject != body["title"] {
			t.Errorf("%s: by mail %q\n%s", n.name, subject, mail)
		}
		fmt.Fprintf(&all, "== %s\n[%s]\n%s\n", n.name, subject, phone)
		if strings.Contains(strings.Split(phone, "In detail:")[0], "UTC") {
			t.Errorf("%s: a time that is not theirs:\n%s", n.name, phone)
		}
	}
	for _, kind := range notify.Kinds() {
		if !seen[kind] {
			t.Errorf("%s is not there", kind)
		}
	}
	path := filepath.Join("testdata", "notices.txt")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(all.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), all.String()); diff != "" {
		t.Errorf("-update writes it anew (-want +got):\n%s", diff)
	}
}
