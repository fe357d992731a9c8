package welcome

import (
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/handlers"
)

// Config says what is said. Zero fields take their defaults; texts are templates, see handlers.Template.
type Config struct {
	// Greeting is said to a new follower. Defaults to "Welcome, {{first_name|friend}}!".
	Greeting string
	// Thanks is said to somebody who reposts for the first time. Defaults to "Thank you for passing it
	// on, {{first_name|friend}}!".
	Thanks string
	// ThanksAgain is said to somebody who has reposted before. Defaults to Thanks.
	ThanksAgain string
	// FollowBack follows new followers. Defaults to not following them.
	FollowBack bool
	// Delay is how long the greeting waits, up to a day. Defaults to no time at all.
	Delay time.Duration
}

const longestDelay = 24 * time.Hour

func (c Config) withDefaults() Config {
	if c.Greeting == "" {
		c.Greeting = "Welcome, {{first_name|friend}}!"
	}
	if c.Thanks == "" {
		c.Thanks = "Thank you for passing it on, {{first_name|friend}}!"
	}
	if c.ThanksAgain == "" {
		c.ThanksAgain = c.Thanks
	}
	return c
}

func (c Config) validate() error {
	if c.Delay < 0 || c.Delay > longestDelay {
		return fmt.Errorf("welcome.Config.Delay is %v: it must lie between 0 and %v", c.Delay, longestDelay)
	}
	return nil
}

// texts are the templates of a Config.
type texts struct{ greeting, thanks, thanksAgain handlers.Template }

func (c Config) parse() (texts, error) {
	var out texts
	for _, t := range []struct {
		field, text string
		to          *handlers.Template
	}{
		{"Greeting", c.Greeting, &out.greeting}, {"Thanks", c.Thanks, &out.thanks}, {"ThanksAgain", c.ThanksAgain, &out.thanksAgain},
	} {
		var err error
		if *t.to, err = handlers.ParseTemplate(t.text); err != nil {
			return texts{}, fmt.Errorf("welcome.Config.%s: %w", t.field, err)
		}
	}
	return out, nil
}
