package outbox_test

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

// few reports whether a part of what repeats is enough: with the race detector and with -short.
func few() bool { return racing || testing.Short() }

func TestMain(m *testing.M) {
	set := map[string]string{"rapid.seed": "1"} // the same histories in each run; -rapid.seed=0 draws others
	if racing {
		set["rapid.checks"] = "25"
	}
	for name, value := range set {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}
