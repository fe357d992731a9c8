package cmd

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/cmd/internal/print"
)

// Also where there is no terminal somebody hears of what takes long, and is not flooded.
func TestProgressWithoutTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		p := print.NewProgress(&out)
		for i := range 1000 {
			p.ShowStep(fmt.Sprintf("main: chat %d\x1b of 1000", i+1))
			time.Sleep(200 * time.Millisecond)
		}
		p.End()
		if want := "main: chat 151 of 1000\nmain: chat 301 of 1000\n"; !strings.HasPrefix(out.String(), want) || strings.Count(out.String(), "\n") != 6 {
			t.Errorf("%q", out.String())
		}
		out.Reset()
		print.NewProgress(&out).ShowStep("something short")
		if out.Len() > 0 {
			t.Errorf("%q", out.String())
		}
	})
}
