package metrics_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator/script"
	"github.com/nectar-bot/nectar/plugins/metrics"
	"go.uber.org/fx"
)

// The module serves what the bot does beside it; here a handler looks at it itself.
func Example() {
	var server *metrics.Server
	look := bot.On("look", bot.AnyMessage(), func(ctx context.Context, t *bot.Turn, _ event.Message) error {
		said, err := valueOf(ctx, "http://"+server.Addr().String()+"/metrics", "nectar_lanes_busy")
		if err != nil {
			return err
		}
		return t.Reply("Conversations at work: " + said)
	})

	ana := script.Actor("ana")
	fmt.Println(bottest.Play(os.Stdout, fx.Options(bot.Routes(look), metrics.Module, fx.Supply(metrics.Config{Addr: "127.0.0.1:0"}), fx.Populate(&server)),
		ana.Says("how are you?"), ana.Expects("at work")))
	// Output:
	// ana      how are you?
	// bot  →   ana: Conversations at work: 1
	// <nil>
}

// valueOf returns what a page of metrics says of one.
func valueOf(ctx context.Context, url, name string) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return "", err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer func() { _ = answer.Body.Close() }()
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() {
		if of, value, ok := strings.Cut(lines.Text(), " "); ok && of == name {
			return value, nil
		}
	}
	return "unknown", lines.Err()
}
