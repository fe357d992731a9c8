package campaigns

import (
	"cmp"
	"maps"

	"github.com/nectar-bot/nectar/platform"
)

// TakeOut returns the memory after a person has taken a slot out: it stays out under another clock, too.
func TakeOut(m Memory, id SlotID, by Note) Memory {
	if m.Skips = maps.Clone(m.Skips); m.Skips == nil {
		m.Skips = map[SlotID]Note{}
	}
	m.Skips[id] = by
	return m
}

// Undo returns the uses after a person has a repost taken back: the post is out until somebody allows it.
func Undo(u Uses, post platform.PostID, by Note) Uses {
	c := u.clone()
	p := c.Posts[PostKey(post)]
	p.Reposted, p.Out = false, &Out{Why: Undone, Seen: by.At, By: cmp.Or(by.By, "somebody")}
	c.set(PostKey(post), p)
	return c
}
