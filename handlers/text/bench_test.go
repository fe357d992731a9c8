package text_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/internal/textfile"
)

// ruleFile is a file of so many rules.
func ruleFile(rules int) []byte {
	var b strings.Builder
	b.WriteString("version: 1\nname: Many rules\nrules:\n")
	for i := range rules {
		fmt.Fprintf(&b, `  - id: rule-%[1]d
    version: 1
    name: Rule %[1]d
    when: [message, mention]
    any_word: [price, prices, cost, costs, word%[1]d]   # what people ask for
    then:
      - reply:
          - "Hi {{first_name|there}}! We are open Mon-Fri 9:00-18:30 and Sat 10:00-14:00."
          - "Hello {{first_name|there}}, our hours are Mon-Fri 9:00-18:30."
      - label: faq-%[1]d
    limits: { per_person: 1 per 12h, total: 60 per 1h }
`, i)
	}
	return []byte(b.String())
}

func BenchmarkParse(b *testing.B) {
	src := ruleFile(10_000)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, problems := textfile.Parse("a.yaml", src); len(problems) > 0 {
			b.Fatal(problems)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	src := ruleFile(10_000)
	f, problems := textfile.Parse("a.yaml", src)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		var dst everything
		if problems = append(problems, f.Decode(&dst)...); len(problems) > 0 || len(dst.Rules) != 10_000 {
			b.Fatal(problems)
		}
	}
}
