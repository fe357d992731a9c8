package main

import (
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

// scene is what the visitors do, and what they expect back.
func scene(menu platform.PostID) []script.Step {
	ana, leo := script.Actor("ana"), script.Actor("leo")
	return []script.Step{
		ana.Follows(), ana.Expects("Nice to meet you"),
		ana.Says("the menu, please"), ana.Expects("apple pie"),
		leo.Reposts(menu), leo.Expects("Thank you"),
	}
}
