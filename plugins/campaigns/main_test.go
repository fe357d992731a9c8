package campaigns_test

import (
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(effort.Choosing(m)) }
