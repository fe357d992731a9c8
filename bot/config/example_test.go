package config_test

import (
	"fmt"

	"github.com/nectar-bot/nectar/bot/config"
)

// Settings come from variables, as the command has them from its environment and .env.
func ExampleLoad() {
	cfg, err := config.Load(config.Source{Accounts: true, Environ: []string{
		"NECTAR_BASE_URL=https://social.example/mobile_api",
		"NECTAR_EMAIL=bot@social.example",
		"NECTAR_PASSWORD=correct horse",
		"NECTAR_PACE=30/m",
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	a := cfg.Accounts[0]
	fmt.Println(a.Name, "sends", a.Pace, "a second at most, with the password", a.Password)
	// Output: main sends 0.5 a second at most, with the password [redacted]
}

// All that is wrong is told at once, a line each, with an example.
func ExampleProblems() {
	_, err := config.Load(config.Source{Accounts: true, Environ: []string{
		"NECTAR_BASE_URL=https://social.example/mobile_api", "NECTAR_EMAIL=bot@social.example", "NECTAR_POLL_INTERVAL=5",
	}})
	fmt.Println(err)
	// Output:
	// NECTAR_PASSWORD: is missing (example: NECTAR_PASSWORD='correct horse')
	// NECTAR_POLL_INTERVAL: "5" is not a duration from 50ms to 1h (example: NECTAR_POLL_INTERVAL=5s)
}
