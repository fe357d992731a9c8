package campaigns

import (
	"cmp"
	"maps"

	"github.com/nectar-bot/nectar/platform"
)

// Pause returns the memory of a campaign that a person has paused: its slots pass, until Note.Until where that is given.
func Pause(m Memory, by *Note) Memory {
	m.Paused = by
	return m
}

// Resume returns the memory of a campaign that a person lets go on, whether it was paused or has ended by itself. Slots that have
// passed stay so.
func Resume(m Memory) Memory {
	m.Paused, m.Ended = nil, nil
	return m
}

// SkipSlot returns the memory after a person has taken a slot out. It stays out under another clock, see Revise. What is prepared for
// it is to be withdrawn before, see Withdraw.
func SkipSlot(m Memory, id SlotID, by Note) Memory {
	m.Skips = maps.Clone(m.Skips)
	if m.Skips == nil {
		m.Skips = map[SlotID]Note{}
	}
	m.Skips[id] = by
	return m
}

// UnskipSlot returns the memory after a slot was put back that was taken out.
func UnskipSlot(m Memory, id SlotID) Memory {
	m.Skips = maps.Clone(m.Skips)
	delete(m.Skips, id)
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
