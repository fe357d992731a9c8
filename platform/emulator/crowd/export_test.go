package crowd

import "github.com/nectar-bot/nectar/platform"

// People returns the ids of the people.
func (c *Crowd) People() []platform.UserID {
	out := make([]platform.UserID, len(c.members))
	for i, m := range c.members {
		out[i] = m.id
	}
	return out
}
