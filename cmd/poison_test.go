package cmd

import (
	"context"
	"os"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
)

// poison is a bot whose handler ends the process in the way that a message says, and answers every other one.
func poison() {
	haveDisk()
	Main(bot.Routes(
		bot.On("timer", bot.Timer("fall"), func(context.Context, *bot.Turn, event.Timer) error { os.Exit(7); return nil }),
		bot.On("poison", bot.AnyMessage(), func(ctx context.Context, t *bot.Turn, m event.Message) error {
			switch m.Text {
			case "exit":
				os.Exit(7)
			case "goroutine":
				go func() { panic("a goroutine of a handler") }()
				<-ctx.Done()
			case "map":
				shared := map[int]int{}
				for range 4 {
					go func() {
						for ctx.Err() == nil {
							shared[1]++
						}
					}()
				}
				<-ctx.Done()
			case "timer":
				t.SetTimer("fall", t.Now, nil)
				return nil
			}
			return t.Reply("echo: " + m.Text)
		}),
	))
}
