package outbox_test

import (
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	effort.Rapid("25")
	goleak.VerifyTestMain(m)
}
