package bot

import (
	"fmt"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/sourcegraph/conc/pool"
)

// bringAtOnce is how many portions are taken up at a time: one is read while another one begins.
const bringAtOnce = 2

// takeUpShards takes up the accounts of shards that are wanted and not served: some shards at a time, so that what their terms begin with is read
// together.
func (h *holder) takeUpShards(shards ...*holding) {
	work := pool.New().WithMaxGoroutines(bringAtOnce)
	for len(shards) > 0 {
		n, accounts := 1, len(shards[0].missingAccounts())
		for ; n < len(shards); n++ {
			if accounts += len(shards[n].missingAccounts()); accounts > aheadAtMost {
				break
			}
		}
		portion := shards[:n]
		shards = shards[n:]
		work.Go(func() { h.bringPortion(portion) })
	}
	work.Wait()
}

// taking is an account that is to be taken up.
type taking struct {
	of      *holding
	account *Account
	err     error
}

// bringPortion takes up the accounts of shards. What cannot be is tried again beside everything else.
func (h *holder) bringPortion(shards []*holding) {
	var all []*taking
	for _, s := range shards { // nobody else takes more than one turn, and all of these in this order
		s.turn <- struct{}{}
		for _, a := range s.missingAccounts() {
			all = append(all, &taking{of: s, account: a})
		}
	}
	for rest := all; len(rest) > 0; {
		n := min(len(rest), aheadAtMost)
		h.takeAll(rest[:n])
		rest = rest[n:]
	}
	for _, s := range shards {
		<-s.turn
		s.seen()
	}
	for _, t := range all {
		if t.err != nil {
			s, a := t.of, t.account
			s.retryUntilDone(fmt.Sprintf("the account %s", a.Name), t.err, func() error {
				s.turn <- struct{}{}
				defer func() { <-s.turn }()
				return s.takeUpAccount(a, nil)
			})
		}
	}
}

// takeAll takes accounts up. The turns are taken.
func (h *holder) takeAll(all []*taking) {
	if len(all) == 0 {
		return
	}
	ahead := h.readAhead(all)
	work := pool.New().WithMaxGoroutines(takeAtOnce)
	for _, t := range all {
		work.Go(func() { t.err = t.of.takeUpAccount(t.account, ahead) })
	}
	work.Wait()
}

// readAhead reads what the terms of accounts begin with.
func (h *holder) readAhead(all []*taking) *store.Ahead {
	names := make([]event.Account, 0, len(all))
	for _, t := range all {
		if t.of.term.Err() == nil {
			names = append(names, t.account.Name)
		}
	}
	return h.bot.readAhead(all[0].of.lease, names) // they have one
}
