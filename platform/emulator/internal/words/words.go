// Package words names people and texts, for people to read.
package words

import (
	"fmt"

	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// NameOf returns the user name of somebody, for people to read.
func NameOf(p *emulator.Platform, id platform.UserID) string {
	if name := p.Username(id); name != "" {
		return name
	}
	return PersonNumber(id)
}

// PersonNumber names somebody of whom only the id is known.
func PersonNumber(id platform.UserID) string { return fmt.Sprintf("person %d", id) }

// QuoteExcerpt returns text in quotes, cut where it would fill the line.
func QuoteExcerpt(text string) string {
	const longest = 60
	if runes := []rune(text); len(runes) > longest {
		return fmt.Sprintf("%q…", string(runes[:longest]))
	}
	return fmt.Sprintf("%q", text)
}
