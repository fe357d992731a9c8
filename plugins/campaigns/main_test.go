package campaigns_test

import (
	"flag"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestMain(m *testing.M) { goleak.VerifyTestMain(effort.Choosing(m)) }
