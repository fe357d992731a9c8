package template_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/handlers/internal/template"
	"pgregory.net/rapid"
)

func TestTemplate(t *testing.T) {
	tp, err := template.Parse("{{a}} and {{ b_2 | two words }}, {one} }} {{a|x}}")
	if err != nil {
		t.Fatal(err)
	}
	want := []template.Variable{{Name: "a"}, {Name: "b_2", Fallback: "two words", HasFallback: true}, {Name: "a", Fallback: "x", HasFallback: true}}
	if diff := cmp.Diff(want, tp.Variables()); diff != "" {
		t.Error(diff)
	}
	got := tp.FillText(func(name string) string { return map[string]string{"a": "{{b_2}}"}[name] })
	if want := "{{b_2}} and two words, {one} }} {{b_2}}"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A template without variables is its text.
func TestTemplateOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.StringMatching(`[{}|a ]{0,12}`)).Draw(t, "s")
		tp, err := template.Parse(s)
		if err == nil && len(tp.Variables()) == 0 && tp.FillText(func(string) string { return "?" }) != s {
			t.Fatalf("%q becomes %q", s, tp.FillText(func(string) string { return "?" }))
		}
		if err == nil && tp.String() != s {
			t.Fatalf("%q is kept as %q", s, tp.String())
		}
	})
}
