package notify_test

import (
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/handlers/notify"
)

// Addresses are read, and shown without what is secret.
func TestAddresses(t *testing.T) {
	t.Parallel()
	for raw, shown := range map[string]string{
		"ntfy://ntfy.sh/topic": "ntfy://ntfy.sh/…", "ntfy://${NTFY_TOKEN}@ntfy.example.org:8443/topic": "ntfy://ntfy.example.org:8443/…",
		"slack://hooks.slack.com/services/${SLACK}": "slack://hooks.slack.com/…", "discord://discord.com/api/webhooks/1/x": "discord://discord.com/…",
		"telegram://123:ABC@api.telegram.org/-100": "telegram://api.telegram.org/…", "telegram://${T}@api.telegram.org/@channel": "telegram://api.telegram.org/…",
		"mailto:ana@example.org": "mailto:ana@example.org", "mailto:ana@example.org, bo@example.org": "mailto:ana@example.org,bo@example.org",
		"https://hooks.example.org/x?key=${K}": "https://hooks.example.org/…", "http://localhost:8080/x": "http://localhost:8080/…",
	} {
		if a := parsed(t, raw); a.String() != shown {
			t.Errorf("%s is shown as %s", raw, a)
		}
	}
	one, two := parsed(t, "ntfy://ntfy.sh/a"), parsed(t, "ntfy://ntfy.sh/b")
	if one.ID() == two.ID() || one.ID() != parsed(t, "ntfy://ntfy.sh/a").ID() {
		t.Error("an address does not have a name of its own")
	}
}

// What is no address is told with what to write, and nothing of it that may be secret.
func TestBadAddresses(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"":                                  "this is no address",
		"hooks.example":                     "this is no address",
		"ntfy:///topic":                     "the host is missing",
		"ntfy://ntfy.sh":                    "ntfy://ntfy.sh/TOPIC",
		"ntfy://ntfy.sh/a/b":                "ntfy://ntfy.sh/TOPIC",
		"ntfy://${HOST}/topic":              "the host must stand there itself",
		"ntfy://s3cret@ntfy.sh/a?x=1":       "ntfy://ntfy.sh/TOPIC",
		"ntfy://ntfy.sh/a#b":                "write %23",
		"slack://hooks.slack.com":           "slack://hooks.slack.com/services/",
		"discord://discord.com":             "discord://discord.com/api/webhooks/",
		"telegram://api.telegram.org/1":     "telegram://${TELEGRAM_TOKEN}@",
		"telegram://s3cret@h":               "telegram://${TELEGRAM_TOKEN}@",
		"mailto:":                           "mailto:team@example.org",
		"mailto:s3cret":                     "mailto:team@example.org",
		"mailto:ana@example.org?cc=x":       "nothing behind them",
		"http://hooks.example.org/":         "must begin with https://",
		"teams://x@y":                       "teams: is not offered here",
		"pushover://x":                      "pushover: is not offered here",
		"mattermost://x/y":                  "slack://HOST/hooks/",
		"smtp://s3cret@h":                   "mail_server",
		"gopher://x":                        `there is no service "gopher"`,
		"ntfy://ntfy.sh/${}":                "write a variable like",
		"ntfy://ntfy.sh/${a b}":             "write a variable like",
		"ntfy://ntfy.sh/${TOPIC":            "write a variable like",
		"ntfy://ntfy.sh/${NECTAR_PASSWORD}": "goes to nobody",
		"ntfy://ntfy.sh/${nectar_password}": "goes to nobody",
		"ntfy://nt\nfy.sh/s3cret":           "this is no address",
		"ntfy://ntfy.sh/$NTFY":              "write ${NTFY} in the place of $NTFY",
		"ntfy://ntfy.sh/a$s3cret":           "a variable is written ${NAME}, and a $ itself %24",

		"https://ntfy.sh/s3cret":                                            `write "ntfy://ntfy.sh/${NTFY_TOPIC}", and NTFY_TOPIC= with what follows ntfy.sh/ into .env`,
		"https://ntfy.sh/${MY_TOPIC}":                                       `write "ntfy://ntfy.sh/${MY_TOPIC}"`,
		"https://ntfy.example.org:8443/s3cret":                              `write "ntfy://ntfy.example.org:8443/${NTFY_TOPIC}"`,
		"https://hooks.slack.com/services/T0/B0/s3cret":                     `write "slack://hooks.slack.com/services/${SLACK_HOOK}", and SLACK_HOOK= with what follows services/ into .env`,
		"https://hooks.slack.com/services/${SLACK}":                         `write "slack://hooks.slack.com/services/${SLACK}"`,
		"https://Discord.com/api/webhooks/1/s3cret":                         `write "discord://discord.com/api/webhooks/${DISCORD_HOOK}", and DISCORD_HOOK= with what follows api/webhooks/ into .env`,
		"https://discordapp.com/api/webhooks/1/s3cret":                      `write "discord://discordapp.com/api/webhooks/${DISCORD_HOOK}"`,
		"https://api.telegram.org/bot1:s3cret/sendMessage?chat_id=-1001234": `write "telegram://${TELEGRAM_TOKEN}@api.telegram.org/-1001234", and TELEGRAM_TOKEN= with what follows /bot into .env`,
		"https://api.telegram.org/bot${TG}/sendMessage":                     `write "telegram://${TG}@api.telegram.org/CHAT"`,
		"https://t.me/s3cret":                                               `write "telegram://${TELEGRAM_TOKEN}@api.telegram.org/CHAT"`,
	} {
		_, err := notify.Parse(raw)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: %v, want %q", raw, err, want)
		}
	}
}

func TestServers(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"smtp://bot%40example.org:${P}@smtp.example.org": "", "smtps://smtp.example.org:465?from=bot@example.org": "",
		"smtp://smtp.example.org":                       "who writes",
		"smtp://smtp.example.org?from=nobody":           "from is no mail address",
		"smtp://smtp.example.org?from=a@b.c&x=1":        "only ?from",
		"https://smtp.example.org":                      "smtps://",
		"smtp://bot%40example.org:s3cret@h/x":           "smtps://",
		"smtp://bot%40example.org:${NECTAR_PASSWORD}@h": "goes to nobody",
	} {
		_, err := notify.ParseServer(raw)
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cret")) {
			t.Errorf("%s: %v, want %q", raw, err, want)
		}
	}
}
