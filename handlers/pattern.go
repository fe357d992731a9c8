package handlers

import (
	"context"
	"regexp"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
)

// Match is a private message that fits a pattern.
type Match struct {
	event.Message
	// Groups are what the groups of the pattern matched, by number; the first is the whole match, and
	// "" stands for a group that took no part.
	Groups []string

	names []string
}

// Group returns what a named group matched, "" when it took no part or does not exist.
func (m Match) Group(name string) string {
	for i, n := range m.names {
		if n == name {
			return m.Groups[i]
		}
	}
	return ""
}

// Pattern matches private messages in which a pattern occurs. It sees the text as it was written: use
// (?i) when case does not matter, and ^ and $ for the whole text. Its time grows with the length of the
// text and no faster.
func Pattern(re *regexp.Regexp) bot.Matcher[Match] {
	names := re.SubexpNames()
	return bot.NewMatcher(func(_ context.Context, t *bot.Turn) (Match, bool) {
		groups := re.FindStringSubmatch(t.Text())
		if groups == nil {
			return Match{}, false
		}
		m, ok := t.Event.Message()
		return Match{Message: m, Groups: groups, names: names}, ok
	}, event.KindMessage)
}

// Fits is Pattern for all that is said.
func Fits(re *regexp.Regexp) bot.Condition {
	return func(_ context.Context, t *bot.Turn) bool { return re.MatchString(t.Text()) }
}
