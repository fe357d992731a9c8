package store_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/child"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/bottest/pgtest"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	child.Main(map[string]func(){"writer": func() {
		fmt.Println(writeForEver(os.Args[1]))
		os.Exit(1)
	}})
	if err := flag.Set("test.parallel", "8"); err != nil { // many of them wait for a store that waits
		panic(err)
	}
	effort.Rapid("25")
	goleak.VerifyTestMain(effort.Choosing(m), goleak.Cleanup(func(code int) {
		pgtest.Stop()
		os.Exit(code)
	}))
}
