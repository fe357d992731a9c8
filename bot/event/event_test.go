package event_test

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// An event is as old as the clock says that says more: the steady one stands still while a machine sleeps, the one on the wall may be set back.
// Both are read one after another, so that of many pairs of moments some are further apart by the one, some by the other, if by nanoseconds.
func TestAgeByEitherClock(t *testing.T) {
	t.Parallel()
	const most = 10_000_000
	for i, slept, setBack := 0, 0, 0; slept < 100 || setBack < 100; i++ {
		if i == most {
			t.Fatalf("of %d pairs %d are further apart on the wall, and %d by the steady clock: nothing is tested", i, slept, setBack)
		}
		e, now := event.Event{NotBefore: time.Now()}, time.Now()
		steady, wall := now.Sub(e.NotBefore), now.Round(0).Sub(e.NotBefore.Round(0))
		switch {
		case steady < wall:
			slept++
		case wall < steady:
			setBack++
		}
		if got := e.Age(now); got != max(steady, wall) {
			t.Fatalf("%v old, where %v have passed by the steady clock and %v on the wall", got, steady, wall)
		}
	}
}

// What comes from the store has the time on the wall alone; without an earlier poll nobody knows.
func TestAgeOfWhatWasStored(t *testing.T) {
	t.Parallel()
	now := time.Now()
	stored := now.Add(-3 * time.Hour).Round(0)
	for name, c := range map[string]struct {
		before, now time.Time
		want        time.Duration
	}{
		"stored":           {stored, now, 3 * time.Hour},
		"both stored":      {stored, now.Round(0), 3 * time.Hour},
		"of this run":      {now.Add(-3 * time.Hour), now, 3 * time.Hour},
		"no earlier poll":  {time.Time{}, now, 0},
		"from the future":  {now.Add(time.Minute).Round(0), now, -time.Minute},
		"at another place": {stored.In(time.FixedZone("there", 7200)), now, 3 * time.Hour},
	} {
		if got := (event.Event{NotBefore: c.before}).Age(c.now); got != c.want {
			t.Errorf("%s: %v old, want %v", name, got, c.want)
		}
	}
}

// However wrong the clock of the platform is: an event is no older than the last poll that did not show it, and no younger than the one that did.
func TestAgeAsThePlatformTellsIt(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, time.March, 2, 10, 0, 0, 0, time.UTC)
	at := func(ago time.Duration) time.Time { return now.Add(-ago) }
	for name, c := range map[string]struct{ said, want time.Duration }{
		"between":            {time.Hour, time.Hour},
		"a clock is ahead":   {20 * time.Hour, 8 * time.Hour},
		"a clock is behind":  {-20 * time.Hour, time.Minute},
		"as it was seen":     {time.Minute, time.Minute},
		"nothing is told":    {0, 8 * time.Hour},
		"as the last poll":   {8 * time.Hour, 8 * time.Hour},
		"a moment too early": {30 * time.Second, time.Minute},
	} {
		e := event.Event{SeenAt: at(time.Minute), NotBefore: at(8 * time.Hour), SaidAt: at(c.said)}
		if c.said == 0 {
			e.SaidAt = time.Time{}
		}
		if got := e.Age(now); got != c.want {
			t.Errorf("%s: %v instead of %v", name, got, c.want)
		}
		if e.NotBefore = (time.Time{}); e.Age(now) != 0 {
			t.Errorf("%s: without an earlier poll it is %v old", name, e.Age(now))
		}
	}
}
