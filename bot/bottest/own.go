package bottest

import (
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
)

// OwnDecisions returns what the bot decided in the account's own conversation, in the order of the decisions.
func (a *Account) OwnDecisions() []Decision {
	synctest.Wait() // for what is being stored
	return a.w.book.decisionsOf(event.Own(a.name))
}

// Tell asks something of the program, as a person does with a command, and returns the answer; the zero Answer when it waits
// for longer than Patience.
func (a *Account) Tell(subject, text string) record.Answer {
	a.w.t.Helper()
	asked := a.w.Ask(event.Request{Key: event.Own(a.name), Wish: event.WishTell, Subject: subject, Text: text})
	const step = 100 * time.Millisecond
	var answer record.Answer
	for waited := step; answer.Outcome == "" && waited < a.w.cfg.Patience; waited += step {
		a.w.Advance(step)
		answer = a.w.Answer(asked[0])
	}
	return answer
}
