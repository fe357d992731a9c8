package rules_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/rehearse"
	"pgregory.net/rapid"
)

// wordRules draws a file of rules that look for words.
func wordRules(t *rapid.T, status string) *rules.Version {
	words := []string{"one", "two", "three", "four"}
	var b strings.Builder
	b.WriteString("version: 1\nname: drawn\nstatus: live\ndefaults: { merge_messages: 6s, limits: { per_person: 2 per 1d } }\nrules:\n")
	for i := range rapid.IntRange(1, 5).Draw(t, "rules") {
		looks := fmt.Sprintf("any_word: [%s]", strings.Join(rapid.SliceOfNDistinct(rapid.SampledFrom(words), 1, 2, rapid.ID).Draw(t, "words"), ", "))
		if rapid.IntRange(0, 4).Draw(t, "phrase") == 0 {
			looks = "any_phrase: [" + rapid.SampledFrom(words).Draw(t, "from") + " " + rapid.SampledFrom(words).Draw(t, "to") + "]"
		}
		if rapid.IntRange(0, 3).Draw(t, "none") == 0 {
			looks += ", none_word: [" + rapid.SampledFrom([]string{"not", "hm"}).Draw(t, "none word") + "]"
		}
		act := fmt.Sprintf("reply: \"r%d\"", i)
		if rapid.IntRange(0, 5).Draw(t, "hands") == 0 {
			act = fmt.Sprintf("handoff: { to: team, say_open: \"h%d\" }", i)
		}
		of := status
		if of == "" {
			of = rapid.SampledFrom([]string{"live", "live", "live", "ask", "watch"}).Draw(t, "status")
		}
		fmt.Fprintf(&b, "  - id: r%d\n    status: %s\n    when: message\n    if: { text: { %s } }\n    then: [{ %s }, { label: l%d }]\n", i, of, looks, act, i)
	}
	b.WriteString("  - id: none\n    when: no_match\n    then: [{ list: odd }]\n  - id: held\n    when: held_back\n    then: [{ list: held }]\n")
	src := rules.Sources{"10-test.yaml": []byte(b.String()), "settings.yaml": []byte("version: 1\nwho: { team: {} }\n")}
	v, report := rules.Compile(src)
	if v == nil {
		if !strings.Contains(fmt.Sprint(report.Problems), "never answers") {
			t.Fatalf("%v\n%s", report.Problems, b.String())
		}
		t.Skip("one rule shadows another")
	}
	return v
}

// drawTexts draws what somebody writes in a row.
func drawTexts(t *rapid.T) []string {
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"one", "two", "three", "four", "hm", "not"}), 1, 3).Draw(t, "words"), " ")
	})
	return rapid.SliceOfN(text, 1, 5).Draw(t, "texts")
}

// answer decides about texts that come in a row, and returns the decision.
func answer(t *rapid.T, r *rehearse.Rehearsal, texts []string) *decision.Decision {
	for _, text := range texts {
		if _, err := r.Says(r.Guest("ana"), event.KindMessage, text, 0); err != nil {
			t.Fatal(err)
		}
	}
	scenes, err := r.Quiesce()
	if err != nil || len(scenes) != 1 {
		t.Fatal(len(scenes), err)
	}
	return &scenes[0].Decision
}

// said returns what is said that leaves or waits, and how many messages that are.
func said(d *decision.Decision) (lines []string, messages int) {
	for _, a := range d.Actions {
		if a.Status.Acts() && a.Verb.Makes() {
			lines = append(lines, strings.Split(a.Text, "\n\n")...)
			messages++
		}
	}
	return lines, messages
}

