package engine

import (
	"strconv"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/platform"
)

var needCeiling = decision.Need{Name: "ceiling", Kind: decision.NeedCeiling}

// NeedPost asks for a post.
func NeedPost(id platform.PostID) decision.Need {
	return decision.Need{Name: "post:" + strconv.FormatInt(int64(id), 10), Kind: decision.NeedPost, Post: id}
}

// NeedUses asks how often the limit of a limit use is used up.
func NeedUses(c event.LimitUse) decision.Need {
	return decision.Need{Name: "uses:" + c.Limit + "|" + c.Scope, Kind: decision.NeedUses, LimitUse: c}
}

func needListed(list string) decision.Need {
	return decision.Need{Name: "list:" + list, Kind: decision.NeedListed, List: list}
}

func needEntry(list, key string) decision.Need {
	return decision.Need{Name: "entry:" + list + "/" + key, Kind: decision.NeedEntry, List: list, Key: key}
}

func needAction(key string) decision.Need {
	return decision.Need{Name: "action:" + key, Kind: decision.NeedAction, Key: key}
}
