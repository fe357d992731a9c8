package rules_test

import (
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/rules/check"
)

// A test in a rule file that fails says why, also when another file is the reason.
func TestWhyATestFails(t *testing.T) {
	const head = "version: 1\nstatus: live\nrules:\n"
	otherwise := head + `  - id: not-understood
    when: no_match
    then: [{ list: unanswered }]
    tests: [{ say: "a dentist?", expect: list }]
`
	all := head + `  - id: thanks
    when: message
    then: [{ reply: "Thank you." }]
    limits: { per_person: 1 per 1h }
    tests: [{ say: "hello", expect: reply }]
`
	for name, tc := range map[string]struct {
		src  rules.Sources
		want string
	}{
		"nothing else answers": {rules.Sources{"90-otherwise.yaml": []byte(otherwise)}, "1 file read, no problems"},
		"another rule answers": {
			rules.Sources{"10-all.yaml": []byte(all), "90-otherwise.yaml": []byte(otherwise)},
			`not-understood: "a dentist?" expected list, got no_reply: the rule thanks took it` + "\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, report := check.Check(tc.src)
			var got strings.Builder
			if _, err := report.WriteTo(&got); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(got.String(), tc.want) {
				t.Errorf("the report does not say %q:\n%s", tc.want, got.String())
			}
		})
	}
}
