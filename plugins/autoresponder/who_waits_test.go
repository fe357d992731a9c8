package autoresponder_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
)

// waitsFor are rules of every kind that a turn can end by.
const waitsFor = `version: 1
status: live
defaults: { merge_messages: 0s, reply_after: 0s }
rules:
  - id: prices
    when: message
    if: { text: { any_word: [price] } }
    then: [{ reply: "12." }]
    limits: { per_person: 2 per 12h }
  - id: emergency
    when: message
    if: { text: { any_word: [emergency] } }
    then: [{ handoff: { to: sales, say_open: "Somebody comes.", say_closed: "Somebody comes.", bot_returns: after 1h of silence } }]
    limits: { per_person: 1 per 12h }
  - id: told
    when: message
    if: { text: { any_word: [lead] } }
    then: [{ notify: { who: sales } }, { reply: "Noted." }]
    limits: { per_person: 5 per 12h }
  - id: later
    when: message
    if: { text: { any_word: [offer] } }
    then: [{ notify: { who: sales, if_waiting: 30m } }, { reply: "We look." }]
    limits: { per_person: 5 per 12h }
  - id: listed
    when: message
    if: { text: { any_word: [weddings] } }
    then: [{ list: unanswered }, { reply: "We ask." }]
    limits: { per_person: 5 per 12h }
  - id: books
    when: message
    if: { text: { any_word: [lovely] } }
    then: [{ label: fan }]
    limits: { per_person: 5 per 12h }
  - id: thanks
    when: message
    if: { text: { any_word: [thanks] } }
    then: [ignore]
  - id: asks
    status: ask
    when: message
    if: { text: { any_word: [refund] } }
    then: [{ reply: "You get it." }]
    limits: { per_person: 5 per 12h }
  - id: notes
    status: ask
    when: message
    if: { text: { any_word: [vip] } }
    then: [{ label: vip }]
    limits: { per_person: 5 per 12h }
  - id: looked-at
    status: ask
    when: message
    if: { text: { any_word: [quote] } }
    then: [{ notify: { who: sales, if_waiting: 30m } }, { reply: "We look." }]
    limits: { per_person: 5 per 12h }
  - id: both
    status: ask
    when: mention
    if: { text: { any_word: [brunch] } }
    then: [{ like: the_post }, { reply: "Thank you." }]
    limits: { per_person: 5 per 12h }
  - id: looks
    status: watch
    when: message
    if: { text: { any_word: [jobs] } }
    then: [{ reply: "None." }]
    limits: { per_person: 5 per 12h }
`

// waitersIn returns who waits, each with why.
func waitersIn(t *testing.T, w *bottest.World) string {
	t.Helper()
	var all []string
	w.Inspect(func(d inspect.Inspector) {
		those, counts, err := inspect.WhoWaits(context.Background(), d, 100, "bot")
		if err != nil || counts["bot"] != len(those) {
			t.Fatal(len(those), counts, err)
		}
		for i := range those {
			x, said := &those[i], ""
			if x.Event != nil {
				said = " " + x.Event.Text
			}
			all = append(all, fmt.Sprintf("%s%s", x.Why, said))
		}
	})
	return strings.Join(all, "; ")
}

