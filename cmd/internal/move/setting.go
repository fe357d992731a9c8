package move

import (
	"net/url"
	"strings"

	"github.com/nectar-bot/nectar/bot/config"
)

// settingOf returns a database as the settings have it, without a password.
func settingOf(s config.StoreFile) string {
	if !s.OnServer() {
		return "sqlite:" + string(s)
	}
	where, err := url.Parse(string(s))
	if err != nil {
		return "postgres://…" // nothing in it can be trusted not to be a password
	}
	if where.User != nil {
		where.User = url.User(where.User.Username())
	}
	values := where.Query()
	for name := range values {
		if strings.Contains(strings.ToLower(name), "pass") {
			values.Del(name)
		}
	}
	where.RawQuery = values.Encode()
	return where.String()
}
