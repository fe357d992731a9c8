package script_test

import (
	"context"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

// A script is people who do one thing after another, and say what they miss.
func ExamplePlay() {
	town := emulator.New(emulator.Config{})
	account := town.AddAccount(emulator.Person{Username: "cafe"}, "bot@cafe.example", "secret")
	ana := script.Actor("ana")
	fmt.Println(script.Play(context.Background(), town, script.Script{
		Account: account, Patience: time.Millisecond, Steps: []script.Step{ana.Says("anybody?"), ana.Expects("yes")},
	}))
	// Output: step 2, ana expects "yes": nothing came within 1ms
}