// Whoever nobody has dealt with waits, however a turn has ended.
func TestWhoWaitsAfter(t *testing.T) {
	t.Parallel()
	pass := func(w *bottest.World) { w.Advance(2 * time.Minute) }
	says := func(texts ...string) func(w *bottest.World, ana *bottest.Person) {
		return func(w *bottest.World, ana *bottest.Person) {
			for _, text := range texts {
				ana.Says(text)
				pass(w)
			}
		}
	}
	request := func(wish event.Wish, until time.Duration) func(w *bottest.World, ana *bottest.Person) {
		return func(w *bottest.World, ana *bottest.Person) {
			q := event.Request{Key: event.Key{Account: "bot", Peer: ana.ID()}, Wish: wish, Owner: "ines"}
			if until > 0 {
				q.Until = time.Now().Add(until)
			}
			w.Ask(q)
			pass(w)
		}
	}
	approves := func(wish event.Wish) func(w *bottest.World, ana *bottest.Person) {
		return func(w *bottest.World, ana *bottest.Person) {
			key := ""
			w.Inspect(func(d inspect.Inspector) {
				held, err := d.Actions(context.Background(), record.ActionQuery{Account: "bot", State: event.StateHeld, Limit: 1})
				if err != nil || len(held) != 1 {
					t.Fatal(held, err)
				}
				key = held[0].Key
			})
			w.Ask(event.Request{Key: event.Key{Account: "bot", Peer: ana.ID()}, Wish: wish, Action: key, By: "ines"})
			pass(w)
		}
	}
	pauses := func(wish event.Wish) func(w *bottest.World, ana *bottest.Person) {
		return func(w *bottest.World, _ *bottest.Person) {
			w.Ask(event.Request{Key: event.Key{Account: "bot"}, Wish: wish, By: "ines"})
			pass(w)
		}
	}
	tells := func(w *bottest.World, ana *bottest.Person) { w.Account("bot").Tells(ana, "Hi, this is Sam."); pass(w) }
	for name, c := range map[string]struct {
		want string
		do   []func(w *bottest.World, ana *bottest.Person)
	}{
		"answered":                         {"", []func(w *bottest.World, ana *bottest.Person){says("the price?")}},
		"unmatched":                        {"words.unanswered?outcome=unmatched hm", []func(w *bottest.World, ana *bottest.Person){says("hm")}},
		"unmatched, and then answered":     {"", []func(w *bottest.World, ana *bottest.Person){says("hm", "price?")}},
		"answered, and then unmatched":     {"words.unanswered?outcome=unmatched hm", []func(w *bottest.World, ana *bottest.Person){says("price?", "hm")}},
		"held back":                        {"words.unanswered?outcome=held+back price!", []func(w *bottest.World, ana *bottest.Person){says("price?", "a price?", "price!")}},
		"ignored":                          {"", []func(w *bottest.World, ana *bottest.Person){says("thanks")}},
		"unmatched, and then ignored":      {"words.unanswered?outcome=unmatched hm", []func(w *bottest.World, ana *bottest.Person){says("hm", "thanks")}},
		"handed over":                      {"conversation.owned?owner=sales emergency", []func(w *bottest.World, ana *bottest.Person){says("emergency")}},
		"handed over, and writes":          {"conversation.owned?owner=sales hello?", []func(w *bottest.World, ana *bottest.Person){says("emergency", "hello?")}},
		"handed over, and one of us wrote": {"", []func(w *bottest.World, ana *bottest.Person){says("emergency"), tells}},
		"handed over, one of us wrote, and she goes on": {"conversation.owned?owner=sales really?", []func(w *bottest.World, ana *bottest.Person){says("emergency"), tells, says("really?")}},
		"handed over, one of us wrote, and she thanks":  {"", []func(w *bottest.World, ana *bottest.Person){says("emergency"), tells, says("thanks")}},
		"handed over, and she thanks":                   {"conversation.owned?owner=sales emergency", []func(w *bottest.World, ana *bottest.Person){says("emergency", "thanks")}},
		"handed over, and the bot speaks again":         {"conversation.owned?owner=sales emergency", []func(w *bottest.World, ana *bottest.Person){says("emergency"), func(w *bottest.World, _ *bottest.Person) { w.Advance(2 * time.Hour) }, says("price?")}},
		"told, and answered":                            {"", []func(w *bottest.World, ana *bottest.Person){says("a lead")}},
		"called unless dealt with":                      {"rule.calls?rule=later offer", []func(w *bottest.World, ana *bottest.Person){says("offer")}},
		"called, and answered to something else":        {"rule.calls?rule=later offer", []func(w *bottest.World, ana *bottest.Person){says("offer", "price?")}},
		"listed":                                        {"rule.calls?rule=listed weddings", []func(w *bottest.World, ana *bottest.Person){says("weddings")}},
		"books alone":                                   {"words.unanswered?outcome=acted lovely", []func(w *bottest.World, ana *bottest.Person){says("lovely")}},
		"on watch":                                      {"words.unanswered?outcome=watched jobs", []func(w *bottest.World, ana *bottest.Person){says("jobs")}},
		"on ask":                                        {"action.held", []func(w *bottest.World, ana *bottest.Person){says("refund")}},
		"asked for silence":                             {"", []func(w *bottest.World, ana *bottest.Person){says("stop")}},
		"asked for silence, and takes no messages":      {"", []func(w *bottest.World, ana *bottest.Person){func(w *bottest.World, ana *bottest.Person) { w.Platform().SetPrivacy(ana.ID(), false, true) }, says("stop")}},
		"asked for silence, and asks":                   {"rule.calls?rule=stop_words price?", []func(w *bottest.World, ana *bottest.Person){says("stop", "price?")}},
		"asked for silence, and thanks":                 {"", []func(w *bottest.World, ana *bottest.Person){says("stop", "thanks")}},
		"asked for silence, asks, and thanks":           {"rule.calls?rule=stop_words price?", []func(w *bottest.World, ana *bottest.Person){says("stop", "price?", "thanks")}},
		"on ask, and asked for silence":                 {"answer.failed?action=ACTION&state=dropped refund", []func(w *bottest.World, ana *bottest.Person){says("refund", "stop")}},
		"unmatched, and asked for silence":              {"words.unanswered?outcome=unmatched hm", []func(w *bottest.World, ana *bottest.Person){says("hm", "stop")}},
		"done":                                          {"", []func(w *bottest.World, ana *bottest.Person){says("emergency"), request(event.WishDone, 0)}},
		"done, and writes":                              {"conversation.owned?owner=sales hello?", []func(w *bottest.World, ana *bottest.Person){says("emergency"), request(event.WishDone, 0), says("hello?")}},
		"put off":                                       {"", []func(w *bottest.World, ana *bottest.Person){says("emergency"), request(event.WishLater, time.Hour)}},
		"put off, and writes":                           {"conversation.owned?owner=sales hello?", []func(w *bottest.World, ana *bottest.Person){says("emergency"), request(event.WishLater, time.Hour), says("hello?")}},
		"put off, and it is over":                       {"conversation.owned?owner=sales emergency", []func(w *bottest.World, ana *bottest.Person){says("emergency"), request(event.WishLater, time.Hour), func(w *bottest.World, _ *bottest.Person) { w.Advance(61 * time.Minute) }}},
		"taken over by a command":                       {"words.unanswered?outcome=unmatched hm", []func(w *bottest.World, ana *bottest.Person){says("hm"), request(event.WishTakeOver, 0)}},
		"refused":                                       {"answer.failed?action=ACTION&state=refused price?", []func(w *bottest.World, ana *bottest.Person){func(w *bottest.World, ana *bottest.Person) { w.Platform().SetPrivacy(ana.ID(), false, true) }, says("price?")}},
		"in the same poll as our words, before": {"", []func(w *bottest.World, ana *bottest.Person){func(w *bottest.World, ana *bottest.Person) {
			ana.Says("hm")
			w.Account("bot").Tells(ana, "Sam here.")
			pass(w)
		}}},
		"in the same poll as our words, behind": {"conversation.owned?owner=person hm", []func(w *bottest.World, ana *bottest.Person){func(w *bottest.World, ana *bottest.Person) {
			w.Account("bot").Tells(ana, "Sam here.")
			ana.Says("hm")
			pass(w)
		}}},
		"while the bot was down, before": {"", []func(w *bottest.World, ana *bottest.Person){says("price?"), func(w *bottest.World, ana *bottest.Person) {
			w.Stop()
			ana.Says("hm")
			w.Account("bot").Tells(ana, "Sam here.")
			w.Start()
			pass(w)
		}}},
		"while the bot was down, behind": {"conversation.owned?owner=person hm", []func(w *bottest.World, ana *bottest.Person){says("price?"), func(w *bottest.World, ana *bottest.Person) {
			w.Stop()
			w.Account("bot").Tells(ana, "Sam here.")
			ana.Says("hm")
			w.Start()
			pass(w)
		}}},
		"forgotten":                                      {"", []func(w *bottest.World, ana *bottest.Person){says("hm"), request(event.WishForget, 0)}},
		"on ask, and approved":                           {"", []func(w *bottest.World, ana *bottest.Person){says("refund"), approves(event.WishRelease)}},
		"on ask, and refused":                            {"", []func(w *bottest.World, ana *bottest.Person){says("refund"), approves(event.WishDrop)}},
		"on ask, and nobody looks":                       {"answer.failed?action=ACTION&state=expired refund", []func(w *bottest.World, ana *bottest.Person){says("refund"), func(w *bottest.World, _ *bottest.Person) { w.Advance(50 * time.Hour) }}},
		"on ask, one of us wrote, and nobody looks":      {"", []func(w *bottest.World, ana *bottest.Person){says("refund"), func(w *bottest.World, _ *bottest.Person) { w.Advance(5 * time.Minute) }, tells, func(w *bottest.World, _ *bottest.Person) { w.Advance(50 * time.Hour) }}},
		"on ask, approved, and called unless dealt with": {"rule.calls?rule=looked-at quote", []func(w *bottest.World, ana *bottest.Person){says("quote"), approves(event.WishRelease)}},
		"on ask, approved, called, and one of us wrote":  {"", []func(w *bottest.World, ana *bottest.Person){says("quote"), approves(event.WishRelease), tells}},
		"on ask, mentioned, and approved": {"words.unanswered?outcome=unmatched @bot where are you?", []func(w *bottest.World, ana *bottest.Person){says("refund"), func(w *bottest.World, ana *bottest.Person) {
			w.Advance(5 * time.Minute)
			ana.Mentions("where are you?")
			w.Advance(5 * time.Minute)
		}, approves(event.WishRelease)}},
		"mentioned, on ask, and approved": {"", []func(w *bottest.World, ana *bottest.Person){func(w *bottest.World, ana *bottest.Person) {
			ana.Mentions("where are you?")
			w.Advance(5 * time.Minute)
		}, says("refund"), approves(event.WishRelease)}},
		"on ask, and nothing said":                     {"words.unanswered?outcome=prepared vip; action.held", []func(w *bottest.World, ana *bottest.Person){says("vip")}},
		"on ask, nothing said, and approved":           {"", []func(w *bottest.World, ana *bottest.Person){says("vip"), approves(event.WishRelease)}},
		"on ask, nothing said, and refused":            {"", []func(w *bottest.World, ana *bottest.Person){says("vip"), approves(event.WishDrop)}},
		"on ask, nothing said, and nobody looks":       {"words.unanswered?outcome=prepared vip", []func(w *bottest.World, ana *bottest.Person){says("vip"), func(w *bottest.World, _ *bottest.Person) { w.Advance(7 * time.Hour) }}},
		"on ask, liked and answered, and nobody looks": {"answer.failed?action=ACTION&state=expired @bot brunch", []func(w *bottest.World, ana *bottest.Person){func(w *bottest.World, ana *bottest.Person) { ana.Mentions("brunch"); w.Advance(7 * time.Hour) }}},
		"paused":                 {"words.unanswered?outcome=paused price?", []func(w *bottest.World, ana *bottest.Person){pauses(event.WishPause), says("price?")}},
		"paused, and it goes on": {"words.unanswered?outcome=paused price?", []func(w *bottest.World, ana *bottest.Person){pauses(event.WishPause), says("price?"), pauses(event.WishGoOn)}},
		"mentioned":              {"words.unanswered?outcome=unmatched @bot where are you?", []func(w *bottest.World, ana *bottest.Person){func(w *bottest.World, ana *bottest.Person) { ana.Mentions("where are you?"); pass(w) }}},
		"liked":                  {"", []func(w *bottest.World, ana *bottest.Person){func(w *bottest.World, ana *bottest.Person) { ana.Likes(w.Posts("new")); pass(w) }}},
	} {
		for _, merge := range []string{"0s", "5s"} {
			t.Run(name+", rows of "+merge, func(t *testing.T) {
				effort.Case(t)
				dir := t.TempDir()
				write(t, dir, "10-all.yaml", strings.Replace(waitsFor, "merge_messages: 0s", "merge_messages: "+merge, 1))
				write(t, dir, "settings.yaml", "version: 1\nstop_words: [stop]\nwho: { sales: {} }\n")
				run(t, dir, tuesday, func(w *bottest.World) {
					ana := w.Person("ana")
					for _, do := range c.do {
						do(w, ana)
					}
					have := waitersIn(t, w)
					if strings.Contains(c.want, "ACTION") && strings.Contains(have, "action=") {
						_, behind, _ := strings.Cut(have, "&")
						have = "answer.failed?action=ACTION&" + behind
					}
					if have != c.want {
						t.Errorf("who waits: %q, want %q", have, c.want)
					}
				})
			})
		}
	}
}

