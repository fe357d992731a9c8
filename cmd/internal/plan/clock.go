package plan

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/view"
)

// ClockText says that slots wait for the clock of the bot's machine, or go by it although it is wrong; "" when it is right, as the bot last heard.
func (a *Account) ClockText() string {
	w := a.AccountFacts.Clock
	if w == nil || !w.To.IsZero() {
		return ""
	}
	said := "the clock of the bot's machine is " + w.AheadText()
	if w.Allowed != nil {
		return fmt.Sprintf("%s; slots go by it all the same: %s has let them, on %s", said, print.PlainText(cmp.Or(w.Allowed.By, "somebody"), 40), print.TimeText(w.Allowed.At))
	}
	return said + "; no slot is decided until it is set, or somebody lets them go by it: nectar campaigns allow --clock"
}

// tellClock says so of accounts.
func tellClock(b *strings.Builder, all []*Account, width int) {
	for _, a := range all {
		said := a.ClockText()
		if said == "" {
			continue
		}
		if len(all) > 1 {
			said = fmt.Sprintf("account %s: %s", a.Name, said)
		}
		b.WriteByte('\n')
		b.WriteString(linesOf(said, width, "  "))
	}
}

// AskClock asks that slots go by the machine's clock, of the accounts where they wait for it.
func AskClock(all []*Account) ([]view.Decision, error) {
	var asks []view.Decision
	problem := errors.New("the clock of the bot's machine is right, as the bot last heard: no slot waits for it")
	for _, a := range all {
		switch w := a.AccountFacts.Clock; {
		case w.IsHolding():
			asks = append(asks, view.Decision{Request: event.Request{Key: event.Own(a.Name), Wish: event.WishTell, Subject: "campaigns/clock"}, About: "account " + string(a.Name)})
		case a.ClockText() != "":
			problem = errors.New(a.ClockText())
		}
	}
	if len(asks) == 0 {
		return nil, problem
	}
	return asks, nil
}
