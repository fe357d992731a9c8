package welcome

import (
	"github.com/nectar-bot/nectar/bot"
	"go.uber.org/fx"
)

// Module adds the plugin to an fx application that has bot.Module. A Config that the application supplies
// is used; without one the defaults are.
var Module = fx.Module("welcome",
	fx.Provide(fx.Annotate(New, fx.ParamTags(`optional:"true"`))),
	bot.ProvideRoutes((*Plugin).Routes),
)
