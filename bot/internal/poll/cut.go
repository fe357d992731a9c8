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

// noteCut takes how a list arrived, and reports whether to say so.
func (cs *cuts) noteCut(cut *platform.Cut) (tell bool) {
	if cut == nil {
		cs.row = max(min(cs.row, 0)-1, -cutsToReport)
		tell = cs.told && cs.row <= -cutsToReport
	} else {
		cs.row = min(max(cs.row, 0)+1, cutsToReport)
		tell = !cs.told && (cut.By == platform.CutByLimit || cs.row >= cutsToReport)
	}
	if tell {
		cs.told = !cs.told
	}
	return tell
}

// measureCut notes how much of the chat list arrived, and says once when only a part does.
func (in *inbox) measureCut(ctx context.Context, c *cycle, list platform.ChatList, cut *platform.Cut) {
	c.listed = list.Took
	in.hearing.noteMeasured(list, cut)
	if !in.cuts.noteCut(cut) {
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
