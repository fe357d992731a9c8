package demo

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/nectar-bot/nectar/cmd/internal/bare"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// shopKill is a kill, as the platform saw it.
type shopKill struct {
	at   time.Time
	away []shopPost // posts whose repost was taken back, and not made again, when the bot was dead
}

// judgeKilled looks at what a bot has left that is dead.
func (st *stage) judgeKilled() {
	if len(st.campaigns) == 0 {
		return
	}
	k := shopKill{at: time.Now()}
	for p, did := range ReadShops(st.platform.Ledger().Since(0)) {
		if did.away {
			k.away = append(k.away, p)
		}
	}
	st.kills = append(st.kills, k)
}

// killTimes returns when the bot was killed.
func (st *stage) killTimes() (all []time.Time) {
	for _, k := range st.kills {
		all = append(all, k.at)
	}
	return all
}

// countBetween counts the kills that fell between the two calls of a renewal, and those of them after which a post did not come back.
func (st *stage) countBetween() (all, lost int) {
	for _, k := range st.kills {
		if len(k.away) == 0 {
			continue
		}
		all++
		for _, p := range k.away {
			if !st.platform.Reposted(p.account, p.post) {
				lost++
				break
			}
		}
	}
	return all, lost
}

// killingShops kills the bot as often as asked, from before the first slot to after the last one: one of three at any moment, one
// when the platform has just taken a repost back, and one while the bot waits for the answer to that; or when none is taken back in time.
func (st *stage) killingShops(ctx context.Context, bot *actor) error {
	rng := rand.New(rand.NewPCG(st.demo.Seed, 0x73686f70)) //nolint:gosec // not a secret
	begin := st.firstSlot().Add(-5 * time.Second)
	share := st.lastSlot().Add(5*time.Second).Sub(begin) / time.Duration(max(st.demo.Kills, 1))
	for k := range st.demo.Kills {
		from := begin.Add(share * time.Duration(k))
		bare.Wait(ctx, time.Until(from))
		if k%3 == 0 {
			bare.Wait(ctx, time.Until(from.Add(time.Duration(rng.Int64N(int64(share))))))
		} else {
			st.wire.keeps.Store(k%3 == 1)
			st.takenBack(ctx, from.Add(share))
			st.wire.keeps.Store(false)
		}
		if ctx.Err() != nil {
			return nil //nolint:nilerr // the demo is over, and says why
		}
		if err := bot.killAndRestart(ctx); err != nil {
			return err
		}
	}
	return nil
}

// takenBack returns as soon as one of the accounts takes a repost back, at the latest at a time.
func (st *stage) takenBack(ctx context.Context, at time.Time) {
	ctx, cancel := context.WithDeadline(ctx, at)
	defer cancel()
	for seq := st.platform.Ledger().Len(); st.platform.Ledger().Wait(ctx, seq) == nil; {
		for _, e := range st.platform.Ledger().Since(seq) {
			if seq = e.Seq; e.ByAPI && e.Kind == emulator.Unreposted {
				return
			}
		}
	}
}
