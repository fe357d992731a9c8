package inspect

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
)

// answerPause lies between two looks for an answer.
const answerPause = 100 * time.Millisecond

// Decide asks for what a person has decided, in that person's name, all of it or nothing, and returns the requests with their numbers. running tells
// whether the accounts are with bots, which take that up within about a second; without one it waits for the next that begins.
func Decide(ctx context.Context, i Inspector, by string, decisions ...event.Request) (asked []event.Request, running bool, err error) {
	requests := make([]event.Request, len(decisions))
	accounts := make([]event.Account, len(decisions))
	for n := range decisions {
		requests[n], accounts[n] = decisions[n], decisions[n].Key.Account
		requests[n].By = by //mutate:ask-by
	}
	if asked, err = i.Ask(ctx, requests...); err != nil {
		return nil, false, err
	}
	running, unknown := i.Running(accounts...)
	return asked, running || unknown != nil, nil // the requests are stored: an error here only means that nobody knows who runs
}

// Await returns what became of a request; false when nothing had until a time, or until ctx is done: then it waits on.
func Await(ctx context.Context, i Inspector, q event.Request, until time.Time) (record.Answer, bool, error) {
	tick := time.NewTicker(answerPause)
	defer tick.Stop()
	for {
		answer, ok, err := i.Answer(ctx, q)
		if ok || err != nil || !time.Now().Before(until) {
			return answer, ok, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return record.Answer{}, false, nil
		}
	}
}
