package rules_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/rehearse"
	"pgregory.net/rapid"
)

// drawRule draws a rule that answers under conditions.
func drawRule(t *rapid.T, id string) string {
	some := func(what string, from ...string) string {
		return strings.Join(rapid.SliceOfNDistinct(rapid.SampledFrom(from), 1, 2, rapid.ID[string]).Draw(t, what), ", ")
	}
	var says []string
	for _, list := range [][]string{
		{"any_word", "price", "prices", "box", "open", "delivery"},
		{"any_phrase", "the price", "price of the box", "open today", "box"},
		{"contains", "pri", "box", "x"},
		{"matches", "pri.e", "bo+x"},
		{"none_word", "refund", "box"},
		{"none_phrase", "the box", "a refund"},
	} {
		if rapid.IntRange(0, 2).Draw(t, list[0]) == 0 {
			says = append(says, fmt.Sprintf("%s: [%s]", list[0], some(list[0]+"s", list[1:]...)))
		}
	}
	var conds []string
	if len(says) > 0 {
		if rapid.Bool().Draw(t, "fuzzy") {
			says = append(says, "fuzzy: true")
		}
		conds = append(conds, "text: { "+strings.Join(says, ", ")+" }")
	}
	if rapid.IntRange(0, 3).Draw(t, "hours") == 0 {
		conds = append(conds, "hours: "+rapid.SampledFrom([]string{"open", "closed"}).Draw(t, "which"))
	}
	if rapid.IntRange(0, 3).Draw(t, "sender") == 0 {
		conds = append(conds, "sender: { "+rapid.SampledFrom([]string{"labels_none: [vip]", "labels_any: [vip]", "is_not: [\"@leo\"]"}).Draw(t, "who")+" }")
	}
	return fmt.Sprintf("  - { id: %s, when: [%s], if: [%s], then: [{ message: hello }], limits: { per_person: 100 per 1h } }\n",
		id, some("when", "message", "mention"), "{ "+strings.Join(conds, " }, { ")+" }")
}

var neverAnswers = regexp.MustCompile(`^(\S+) never answers, since (\S+) `)

// A rule of which the checker says that it never answers never does.
func TestShadowedRulesNeverAnswer(t *testing.T) {
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		file := "version: 1\nstatus: watch\nhours: { open: [Mon-Fri 09:00-18:00] }\nrules:\n"
		for i := range rapid.IntRange(2, 5).Draw(t, "rules") {
			file += drawRule(t, fmt.Sprintf("r%d", i))
		}
		file = strings.ReplaceAll(file, "[{  }]", "[]")
		src := rules.Sources{"a.yaml": []byte(file)}
		shadowed := map[string]bool{}
		for _, p := range rules.ReadAndCheck(src).Problems {
			if m := neverAnswers.FindStringSubmatch(p.Text); m != nil {
				shadowed[m[1]] = true
				found++
			}
		}
		v, _ := rules.Compile(src)
		if v == nil || len(shadowed) == 0 {
			return // entries contradict each other, or nothing is to be seen
		}
		words := rapid.SampledFrom([]string{"price", "prices", "prize", "box", "boxes", "the", "of", "open", "opne", "today", "delivery", "a", "refund", "x"})
		for i := range 20 {
			r := rehearse.NewRehearsal(v, tuesday.Add(time.Duration(rapid.IntRange(0, 20).Draw(t, "hour"))*time.Hour))
			r.Status = decision.Live
			g := r.Guest(rapid.SampledFrom([]string{"ana", "leo"}).Draw(t, "guest"))
			if rapid.Bool().Draw(t, "vip") {
				g.State.Labels = []string{"vip"}
			}
			kind := rapid.SampledFrom([]event.Kind{event.KindMessage, event.KindMention}).Draw(t, "kind")
			said := strings.Join(rapid.SliceOfN(words, 1, 6).Draw(t, fmt.Sprintf("said %d", i)), " ")
			scenes, err := r.Says(g, kind, said, 7)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range scenes {
				if shadowed[s.Decision.Rule] {
					t.Fatalf("%s answers %q, and was said to be shadowed\n%s", s.Decision.Rule, said, file)
				}
			}
		}
	})
	if found == 0 {
		t.Error("no rule was shadowed")
	}
}

