package main

import (
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

// scene is what the visitors do, and what they expect back.
func scene(menu platform.PostID) []script.Step {
	ana, leo, mia := script.Actor("ana"), script.Actor("leo"), script.Actor("mia")
	return []script.Step{
		mia.Follows(), mia.Expects("Welcome"),
		mia.Unfollows(), mia.Follows(), // nobody is welcomed twice
		leo.Reposts(menu), leo.Expects("Thank you"),
		ana.Mentions("best soup in town"), ana.ExpectsLike(),
	}
}
