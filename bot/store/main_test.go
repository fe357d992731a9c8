package store_test

import (
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
	goleak.VerifyTestMain(m)
}