// However many questions a burst has, one message leaves; each text leads to one rule at most; what the texts get as
// one text comes first; and who gives the conversation away stands alone.
func TestBurstsOfQuestions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := wordRules(t, rapid.SampledFrom([]string{"", "live"}).Draw(t, "all"))
		parts, whole := rehearse.NewRehearsal(v, tuesday), rehearse.NewRehearsal(v, tuesday)
		for _, text := range rapid.SliceOfN(rapid.SampledFrom([]string{"one", "two", "hm"}), 0, 2).Draw(t, "before") {
			if answer(t, parts, []string{text}).Handoff != nil || answer(t, whole, []string{text}).Handoff != nil {
				return
			}
		}
		texts := drawTexts(t)
		d, one := answer(t, parts, texts), answer(t, whole, []string{strings.Join(texts, "\n")})
		lines, messages := said(d)
		if messages > 1 {
			t.Fatalf("%q: %d messages: %q", texts, messages, lines)
		}
		seen := map[event.ID]bool{}
		for _, led := range d.Led {
			if seen[led.Event] {
				t.Fatalf("%q: two rules for one text: %v", texts, d.Led)
			}
			seen[led.Event] = true
		}
		first, _ := said(one)
		switch handed := d.Handoff != nil; {
		case handed && len(lines) > 1:
			t.Fatalf("%q: not alone: %q", texts, lines)
		case !handed && len(first) > 0 && !slices.Contains(lines, first[0]):
			t.Fatalf("%q: as one text %q, and now %q", texts, first, lines)
		case len(texts) == 1 && !slices.Equal(lines, first):
			t.Fatalf("%q: alone %q, and now %q", texts, first, lines)
		}
	})
}

// A burst of one text is decided as the text is that no burst was waited for.
func TestBurstOfOneText(t *testing.T) {
	t.Parallel()
	src, err := rules.ReadSources("testdata/reference")
	if err != nil {
		t.Fatal(err)
	}
	at := map[bool]*rules.Version{}
	for _, waits := range []bool{true, false} {
		for name, content := range src {
			if !waits {
				src[name] = []byte(strings.NewReplacer("merge_messages: 6s", "merge_messages: 0s", "merge_messages: 8s", "merge_messages: 0s", "reply_after: 4s..15s", "reply_after: 0s").Replace(string(content)))
			} else {
				src[name] = []byte(strings.ReplaceAll(string(content), "reply_after: 4s..15s", "reply_after: 0s"))
			}
		}
		at[waits] = compiled(t, src)
	}
	rapid.Check(t, func(t *rapid.T) {
		status := rapid.SampledFrom([]decision.Status{"", decision.Live, decision.Ask, decision.Watch}).Draw(t, "status")
		todo := deeds().Draw(t, "deeds")
		var told [2]string
		for i, v := range []*rules.Version{at[true], at[false]} {
			r := rehearse.NewRehearsal(v, tuesday)
			r.Status = status
			for _, d := range todo {
				if d.kind != event.KindMessage {
					continue
				}
				scenes, err := r.Says(r.Guest(d.who), d.kind, d.text, 0)
				if err != nil {
					t.Fatal(err)
				}
				more, err := r.Until(r.Now().Add(20e9))
				if err != nil {
					t.Fatal(err)
				}
				told[i] += d.text + ": " + plainly(append(scenes, more...)) + "\n"
			}
		}
		if diff := cmp.Diff(told[1], told[0]); diff != "" {
			t.Fatalf("(-at once +as a burst)\n%s", diff)
		}
	})
}

// plainly says what came of scenes, whenever it is.
func plainly(scenes []rehearse.Scene) string {
	var out []string
	for _, s := range scenes {
		for _, a := range s.Decision.Actions {
			out = append(out, fmt.Sprint(a.Rule, " ", a.Verb, " ", a.Text, " ", a.Status))
		}
		for _, n := range s.Decision.Notices {
			out = append(out, "tell "+n.Text)
		}
		if s.Decision.Outcome != decision.Gathering {
			out = append(out, fmt.Sprint(s.Decision.Outcome, s.Decision.State.Labels, s.Decision.Step))
		}
	}
	return strings.Join(out, "; ")
}
