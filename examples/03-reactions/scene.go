package main

import (
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// scene is what the visitors do, and what they expect back.
func scene(menu platform.PostID) []emulator.Step {
	ana, leo, mia := emulator.Actor("ana"), emulator.Actor("leo"), emulator.Actor("mia")
	return []emulator.Step{
		mia.Follows(), mia.Expects("Welcome"),
		mia.Unfollows(), mia.Follows(), // nobody is welcomed twice
		leo.Reposts(menu), leo.Expects("Thank you"),
		ana.Mentions("best soup in town"), ana.ExpectsLike(),
	}
}
