package outbox_test

import (
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	effort.Rapid("25")
	outbox.Strict = true
	goleak.VerifyTestMain(effort.Choosing(m))
}
