package grammar

import (
	"strings"

	"github.com/nectar-bot/nectar/bot"
)

// PlainText returns a text as it is compared as a whole.
func PlainText(said string) string { return strings.Join(bot.Words(said), " ") }

// CommonVariables are the names that every text may use, beside the answers of its conversation.
func CommonVariables() []string {
	return []string{"first_name", "name", "user_name", "text", "next_open"}
}
