package effort_test

import (
	"fmt"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
)

// A part is a part, and all is all: but not with the race detector, nor with -short.
func TestParts(t *testing.T) {
	for env, few := range map[string]bool{"": true, "all": effort.Racing || testing.Short()} {
		t.Setenv("NECTAR_TEST", env)
		if effort.Few() != few {
			t.Errorf("with %q few are enough: %v", env, !few)
		}
		sampled, one, some := 0, 0, 0
		for n := range 50 {
			sampled += count(effort.Sampled(n))
			one += count(effort.One(t, n, 50))
			some += count(effort.Some(fmt.Sprint(n)))
		}
		if all := sampled == 50 && one == 50 && some == 50; all == few || few && (sampled != 10 || one != 1 || some == 0 || some > 30) {
			t.Errorf("with %q, of 50 cases %d are sampled, %d is one of them, and %d are some", env, sampled, one, some)
		}
	}
}

func count(chosen bool) int {
	if chosen {
		return 1
	}
	return 0
}
