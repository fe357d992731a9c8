package cmd

import (
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/admin"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/cmd/internal/workers"
)

// Below the workers it is said when all their clocks differ from the database's, and beside one of them when that one does from the others.
func TestClocksOfWorkersAreListed(t *testing.T) {
	t.Parallel()
	right := admin.Worker{Worker: "a", State: "up"}
	wrong := admin.Worker{Worker: "b", State: "up", Clock: 3600, Odd: true}
	for name, c := range map[string]struct {
		there admin.Workers
		want  string
		not   string
	}{
		"all are right":      {admin.Workers{All: []admin.Worker{right}}, "a ", "clock"},
		"one of them is not": {admin.Workers{All: []admin.Worker{right, wrong}}, "its clock differs by 3600 s", "the clocks of the workers"},
		"all are apart":      {admin.Workers{All: []admin.Worker{right}, Apart: time.Hour}, "the clocks of the workers are 3600 s ahead of the database's", "its clock"},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			var out strings.Builder
			if err := workers.PrintWorkers(&out, &c.there, false); err != nil {
				t.Fatal(err)
			}
			if text := out.String(); !strings.Contains(text, c.want) || strings.Contains(text, c.not) {
				t.Errorf("it was to say %q, and not %q:\n%s", c.want, c.not, text)
			}
		})
	}
}