// What waits for an approval comes to nothing by her "stop": she waits for it, unless one of us has written since.
func TestWhoWaitsWhenTheyStopWhatWaits(t *testing.T) {
	t.Parallel()
	for written, want := range map[bool]int{true: 0, false: 1} {
		rules := "version: 1\nstatus: ask\ndefaults: { merge_messages: 0s, reply_after: 0s }\nrules:\n  - id: box\n    when: message\n    if: { text: { any_word: [box] } }\n    then: [{ reply: \"Yes.\" }]\n    limits: { per_person: 9 per 12h }\n"
		dir := folderOf(t, "settings.yaml", "version: 1\nstop_words: [stop]\nwho: { sales: {} }\n", "10-all.yaml", rules)
		run(t, dir, tuesday, func(w *bottest.World) {
			ana := w.Person("ana")
			ana.Says("a box?")
			w.Advance(2 * time.Minute)
			if written {
				w.Account("bot").Tells(ana, "this is Sam")
				w.Advance(2 * time.Minute)
			}
			ana.Says("stop")
			w.Advance(2 * time.Minute)
			if got := waitersIn(t, w); strings.Count(got, "answer.failed") != want {
				t.Errorf("written %v: who waits: %q", written, got)
			}
		})
	}
}

// A rule that looks whether somebody was answered decides anew about nobody's last words: these had a turn of their own. Who ends a silence asks for no answer,
// also while a person of ours has the conversation.
func TestWhoWaitsAfterSilence(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, "settings.yaml", "version: 1\nstop_words: [stop]\nwho: { sales: {} }\n", "10-all.yaml", waitsFor+`  - id: silent
    when: silence
    after: 45m
    then: [{ notify: { who: sales, text: "nobody answered {{text|it}}" } }]
    limits: { per_person: 5 per 12h }
`)
	run(t, dir, tuesday, func(w *bottest.World) {
		ana, leo, mia, zoe := w.Person("ana"), w.Person("leo"), w.Person("mia"), w.Person("zoe")
		leo.Says("hm")
		mia.Says("stop")
		zoe.Says("stop")
		w.Advance(2 * time.Minute)
		mia.Says("start")
		w.Account("bot").Tells(zoe, "this is Sam")
		w.Advance(2 * time.Minute)
		zoe.Says("start")
		for _, text := range []string{"hm", "price?"} {
			ana.Says(text)
			w.Advance(2 * time.Minute)
		}
		w.Advance(time.Hour)
		if got, told := waitersIn(t, w), strings.Count(w.Log(), "nobody answered "); got != "words.unanswered?outcome=acted hm" || told != 3 {
			t.Errorf("who waits: %q, and people were told %d times", got, told)
		}
	})
}
