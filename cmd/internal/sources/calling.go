package sources

import (
	"errors"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/handlers/notify"
	"github.com/nectar-bot/nectar/handlers/rules"
	rulecheck "github.com/nectar-bot/nectar/handlers/rules/check"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// NewCaller returns what sends notices to the addresses of rules, with the settings of this machine.
func NewCaller(c *rules.Calling, cfg config.Config) *notify.Client {
	return notify.NewClient(notify.Config{Hosts: cfg.WebhookHosts, Lookup: cfg.Lookup, Server: c.Server})
}

// UnusableAddresses returns what is wrong with addresses on this machine.
func UnusableAddresses(v *rules.Version, cfg config.Config) textfile.Problems {
	c := v.Calling()
	client := NewCaller(&c, cfg)
	defer client.Close()
	return c.Check(client)
}

// CallingOf returns how people are called by the files of a folder.
func CallingOf(read Reading, folder config.RuleFolder) (rules.Calling, error) {
	src, err := read(folder.Path)
	if err != nil {
		return rules.Calling{}, err
	}
	v, report := rulecheck.Check(src)
	if v != nil {
		return v.Calling(), nil
	}
	if only := src[rules.SettingsFile]; only != nil { // rules may be broken, and people called all the same
		if v, _ := rulecheck.Check(rules.Sources{rules.SettingsFile: only}); v != nil {
			return v.Calling(), nil
		}
	}
	return rules.Calling{}, errors.New("the rules do not load: " + report.Problems.Errors()[0].Text + "; nectar check says all that is wrong")
}
