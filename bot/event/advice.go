package event

import "github.com/nectar-bot/nectar/platform"

// CutAdvice says in a sentence what a person can do about a chat list of which only a part arrives.
func CutAdvice(by platform.CutBy) string {
	switch by {
	case platform.CutByLimit:
		return "raise NECTAR_LIST_LIMIT, or bot.Config.ListLimit; until then chats behind the limit are read one by one, and late"
	case platform.CutByDeadline:
		return "the platform or the network is too slow for so long a list; chats behind the deadline are read one by one, and late"
	default:
		return "the connection breaks in the middle of the list: look at the network, and at proxies in between; run nectar doctor"
	}
}
