package bot

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/rival"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// Knower is a store, as far as it tells what is known of an account.
type Knower interface {
	Known(ctx context.Context, account event.Account, name string) (event.Fact, bool, error)
}

// RivalryOf returns how an account stands towards another bot that answers on it, as it is stored. The error is that of the store.
func RivalryOf(ctx context.Context, st Knower, account event.Account) (record.Rivalry, error) {
	return rival.Read(ctx, st.Known, account)
}

// watchRival lets the account watch for another bot on it.
func (a *account) watchRival(cfg *Account) {
	a.rivals = rival.New(rival.Config{
		Account: a.name, Store: a.bot.store, Log: a.bot.log, PollInterval: cfg.PollInterval, TakeoverFor: a.bot.cfg.TakeoverFor,
		Health: func() []event.SourceHealth { return a.poller.Health() }, Halt: a.outbox.HaltAll, GoOn: a.goOn,
		ReadSoon: func(peers []platform.UserID) {
			for _, p := range peers {
				a.poller.NoteTouched(p)
			}
			a.bot.schedule.MakeDue(a.poller)
		},
	})
}

// watchRivals does what is to be done about rivals, every now and then, until ctx is done.
func (b *Bot) watchRivals(ctx context.Context) {
	runEvery(ctx, rival.LookEvery, func() { b.eachAtWork(func(a *account) { a.rivals.LookAgain(ctx) }) })
}

// goOn lets actions leave again that a rival or a pause has kept back, unless the account is paused, or its term has not begun.
func (a *account) goOn() {
	p := a.currentPauses()
	switch {
	case a.term == nil:
	case p == nil || p.Account == nil: //mutate:paused-and-rival
		a.outbox.Resume(a.term)
	default:
		a.outbox.OnlyPaused()
	}
}

// NotePoll takes note of a poll.
func (a *account) NotePoll(r event.PollResult, err error) {
	if err == nil {
		a.rivals.NotePoll(r)
	}
	a.bot.cfg.Observe(a.name, r, err)
}

// save stores a turn about the account itself. What the store refuses is tried again.
func (a *account) save(turn *store.Turn) {
	a.bot.store.Commit(store.Write{Turn: turn, Done: func(r store.Receipt) {
		if r.Err != nil && a.term.Err() == nil {
			time.AfterFunc(time.Second, func() { a.save(turn) })
		}
	}})
}
