package store_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childPath); path != "" {
		fmt.Println(writeForEver(path))
		os.Exit(1)
	}
	set := map[string]string{
		"rapid.seed":    "1", // the same histories in each run; -rapid.seed=0 draws others
		"test.parallel": "8", // many of them wait for a store that waits
	}
	if racing {
		set["rapid.checks"] = "25"
	}
	for name, value := range set {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		stopPostgres()
		os.Exit(code)
	}))
}
