package config

import (
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
)

// Ceiling is how much the bot says to one person at most, as text.
type Ceiling bot.Ceiling

// UnmarshalText reads "100/1h", which is 100 messages in an hour, or "none".
func (c *Ceiling) UnmarshalText(text []byte) error {
	if string(text) == "none" {
		*c = Ceiling{Max: -1}
		return nil
	}
	count, within, _ := strings.Cut(string(text), "/")
	n, err := strconv.Atoi(count)
	d, wrong := time.ParseDuration(within)
	if err != nil || wrong != nil || n < 1 || n > 1_000_000 || d < time.Second || d > 365*24*time.Hour {
		return problem("is not a ceiling like 100/1h, 20/10m or none")
	}
	*c = Ceiling{Max: n, Within: d}
	return nil
}

// Takeover is how long the bot is silent where a person of ours wrote; below 0 it does not mind.
type Takeover time.Duration

// UnmarshalText reads "12h" or "none".
func (s *Takeover) UnmarshalText(text []byte) error {
	if string(text) == "none" {
		*s = -1
		return nil
	}
	d, err := time.ParseDuration(string(text))
	if err != nil || d < time.Minute || d > 365*24*time.Hour {
		return problem("is not a time from 1m to 8760h, or none")
	}
	*s = Takeover(d)
	return nil
}
