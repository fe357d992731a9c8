package main

import (
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// scene is what the visitors do, and what they expect back.
func scene(menu platform.PostID) []emulator.Step {
	ana, leo := emulator.Actor("ana"), emulator.Actor("leo")
	return []emulator.Step{
		ana.Follows(), ana.Expects("Nice to meet you"),
		ana.Says("the menu, please"), ana.Expects("apple pie"),
		leo.Reposts(menu), leo.Expects("Thank you"),
	}
}
