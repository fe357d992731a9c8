package autoresponder

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/notify"
)

// missingFor is how long the rule files have to be missing before people are told, while the bot runs: whoever puts a
// folder in the place of another one is done by then.
const missingFor = time.Minute

// missing is that the rule files cannot be read: their folder is gone, or has lost all of them.
type missing struct {
	mu     sync.Mutex // guards the fields below
	why    string     // "" when they can be read
	since  time.Time  // in this incarnation
	start  bool       // they were missing when it began
	loaded time.Time  // since when what stays in force was so; zero when nothing is
	files  int

	published bool // they are no files of this machine
}

// noteLost notes that the rule files cannot be read. What was in force stays so; at a start that is what the store knows.
func (fo *folder) noteLost(ctx context.Context, err error) {
	if fo.hash == "" {
		fo.resume(ctx)
	}
	if fo.failed != err.Error() {
		fo.failed = err.Error()
		fo.log().WarnContext(ctx, "no rules can be read; what was in force stays so", "err", err)
	}
	m := &fo.missing
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.why == "" {
		m.since, m.start = time.Now(), fo.seen == nil
	}
	_, m.published = fo.place.set()
	m.why, m.loaded, m.files = err.Error(), fo.loaded, fo.files
}

// noteFound notes that the rule files can be read.
func (fo *folder) noteFound(ctx context.Context) {
	fo.failed = ""
	m := &fo.missing
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.why == "" {
		return
	}
	m.why = ""
	fo.log().InfoContext(ctx, "the rules can be read again")
}

func timeStamp(at time.Time) string {
	if at.IsZero() {
		return "a time that is not known"
	}
	return at.UTC().Format("2006-01-02 15:04 UTC")
}

// lastingCondition returns what people are to be told of missing files, while they are missing for long enough.
func (m *missing) lastingCondition(now time.Time) (condition, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.why == "" || !m.start && now.Sub(m.since) < missingFor {
		return condition{}, false
	}
	by := "missing"
	if m.files == 0 {
		by = "nothing"
	}
	c := condition{kind: notify.KindRules, why: event.Because(record.TroubleRules, "by", by), since: m.since, text: m.textLocked(), do: "nectar doctor"}
	if m.published {
		c.ask = "Publish them, or let the settings name another set; what is in force:"
	}
	return c, true
}

// textLocked says what is missing, and what that means.
func (m *missing) textLocked() string {
	text := "The rule files cannot be read: " + m.why + ". "
	if m.published {
		text = "The published rules cannot be read: " + m.why + ". "
	}
	if m.files == 0 {
		return text + "Nothing is in force, and nobody is answered"
	}
	return text + fmt.Sprintf("What was in force since %s stays so (files: %d); what is changed now does not arrive", timeStamp(m.loaded), m.files)
}
