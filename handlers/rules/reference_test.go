package rules_test

import (
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/rules/check"
)

// The reference files load, and pass their own tests.
func TestReference(t *testing.T) {
	t.Parallel()
	src, err := rules.ReadSources("testdata/reference")
	if err != nil {
		t.Fatal(err)
	}
	v, report := check.Check(src)
	var out strings.Builder
	_, _ = report.WriteTo(&out)
	if v == nil {
		t.Fatal(out.String())
	}
	t.Log(out.String())
}
