package rival

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// What two answers of the same words prove, by what is known of when each came into being. Ours answers message 100,
// which was read at second 0, and is message 110.
func TestWhatADoubleProves(t *testing.T) {
	t.Parallel()
	at := func(second float64) time.Time {
		return time.Date(2025, time.March, 3, 9, 0, 0, 0, time.UTC).Add(time.Duration(second * float64(time.Second)))
	}
	ours := func(left, came float64) answer {
		return answer{id: 110, to: event.ID{Source: event.Messages, Number: 100}, ready: at(0), alone: at(0), left: at(left), came: at(came)}
	}
	waited := ours(9, 9.5) // the last poll before it left began a second earlier
	waited.alone = at(8)
	for name, c := range map[string]struct {
		ours   answer
		other  other
		same   bool
		weight int
	}{
		"just before ours":                   {ours(0, 0.5), other{id: 105, read: at(30)}, true, prompt},
		"just after ours, read soon":         {ours(0, 0.5), other{id: 115, read: at(2)}, true, prompt},
		"just after ours, read late":         {ours(0, 0.5), other{id: 115, read: at(30)}, true, 0},
		"read late, with one of ours behind": {ours(0, 0.5), other{id: 115, read: at(30), to: at(1)}, true, prompt},
		"long after ours, as one tells":      {ours(0, 0.5), other{id: 115, read: at(30), from: at(20)}, false, 0},
		"known before ours left":             {ours(5, 5.5), other{id: 105, read: at(4)}, false, 0},
		"known with the question":            {ours(0, 0.5), other{id: 105, read: at(0)}, false, 0},
		"above the question":                 {ours(0, 0.5), other{id: 99, read: at(30)}, false, 0},
		"before ours, which was slow":        {ours(0, 10), other{id: 105, read: at(30)}, true, 0},
		"before ours, which was queued":      {waited, other{id: 105, read: at(30)}, true, queued},
		"after ours, which was queued":       {ours(9, 9.5), other{id: 115, read: at(11)}, true, queued},
	} {
		if same, weight := compareAnswers(c.ours, c.other); same != c.same || weight != c.weight {
			t.Errorf("%s: %v with the weight %d, want %v with %d", name, same, weight, c.same, c.weight)
		}
	}
}
