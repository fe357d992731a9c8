package handlers

import (
	"context"
	"strings"
	"unicode"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
)

// Call is a private message that calls a command.
type Call struct {
	event.Message
	Name string // as it was declared
	Args string // what follows, without the space around it
}

// Command matches private messages that begin with a slash and one of these names: "/start now". Case
// does not matter. Names are given without the slash.
func Command(names ...string) bot.Matcher[Call] {
	return bot.NewMatcher(func(_ context.Context, t *bot.Turn) (Call, bool) {
		m, ok := t.Event.Message()
		called, found := strings.CutPrefix(strings.TrimSpace(m.Text), "/")
		if !ok || !found {
			return Call{}, false
		}
		args := ""
		if i := strings.IndexFunc(called, unicode.IsSpace); i >= 0 {
			called, args = called[:i], strings.TrimSpace(called[i:])
		}
		for _, name := range names {
			if strings.EqualFold(name, called) {
				return Call{Message: m, Name: name, Args: args}, true
			}
		}
		return Call{}, false
	}, event.KindMessage)
}
