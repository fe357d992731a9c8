package check

import (
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/text"
)

// Check reads and compiles rule files, and runs their tests. The report has everything that is wrong with
// them; the Version is nil unless all of them work.
func Check(src rules.Sources, options ...rules.Option) (*rules.Version, text.Report) {
	v, report := rules.Compile(src, options...)
	if v != nil {
		report.Problems = append(report.Problems, RunTests(v)...)
	}
	report.Problems.Sort()
	if !report.OK() {
		v = nil
	}
	return v, report
}
