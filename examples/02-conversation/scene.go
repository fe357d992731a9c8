package main

import (
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

// scene is what the visitors do, and what they expect back.
func scene(platform.PostID) []script.Step {
	ana, leo := script.Actor("ana"), script.Actor("leo")
	return []script.Step{
		ana.Says("a table, please"), ana.Expects("how many"),
		ana.Says("for all of us"), ana.Expects("number"),
		ana.Says("4"), ana.Expects("time"),
		ana.Says("19:30"), ana.Expects("right?"),
		ana.Says("yes"), ana.Expects("Booked"),
		leo.Says("a table"), leo.Expects("how many"),
		leo.Expects("I leave it"), // he says nothing more
	}
}
