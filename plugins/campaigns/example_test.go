package campaigns_test

import (
	"fmt"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
	"github.com/nectar-bot/nectar/plugins/campaigns"
	"go.uber.org/fx"
)

// Campaigns that stand in rule files run beside the plugin that watches these.
func Example() {
	fmt.Println(fx.ValidateApp(
		config.Module, bot.Module, campaigns.Module, autoresponder.Module,
		fx.Provide(func(p *campaigns.Plugin) autoresponder.Config {
			return autoresponder.Config{Path: "rules", InForce: p.InForce}
		}),
	))
	// Output: <nil>
}
