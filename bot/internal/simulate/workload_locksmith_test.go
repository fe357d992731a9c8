package simulate_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/internal/rekey"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// locksmith has the bot encrypt what it keeps, and changes the key, whether the bot is there or not. The present incarnation
// goes on with what it was started with; the next one begins with the new key.
type locksmith struct {
	s       *simulation
	changes int
}

func drawLocksmith(dice *rand.Rand) []string {
	steps := make([]string, dice.IntN(5)) // none: the key stays
	for i := range steps {
		steps[i] = "change"
	}
	return steps
}

func newLocksmith(s *simulation) workload {
	s.key = "key 0"
	return &locksmith{s: s}
}

func (g *locksmith) begin() {}

func (g *locksmith) configure(*bot.Config) {}

func (g *locksmith) routes() []bot.Route { return nil }

func (g *locksmith) knows(emulator.Entry) bool { return false }

func (g *locksmith) do(ctx context.Context, _ string) error {
	next := platform.Secret(fmt.Sprint("key ", g.changes+1))
	err := rekey.ChangeKey(ctx, g.s.present(), g.s.key, next)
	switch {
	case errors.Is(err, rekey.ErrOtherRuns), errors.Is(err, rekey.ErrNothingSealed): // the bot is to be restarted, or started, first
		return nil
	case err != nil:
		return err
	}
	g.changes++
	g.s.key = next
	return nil
}

func (g *locksmith) after(context.Context) error { return nil }

// judge wants everything to be encrypted in the end, with the last key alone.
func (g *locksmith) judge([]emulator.Entry) (wrong []string) {
	ctx := context.Background()
	err := g.s.inDatabase(ctx, func(ctx context.Context, db *sql.DB) error {
		for table, column := range map[string]string{"event": "text", "action": "text", "conversation": "body", "entry": "data"} {
			var n int
			err := db.QueryRowContext(ctx, `SELECT count(*) FROM `+table+` WHERE typeof(`+column+`) = 'text' AND `+column+` NOT IN ('', '{}')`).Scan(&n)
			if err != nil {
				return err
			}
			if n > 0 {
				wrong = append(wrong, fmt.Sprintf("%d values of %s.%s are in the clear", n, table, column))
			}
		}
		return nil
	})
	if err != nil {
		wrong = append(wrong, "look into the database: "+strings.TrimSpace(err.Error()))
	}
	return wrong
}