// drawTalk draws a conversation whose texts say some of its answers. needs are the texts that need a
// fallback, as the checker names them: "s1 → ask: {{a0}}".
func drawTalk(t *rapid.T) (write func(needs map[string]bool) string) {
	n := rapid.IntRange(2, 5).Draw(t, "steps")
	step := func(what string) string { return fmt.Sprintf("s%d", rapid.IntRange(0, n).Draw(t, what)) }
	asks, says, branch, forgets := make([]bool, n), make([][]int, n+1), make([]string, n), make([]bool, n)
	for i := range n {
		asks[i] = i == 0 || rapid.IntRange(0, 3).Draw(t, "asks") > 0
		forgets[i] = rapid.IntRange(0, 7).Draw(t, "forgets") == 0
		if asks[i] && rapid.Bool().Draw(t, "branches") {
			branch[i] = fmt.Sprintf("{ if: { a%d: [x] }, goto: %s }, ", i, step("branch"))
		}
	}
	for i := range n + 1 {
		says[i] = rapid.SliceOfDistinct(rapid.IntRange(0, n-1), rapid.ID[int]).Draw(t, "says")
	}
	anytime, silent := step("any"), step("silent")
	return func(needs map[string]bool) string {
		texts := func(i int, part string) string {
			said := fmt.Sprintf("step %d", i)
			for _, a := range says[i] {
				if !asks[a] {
					continue
				}
				v := fmt.Sprintf("{{a%d}}", a)
				if needs[fmt.Sprintf("s%d → %s: %s", i, part, v)] {
					v = fmt.Sprintf("{{a%d|none}}", a)
				}
				said += " <" + v + ">"
			}
			return said
		}
		var b strings.Builder
		fmt.Fprintf(&b, "version: 1\nstatus: live\nconversations:\n  - id: talk\n    start: { when: message }\n    limits: { per_person: 100 per 1h }\n"+
			"    at_any_step: [{ if: { text: { any_word: [stop] } }, goto: %s }]\n    if_silent: [{ after: 1h, goto: %s }, ]\n    steps:\n", anytime, silent)
		for i := range n {
			then := ""
			if forgets[i] {
				then = ", then: [forget_answers]"
			}
			if asks[i] {
				fmt.Fprintf(&b, "      - { id: s%d, ask: %q, expect: text, save_as: a%d%s, next: [%s{ goto: s%d }] }\n", i, texts(i, "ask"), i, then, branch[i], i+1)
			} else {
				fmt.Fprintf(&b, "      - { id: s%d, say: %q%s, next: s%d }\n", i, texts(i, "say"), then, i+1)
			}
		}
		fmt.Fprintf(&b, "      - { id: s%d, say: %q, end: done }\n", n, texts(n, "say"))
		return b.String()
	}
}

// An answer of which the checker says that it needs no fallback is there whenever it is said, and a
// conversation that was checked comes to an end.
func TestAnswersWithoutAFallbackAreThere(t *testing.T) {
	sure := 0
	rapid.Check(t, func(t *rapid.T) {
		write := drawTalk(t)
		needs := map[string]bool{}
		src := func() rules.Sources { return rules.Sources{"a.yaml": []byte(write(needs))} }
		for _, p := range rules.ReadAndCheck(src()).Problems {
			if text, _, ok := strings.Cut(p.Text, " needs a fallback"); ok {
				needs[text] = true
			}
		}
		v, report := rules.Compile(src())
		if v == nil {
			t.Fatalf("%s\n%s", report.Problems, write(needs))
		}
		sure += strings.Count(write(needs), "}}>") - strings.Count(write(needs), "|none}}>")
		r := rehearse.NewRehearsal(v, tuesday)
		for range rapid.IntRange(1, 12).Draw(t, "turns") {
			var scenes []rehearse.Scene
			var err error
			if rapid.IntRange(0, 5).Draw(t, "waits") == 0 {
				scenes, err = pass(r, 2*time.Hour)
			} else {
				scenes, err = r.Says(r.Guest("ana"), event.KindMessage, rapid.SampledFrom([]string{"x", "y", "stop"}).Draw(t, "said"), 0)
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range scenes {
				for _, a := range s.Decision.Actions {
					if strings.Contains(a.Text, "<>") {
						t.Fatalf("it says %q\n%s", a.Text, write(needs))
					}
				}
			}
		}
	})
	if sure == 0 {
		t.Error("no answer was sure")
	}
}
