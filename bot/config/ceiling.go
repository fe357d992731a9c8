package config

import (
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
)

// readCeiling reads how much the bot says to one person at most: "100/1h", which is 100 messages in an hour, or "none".
func readCeiling(text string) (any, problem) {
	if text == "none" {
		return bot.Ceiling{Max: -1}, ""
	}
	count, within, _ := strings.Cut(text, "/")
	n, err := strconv.Atoi(count)
	d, wrong := time.ParseDuration(within)
	if err != nil || wrong != nil || n < 1 || n > 1_000_000 || d < time.Second || d > 365*24*time.Hour {
		return nil, "is not a ceiling like 100/1h, 20/10m or none"
	}
	return bot.Ceiling{Max: n, Within: d}, ""
}

// readTakeover reads how long the bot is silent where a person of ours wrote: "12h" or "none", which is below 0.
func readTakeover(text string) (any, problem) {
	if text == "none" {
		return time.Duration(-1), ""
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < time.Minute || d > 365*24*time.Hour {
		return nil, "is not a time from 1m to 8760h, or none"
	}
	return d, ""
}
