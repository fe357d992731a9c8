package demo

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/rules"
	rulecheck "github.com/nectar-bot/nectar/handlers/rules/check"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
)

// demoRuleFile is the sample bot as a rule file: the same answers as demoAnswer gives.
//
//go:embed rules.yaml
var demoRuleFile []byte

// botRoutes returns what the demo's bot does.
func (s Settings) botRoutes(ctx context.Context, st bot.Store) ([]bot.Route, error) {
	if !s.Rules {
		return demoRoutes(), nil
	}
	src := rules.Sources{"demo.yaml": demoRuleFile}
	v, report := rulecheck.Check(src)
	if v == nil {
		return nil, fmt.Errorf("the sample rules: %w", report.Problems)
	}
	content, err := src.Encode()
	if err != nil {
		return nil, err
	}
	if err := st.SaveRules(ctx, record.Rules{Hash: v.Hash(), Content: content}); err != nil {
		return nil, err
	}
	h := rules.NewHandler()
	h.Use(v)
	return h.Routes(), nil
}

// demoExpectRules is what a correct sample bot does that runs from the rule file.
func demoExpectRules(account platform.UserID, since int64) judge.Expect {
	return judge.Expect{Account: account, Since: since, Replies: func(said emulator.Entry) []string {
		answer := demoAnswer(said.Text)
		if strings.HasPrefix(answer, "You wrote: ") { // a rule says it as it was written
			answer = "You wrote: " + strings.TrimSpace(said.Text)
		}
		return []string{answer}
	}}
}
