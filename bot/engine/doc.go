// Package engine is for engines such as rules and campaigns, which decide for people in the place of a handler that somebody wrote:
// what they need of a bot beside what the package bot has for everybody. It may change between minor versions.
//
//	func (h *handler) handle(ctx context.Context, t *bot.Turn) error {
//		e := engine.Of(t)
//		if why, paused := e.Pauses()["opening-hours"]; paused {
//			return t.Reply("At nine.", bot.Watched(why), engine.Decided("opening-hours", time.Time{}))
//		}
//		e.Explain("opening-hours", h.version, nil)
//		return t.Reply("At nine.", engine.Decided("opening-hours", time.Time{}))
//	}
package engine
