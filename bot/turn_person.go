package bot

import (
	"context"
	"strings"

	"github.com/nectar-bot/nectar/platform"
)

// ProfileOf reads the profile of somebody by user name, with or without "@", as a fact (profile, documented). Looking at a
// profile may tell its owner. Of somebody who is not there, or not for us, platform.Final tells by the error.
func (t *Turn) ProfileOf(ctx context.Context, user string) (platform.Profile, error) {
	user = strings.TrimPrefix(user, "@")
	return Fact(ctx, t, "profile-of:"+user, func(ctx context.Context) (platform.Profile, error) {
		return read(ctx, t.reader, func(ctx context.Context, c *platform.Client) (platform.Profile, error) {
			return c.Profile(ctx, platform.ProfileParams{Username: user})
		})
	})
}
