package grammar

import (
	"strings"

	"github.com/nectar-bot/nectar/bot"
)

// Plain returns a text as it is compared as a whole.
func Plain(said string) string { return strings.Join(bot.Words(said), " ") }

// Variables are the names that every text may use, beside the answers of its conversation.
func Variables() []string {
	return []string{"first_name", "name", "user_name", "text", "next_open"}
}
