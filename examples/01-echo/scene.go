package main

import (
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// scene is what the visitors do, and what they expect back.
func scene(platform.PostID) []emulator.Step {
	ana, leo := emulator.Actor("ana"), emulator.Actor("leo")
	return []emulator.Step{
		ana.Says("hello there"), ana.Expects("hello there"),
		leo.Says("¿y el menú?"), leo.Expects("¿y el menú?"),
		leo.Says("gracias 😀"), leo.Expects("gracias 😀"),
	}
}
