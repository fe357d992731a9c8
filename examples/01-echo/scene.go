package main

import (
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

// scene is what the visitors do, and what they expect back.
func scene(platform.PostID) []script.Step {
	ana, leo := script.Actor("ana"), script.Actor("leo")
	return []script.Step{
		ana.Says("hello there"), ana.Expects("hello there"),
		leo.Says("¿y el menú?"), leo.Expects("¿y el menú?"),
		leo.Says("gracias 😀"), leo.Expects("gracias 😀"),
	}
}
