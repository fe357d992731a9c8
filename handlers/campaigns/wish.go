package campaigns

import (
	"cmp"

	"github.com/nectar-bot/nectar/platform"
)

// Undo returns the uses after a person has a repost taken back: the post is out until somebody allows it.
func Undo(u Uses, post platform.PostID, by Note) Uses {
	c := u.clone()
	p := c.Posts[PostKey(post)]
	p.Reposted, p.Out = false, &Out{Why: Undone, Seen: by.At, By: cmp.Or(by.By, "somebody")}
	c.set(PostKey(post), p)
	return c
}
