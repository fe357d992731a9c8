package lease_test

import (
	"flag"
	"os"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/child"
	"go.uber.org/goleak"
)

var (
	seeds = flag.Int("seeds", 0, "how many simulations are run; 0 for as many as go test has time for")
	seed  = flag.Int("seed", 0, "the one that is run alone")
)

func TestMain(m *testing.M) {
	child.Main(map[string]func(){"still": func() { beStill(os.Args[1]) }})
	if err := flag.Set("rapid.seed", "1"); err != nil { // the same cases in each run; -rapid.seed=0 draws others
		panic(err)
	}
	goleak.VerifyTestMain(m)
}
