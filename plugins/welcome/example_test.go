package welcome_test

import (
	"fmt"
	"os"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/platform/emulator/script"
	"github.com/nectar-bot/nectar/plugins/welcome"
	"go.uber.org/fx"
)

// A plugin is a module beside bot.Module, and a Config that is supplied.
func Example() {
	ana := script.Actor("ana")
	fmt.Println(bottest.Play(os.Stdout, fx.Options(welcome.Module, fx.Supply(welcome.Config{Greeting: "Hello {{first_name|you}}!", Delay: time.Millisecond})),
		ana.Follows(), ana.Expects("Hello")))
	// Output:
	// ana      + follows bot
	// bot  →   ana: Hello Ana!
	// <nil>
}

// Without fx a plugin is its routes; what is wrong with its configuration is told before anything runs.
func ExampleNew() {
	_, err := welcome.New(welcome.Config{Greeting: "Hello {{nickname}}!"})
	fmt.Println(err)

	p, err := welcome.New(welcome.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = bot.NewRouter(bot.RouterConfig{Routes: p.Routes()})
	fmt.Println(len(p.Routes()), err)
	// Output:
	// welcome.Config.Greeting: "Hello {{nickname}}!": there is no variable "nickname": there are first_name, name, text, user_name
	// 2 <nil>
}
