package rules_test

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/rules/check"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/handlers/text"
)

var updateDocs = flag.Bool("update-docs", false, "write the generated part of docs/rules.md anew")

const (
	docsFile  = "../../docs/rules.md"
	docsBegin = "<!-- generated from the format's types; go test ./handlers/rules -run Docs -update-docs writes it anew -->\n"
	docsEnd   = "<!-- end of the generated part -->\n"
)

// The reference in docs/rules.md is that of the types.
func TestDocs(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(content), docsBegin)
	old, after, ok2 := strings.Cut(rest, docsEnd)
	if !ok || !ok2 {
		t.Fatalf("%s has no generated part", docsFile)
	}
	want := reference()
	if *updateDocs {
		if err := os.WriteFile(docsFile, []byte(before+docsBegin+want+docsEnd+after), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, old); diff != "" {
		t.Errorf("%s is not up to date (-want +got):\n%s", docsFile, diff)
	}
}

// reference writes a table of keys for each type of the format.
func reference() string {
	var b strings.Builder
	for _, part := range []struct {
		title string
		of    any
	}{
		{"A rule file", grammar.File{}},
		{"`defaults`", grammar.Defaults{}},
		{"`limits`", grammar.Limits{}},
		{"A rule", grammar.Rule{}},
		{"What `if` may ask for", grammar.Condition{}},
		{"`text`", grammar.TextCondition{}},
		{"`sender`", grammar.SenderCondition{}},
		{"`post`", grammar.PostCondition{}},
		{"`conversation`", grammar.ConversationCondition{}},
		{"What `then` may do", grammar.Act{}},
		{"`notify`", grammar.Notify{}},
		{"`handoff`", grammar.Handoff{}},
		{"`save_lead`", grammar.Lead{}},
		{"`if_too_many`", grammar.TooMany{}},
		{"A test of a rule", grammar.Test{}},
		{"A conversation", grammar.Conversation{}},
		{"`start`", grammar.Start{}},
		{"`at_any_step`", grammar.AnyStep{}},
		{"`if_silent`", grammar.Silent{}},
		{"A step", grammar.Step{}},
		{"`if_wrong`", grammar.IfWrong{}},
		{"`next`, as a list", grammar.Branch{}},
		{"A test of a conversation", grammar.Chat{}},
		{"A line of `chat`", grammar.ChatLine{}},
		{"A campaign", grammar.Campaign{}},
		{"A post of a campaign", grammar.PlannedPost{}},
		{"A text of a campaign, with an id", grammar.PlannedText{}},
		{"A draft, with an id", grammar.Draft{}},
		{"A slot with a post or text of its own", grammar.PlannedSlot{}},
		{"`repeat`", grammar.Repeat{}},
		{"`limits` of a campaign", grammar.CampaignLimits{}},
		{"`approve`", grammar.Approve{}},
		{"`stop_if`", grammar.StopIf{}},
		{"`post` of `stop_if`", grammar.StopPost{}},
		{"`report`", grammar.Reporting{}},
		{"`settings.yaml`", grammar.Settings{}},
		{"`publishing`", grammar.Publishing{}},
		{"`hours`", text.Hours{}},
		{"A team in `who`", grammar.Team{}},
		{"`replies.yaml`", grammar.Replies{}},
	} {
		fmt.Fprintf(&b, "### %s\n\n| key | |\n|---|---|\n", part.title)
		for f := range reflect.TypeOf(part.of).Fields() {
			key, options, _ := strings.Cut(f.Tag.Get("text"), ",")
			if key == "" || f.Type == reflect.TypeFor[text.At]() || f.Tag.Get("about") == "-" {
				continue
			}
			if strings.Contains(options, "required") {
				options = " (required)"
			} else {
				options = ""
			}
			fmt.Fprintf(&b, "| `%s`%s | %s |\n", key, options, strings.ReplaceAll(f.Tag.Get("about"), "|", "\\|"))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// The rule files that the pages show work as they stand.
func TestShownFiles(t *testing.T) {
	t.Parallel()
	for _, page := range []string{docsFile, "../../README.md"} {
		content, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(content), "```yaml\n")
		shown, _, ok := strings.Cut(rest, "```")
		if !ok {
			t.Fatalf("%s shows no rule file", page)
		}
		if _, more, ok := strings.Cut(rest, "## Campaigns\n"); ok {
			_, rest, _ := strings.Cut(more, "```yaml\n")
			shown, _, _ := strings.Cut(rest, "```")
			v, report := check.Check(rules.Sources{"rules.yaml": []byte(shown)}, rules.AsOf(checkedOn))
			if v == nil || len(report.Problems) > 0 {
				t.Errorf("%s: the campaign has problems:\n%v", page, report.Problems)
			}
		}
		if v := compiled(t, rules.Sources{"rules.yaml": []byte(shown)}); v.Count() != 1 {
			t.Errorf("%s: %d rules", page, v.Count())
		}
	}
}
