package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/demo"
	"github.com/spf13/cobra"
)

// newDemoBot is the hidden command that the demo starts as a child.
func newDemoBot(sh cli.Shell) *cobra.Command {
	return &cobra.Command{
		Use: demo.BotCommand, Hidden: true, Args: cli.UsageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var s demo.Settings
			if err := json.Unmarshal([]byte(sh.GetVariable(demo.Variable)), &s); err != nil {
				return fmt.Errorf("%s is for nectar demo to call: %w", demo.BotCommand, err)
			}
			ctx, cancel := context.WithCancel(cmd.Context())
			defer cancel()
			if s.Measured {
				s.Meter = new(demo.Meter)
			}
			go func() { // the end of the demo, also a violent one, ends the bot
				if s.Meter != nil {
					s.Meter.AnswerReadings(sh.Stdin, cmd.OutOrStdout())
				} else {
					_, _ = io.Copy(io.Discard, sh.Stdin)
				}
				cancel()
			}()
			if s.Worker != nil {
				return s.RunWorker(ctx, cmd.OutOrStdout())
			}
			var once sync.Once
			return demo.Demo{}.RunBot(ctx, s, func() {
				once.Do(func() { _, _ = io.WriteString(cmd.OutOrStdout(), demo.Ready) })
			})
		},
	}
}
