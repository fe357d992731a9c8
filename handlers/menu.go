package handlers

import (
	"context"
	"strings"

	"github.com/nectar-bot/nectar/bot"
)

// Entry is a command of a Menu.
type Entry struct {
	Name  string // without the slash
	About string // what it does, in a few words
	Do    func(ctx context.Context, t *bot.Turn, c Call) error
}

// Menu returns the routes of commands, one named for each, and of /help, which lists them below the intro.
func Menu(intro string, entries ...Entry) []bot.Route {
	var list strings.Builder
	list.WriteString(strings.TrimSpace(intro))
	var routes []bot.Route
	for _, e := range entries {
		list.WriteString("\n/" + e.Name)
		if e.About != "" {
			list.WriteString(" – " + e.About)
		}
		routes = append(routes, bot.On(e.Name, Command(e.Name), e.Do))
	}
	help := list.String()
	return append(routes, bot.On("help", Command("help"), func(_ context.Context, t *bot.Turn, _ Call) error {
		return t.Reply(help)
	}))
}
