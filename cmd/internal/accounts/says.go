package accounts

import (
	"strings"

	"github.com/nectar-bot/nectar/platform"
)

// Settings are settings of an account, by their names in the accounts file.
type Settings = map[string]platform.Secret

// Flags are the settings that may stand on a command line, in order.
var Flags = []struct{ Setting, Usage string }{
	{"base_url", "`address` of the platform, which ends with the part that names the mobile API"},
	{"email", "e-mail `address` with which it signs in"},
	{"oauth_type", "`provider` of a social sign-in, instead of an e-mail address"},
	{"device_type", "`device` that it signs in as: android or ios"},
	{"allow_plain_http", "speak plain http:// with a platform that is not on this machine: `true` or false"},
	{"poll_interval", "`time` between two looks at the platform, like 5s"},
	{"backlog", "`what` to do at the very first start with what came in before: skip or unread"},
	{"pace", "most `sends`, like 20/s, 30/m, 500/h or unlimited"},
	{"concurrency", "requests in flight, a `number` from 1 to 256"},
	{"rules", "`folder` of rule files of its own, or one file"},
}

// InFlags is what a setting is called on a command line.
func InFlags(setting string) string {
	switch setting {
	case "password":
		return "the password (asked for on a terminal; --password-stdin reads it)"
	case "oauth_token":
		return "the token of the provider (asked for on a terminal; --password-stdin reads it)"
	}
	return "--" + strings.ReplaceAll(setting, "_", "-")
}
