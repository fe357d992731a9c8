package rules_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/rules/check"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
)

// rulesOf writes n rules of one kind of condition. No two of them look for the same.
func rulesOf(kind string, n int) rules.Sources {
	var b strings.Builder
	b.WriteString("version: 1\nname: many\nstatus: live\ndefaults:\n  limits: { per_person: 1 per 12h }\nrules:\n")
	word := func(i int) string {
		letters := make([]byte, 0, 8)
		for i += 26 * 26 * 26; i > 0; i /= 26 {
			letters = append(letters, byte('a'+i%26))
		}
		return "w" + string(letters)
	}
	for i := range n {
		of := kind
		if kind == "mixed" {
			of = []string{"words", "phrases", "contains", "patterns", "fuzzy"}[i%5]
		}
		cond := map[string]string{
			"words":    fmt.Sprintf("any_word: [%s, %sx]", word(2*i), word(2*i+1)),
			"phrases":  fmt.Sprintf("any_phrase: [%s opening %sx, when %sy]", word(i), word(i+1), word(i)),
			"contains": fmt.Sprintf("contains: [%sq]", word(i)),
			"patterns": fmt.Sprintf("matches: ['%s[0-9]+z']", word(i)),
			"fuzzy":    fmt.Sprintf("any_word: [%slong], fuzzy: true", word(i)),
		}[of]
		fmt.Fprintf(&b, "  - id: rule-%d\n    when: message\n    if:\n      - text: { %s }\n    then:\n      - reply: \"Hello {{first_name|there}}, this is answer %d.\"\n      - label: l%d\n", i, cond, i, i%20)
	}
	return rules.Sources{"10-many.yaml": []byte(b.String())}
}

func compiled(tb testing.TB, src rules.Sources) *rules.Version {
	tb.Helper()
	v, report := check.Check(src)
	if v == nil {
		var b strings.Builder
		_, _ = report.WriteTo(&b)
		tb.Fatal(b.String()[:min(b.Len(), 2000)])
	}
	return v
}

var benchMessage = event.Event{
	Account: "bench", ID: event.ID{Source: event.Messages, Number: 1}, Kind: event.KindMessage, Peer: 7, Name: "Ana Lima", User: "ana",
	Text: "hello there, I wanted to know whether you are open tomorrow morning and what the small box costs please",
}

// BenchmarkDecide measures one message against many rules, of which none is for it.
func BenchmarkDecide(b *testing.B) {
	for _, kind := range []string{"words", "phrases", "contains", "patterns", "fuzzy", "mixed"} {
		for _, n := range []int{10, 1000, 10_000} {
			b.Run(fmt.Sprintf("%s/%d", kind, n), func(b *testing.B) {
				v := compiled(b, rulesOf(kind, n))
				in := decision.Input{
					Trigger: event.Trigger{Kind: event.ByEvent, Key: benchMessage.Key(), Event: benchMessage},
					State:   decision.State{Peer: 7, Name: "Ana Lima", User: "ana", Memory: decision.Memory{Spoken: true}}, Now: time.Unix(1_800_000_000, 0),
				}
				b.ReportAllocs()
				for b.Loop() {
					if _, err := v.Decide(in); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkLoad measures reading, checking and compiling 10,000 rules, and what they hold in memory.
func BenchmarkLoad(b *testing.B) {
	for _, kind := range []string{"words", "mixed"} {
		b.Run(kind, func(b *testing.B) {
			src := rulesOf(kind, 10_000)
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			var v *rules.Version
			for b.Loop() {
				v = compiled(b, src)
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(1<<20), "MB")
			runtime.KeepAlive(v)
		})
	}
}
