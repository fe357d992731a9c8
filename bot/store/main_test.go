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
	if racing {
		if err := flag.Set("rapid.checks", "25"); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}
