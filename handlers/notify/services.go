package notify

import (
	"cmp"
	"context"
	"encoding/base64"
	"net/http"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// sendNtfy publishes a digest: docs.ntfy.sh/publish, as JSON. Its texts are plain unless one asks for Markdown.
func (c *Client) sendNtfy(ctx context.Context, a *Address, d *Digest) error {
	u := a.requestURL()
	topic, err := a.fillVariables(strings.Trim(u.Path, "/"), c.cfg.Lookup)
	if err != nil {
		return err
	}
	u.Path = "/"
	priority := 3
	if d.Urgent {
		priority = 5
	}
	header, err := c.authorization(a)
	if err != nil {
		return err
	}
	return c.postJSON(ctx, a, *u, map[string]any{
		"topic": topic, "title": "Nectar: " + d.titleText(), "message": d.text(styles[Ntfy], false), "priority": priority,
	}, header)
}

// authorization is what an address of ntfy says about who writes: a token, or a name with a password.
func (c *Client) authorization(a *Address) (http.Header, error) {
	user := a.written.User
	if user == nil {
		return nil, nil //nolint:nilnil // nobody in particular
	}
	name, err := a.fillVariables(user.Username(), c.cfg.Lookup)
	if err != nil {
		return nil, err
	}
	password, with := user.Password()
	if !with {
		return http.Header{"Authorization": {"Bearer " + name}}, nil
	}
	if password, err = a.fillVariables(password, c.cfg.Lookup); err != nil {
		return nil, err
	}
	return http.Header{"Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte(name+":"+password))}}, nil
}

// sendSlack posts a digest to an incoming webhook: docs.slack.dev/messaging. Texts are not formatted, names not looked up,
// links not shown.
func (c *Client) sendSlack(ctx context.Context, a *Address, d *Digest) error {
	return c.postJSON(ctx, a, *a.requestURL(), map[string]any{
		"text": d.text(styles[Slack], true), "mrkdwn": false, "parse": "none", "link_names": false, "unfurl_links": false, "unfurl_media": false,
	}, nil)
}

// sendDiscord posts a digest to a webhook: docs.discord.com, execute webhook. Nobody is mentioned, no link is shown.
func (c *Client) sendDiscord(ctx context.Context, a *Address, d *Digest) error {
	const suppressEmbeds = 1 << 2
	return c.postJSON(ctx, a, *a.requestURL(), map[string]any{
		"content": d.text(styles[Discord], true), "allowed_mentions": map[string]any{"parse": []string{}}, "flags": suppressEmbeds,
	}, nil)
}

// sendTelegram sends a digest as a bot: core.telegram.org/bots/api#sendmessage. Without a parse mode a text stays as it is.
func (c *Client) sendTelegram(ctx context.Context, a *Address, d *Digest) error {
	u := a.requestURL()
	chat, err := a.fillVariables(strings.Trim(u.Path, "/"), c.cfg.Lookup)
	if err != nil {
		return err
	}
	token := a.written.User.Username()
	if rest, ok := a.written.User.Password(); ok { // 123:ABC
		token += ":" + rest
	}
	u.Path = "/bot" + token + "/sendMessage"
	return c.postJSON(ctx, a, *u, map[string]any{
		"chat_id": chat, "text": d.text(styles[Telegram], true), "link_preview_options": map[string]any{"is_disabled": true},
	}, nil)
}

// posted is what a webhook gets.
type posted struct {
	ID      string    `json:"id"`
	Who     string    `json:"who"`
	Text    string    `json:"text"`
	Account string    `json:"account"`
	Peer    int64     `json:"peer"`
	At      time.Time `json:"at"`
	Kind    string    `json:"kind,omitempty"`
	Private bool      `json:"private,omitempty"`

	event.Details
}

func newPosted(n *Notice) posted {
	if t, ok := n.troubleOf(); ok {
		n.Ask = cmp.Or(n.Ask, t.ask)
	}
	return posted{n.ID, n.Who, n.Text, n.Account, n.Peer, n.At.UTC(), n.Kind, n.Private, n.Details}
}
