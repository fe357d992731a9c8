package poll

import (
	"context"
	"log/slog"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// cutsToReport is how many lists in a row are cut by the deadline or by a fault before the log hears of it, and how many
// whole ones before it hears that this is over. The limit cuts the next one as well: that is told at once.
const cutsToReport = 3

// cuts watches whether the chat list arrives whole.
type cuts struct {
	row  int8 // lists in a row that were cut; below 0, that were whole
	told bool // the log knows
}

// note takes how a list arrived, and reports whether to say so.
func (k *cuts) note(cut *platform.Cut) (tell bool) {
	if cut == nil {
		k.row = max(min(k.row, 0)-1, -cutsToReport)
		tell = k.told && k.row <= -cutsToReport
	} else {
		k.row = min(max(k.row, 0)+1, cutsToReport)
		tell = !k.told && (cut.By == platform.CutByLimit || k.row >= cutsToReport)
	}
	if tell {
		k.told = !k.told
	}
	return tell
}

// measure notes how much of the chat list arrived, and says once when only a part does.
func (in *inbox) measure(ctx context.Context, c *cycle, list platform.ChatList, cut *platform.Cut) {
	c.listed = list.Took
	in.hearing.measured(list, cut)
	if !in.cuts.note(cut) {
		return
	}
	account := slog.String("account", string(c.cfg.Account))
	if cut == nil {
		c.cfg.Log.LogAttrs(ctx, slog.LevelInfo, "the chat list arrives whole again", account, slog.Int("rows", list.Rows), slog.Int64("bytes", list.Bytes))
		return
	}
	c.cfg.Log.LogAttrs(ctx, slog.LevelWarn, "only the newest chats of the list arrive", account,
		slog.String("cut", string(cut.By)), slog.Int("rows", list.Rows), slog.Int64("bytes", list.Bytes), slog.Int64("limit", list.Limit),
		slog.Duration("took", list.Took.Round(time.Millisecond)), slog.Duration("timeout", list.Timeout),
		slog.String("do", event.CutAdvice(cut.By)), slog.Any("error", cut.Err))
}
