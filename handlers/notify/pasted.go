package notify

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// checkPasted returns what to write in the place of an address that a service shows in its own settings; nil for what is none. A webhook gets notices in JSON of ours,
// which these services refuse, or show to people as it is. What may be secret is not repeated.
func (a *Address) checkPasted(u *url.URL) error {
	host, path := strings.ToLower(u.Host), strings.Trim(u.Path, "/")
	switch name := strings.ToLower(u.Hostname()); {
	case strings.HasPrefix(name, "ntfy.") && !strings.Contains(path, "/"):
		return a.instead("ntfy", "ntfy://"+host+"/%s", path, "NTFY_TOPIC", host+"/")
	case name == "hooks.slack.com":
		return a.instead("Slack", "slack://"+host+"/services/%s", strings.TrimPrefix(path, "services/"), "SLACK_HOOK", "services/")
	case slices.Contains([]string{"discord.com", "discordapp.com", "ptb.discord.com", "canary.discord.com"}, name):
		return a.instead("Discord", "discord://"+host+"/api/webhooks/%s", strings.TrimPrefix(path, "api/webhooks/"), "DISCORD_HOOK", "api/webhooks/")
	case slices.Contains([]string{"api.telegram.org", "t.me", "web.telegram.org", "telegram.org"}, name):
		chat := u.Query().Get("chat_id")
		if !chatNumber.MatchString(chat) {
			chat = "CHAT"
		}
		token, _, _ := strings.Cut(strings.TrimPrefix(path, "bot"), "/")
		return a.instead("Telegram", "telegram://%s@api.telegram.org/"+chat, token, "TELEGRAM_TOKEN", "/bot")
	}
	return nil
}

var chatNumber = regexp.MustCompile(`^-?[0-9]+$`)

// instead says what to write in which a variable stands for the secret part: its own one, where it is one.
func (a *Address) instead(service, form, part, name, behind string) error {
	const says = "%s is called by an address of its own: write %q"
	if standIn.FindString(part) == part && part != "" {
		var i int
		if _, err := fmt.Sscanf(part, "nectarvariable%de", &i); err == nil && i < len(a.names) {
			return fmt.Errorf(says, service, fmt.Sprintf(form, "${"+a.names[i]+"}"))
		}
	}
	return fmt.Errorf(says+", and %s= with what follows %s into .env", service, fmt.Sprintf(form, "${"+name+"}"), name, behind)
}
