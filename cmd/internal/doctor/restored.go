package doctor

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
)

// restoredFor is how long it is told that a copy was put back.
const restoredFor = 7 * 24 * time.Hour

// tellRestored says that a copy of the database was put back, and what became of that for an account; "" when none was, of late.
func (d *Doctor) tellRestored(ctx context.Context, reader inspect.Reader, known bot.Knower, account event.Account) string {
	c, err := bot.CarefulStartOf(ctx, known, account)
	if err != nil {
		return err.Error()
	}
	back, is, err := reader.WentBack(ctx)
	what := "a copy of the database was put back"
	if back.Sign == record.CarefulFailover {
		what = "another server has taken over the database, and may lack its last commits"
	}
	switch {
	case err != nil:
		return err.Error()
	case is && back.Sign != record.CarefulNothing && back.At.After(c.Mark) && time.Since(back.At) < restoredFor:
		return what + ", " + print.TimeText(back.At) + ": the next start of the bot reads what was done since, and answers nothing twice"
	case c.Began.IsZero() || time.Since(c.Began) >= restoredFor:
		return ""
	case !c.Told:
		return what + ": the bot still reads what was done since"
	}
	return c.Says() + "; nectar conversations give-back --all returns what was taken over by this"
}
