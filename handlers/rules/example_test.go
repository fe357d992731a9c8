package rules_test

import (
	"fmt"

	"github.com/nectar-bot/nectar/handlers/rules"
)

// A folder of rule files is compiled into a version. What is wrong with it stands in the report, each with its line and its cure.
func ExampleCompile() {
	for _, word := range []string{"any_phrase", "keyphrases"} {
		version, report := rules.Compile(rules.Sources{"10-faq.yaml": []byte(`version: 1
rules:
  - id: opening-hours
    when: message
    if: [text: { ` + word + `: [opening hours] }]
    then: [{ reply: "Mon-Fri 9:00-18:30." }]
    limits: { per_person: 1 per 12h }
`)})
		fmt.Println(version != nil)
		for _, problem := range report.Problems.Errors() {
			fmt.Println(problem)
		}
	}
	// Output:
	// true
	// false
	// 10-faq.yaml:5: you wrote "keyphrases", here it is called "any_phrase"
}
