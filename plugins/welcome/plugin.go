package welcome

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
)

// Plugin greets and thanks. Make it with New; it holds nothing that changes.
type Plugin struct {
	cfg    Config
	texts  texts
	guests bot.Value[Guest]
}

// Guest is what the plugin remembers of a person.
type Guest struct {
	Since   time.Time `json:"since,omitzero"`   // when the person followed for the first time, as far as the bot saw
	Reposts int       `json:"reposts,omitzero"` // how often the person reposted, also the same post
}

// New makes the plugin. The error names the field of the configuration that is wrong.
func New(cfg Config) (*Plugin, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	texts, err := cfg.parse()
	if err != nil {
		return nil, err
	}
	return &Plugin{cfg: cfg, texts: texts, guests: bot.NewValue[Guest]("welcome", "guest")}, nil
}

// Routes returns the routes "welcome/follow" and "welcome/repost".
func (p *Plugin) Routes() []bot.Route {
	return bot.Group("welcome", nil,
		bot.On("follow", bot.AnyFollow(), p.follow),
		bot.On("repost", bot.AnyRepost(), p.repost),
	)
}

// Guest returns what is remembered of a turn's peer; false for somebody who neither followed nor
// reposted.
func (p *Plugin) Guest(t *bot.Turn) (Guest, bool, error) { return p.guests.Load(t) }

func (p *Plugin) follow(_ context.Context, t *bot.Turn, _ event.Follow) error {
	guest, _, err := p.guests.Load(t)
	if err != nil {
		return err
	}
	if guest.Since.IsZero() {
		guest.Since = t.Now
		if err := p.guests.Save(t, guest); err != nil {
			return err
		}
	}
	if p.cfg.FollowBack {
		t.Follow()
	}
	return t.Message(p.texts.greeting.For(t), bot.Once("welcome/greeting"), bot.In(p.cfg.Delay))
}

func (p *Plugin) repost(_ context.Context, t *bot.Turn, r event.Repost) error {
	guest, _, err := p.guests.Load(t)
	if err != nil {
		return err
	}
	guest.Reposts++
	if err := p.guests.Save(t, guest); err != nil {
		return err
	}
	text := p.texts.thanks
	if guest.Reposts > 1 {
		text = p.texts.thanksAgain
	}
	return t.Message(text.For(t), bot.OncePerPost("welcome/thanks", r.Post))
}
