//go:build unix

package cmd

import (
	"strings"
	"sync"
	"testing"
	"time"
)

// TestCampaignsPage does what docs/campaigns.md says, and compares what it shows with what happens. The slot that the page has in
// two minutes is in the next one.
func TestCampaignsPage(t *testing.T) {
	t.Parallel()
	onlyWithAll(t)
	e := newEvening(t)
	stands := e.real
	soon := sync.OnceValue(func() time.Time { return time.Now().UTC().Add(90 * time.Second).Truncate(time.Minute) })
	e.real = func(s string) string {
		s = stands(s)
		if !strings.Contains(s, "2027-03-16") { // the day comes first
			return s
		}
		return strings.NewReplacer("2027-03-16", soon().Format(time.DateOnly), "18:32", soon().Format("15:04")).Replace(s)
	}
	e.follow("../docs/campaigns.md")
	if e.ran < 10 {
		t.Errorf("the page has only %d commands", e.ran)
	}
}
