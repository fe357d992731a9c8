package autoresponder

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/notify"
	"github.com/nectar-bot/nectar/handlers/text"
)

// faultyFor is how long a file does not load before people are called: the person who edits it has seen it by then.
const faultyFor = 2 * time.Minute

// faults are the files that do not load, with what is wrong with them first.
type faults struct {
	mu    sync.Mutex // guards the field below
	files map[string]fault
}

type fault struct {
	text    string
	ask, do string // "" where a file is to be mended
	beside  bool   // it works by itself
	since   time.Time
}

// by names what is wrong.
func (f *fault) by() string {
	switch {
	case f.do != "":
		return "test"
	case f.beside:
		return "beside"
	}
	return "file"
}

// noteReport takes what a look at the files has found, and which files work, and not beside others.
func (f *faults) noteReport(report text.Report, beside map[string]fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	files := map[string]fault{}
	for _, p := range report.Problems.Errors() {
		if _, ok := files[p.File]; ok {
			continue
		}
		x := fault{text: p.Text, since: time.Now()}
		if p.Line > 0 {
			x.text = fmt.Sprintf("line %d: %s", p.Line, p.Text)
		}
		if was, ok := f.files[p.File]; ok {
			x.since = was.since
		}
		files[p.File] = x
	}
	for name, x := range beside {
		x.since = time.Now()
		if was, ok := f.files[name]; ok {
			x.since = was.since
		}
		files[name] = x
	}
	f.files = files
}

// faultConditions returns what people are called for: files that do not load, and files that are missing.
func (fo *folder) faultConditions(now time.Time) []condition {
	var all []condition
	of := func(by, file string) event.Reason { return event.Because(record.TroubleRules, "by", by, "about", file) }
	for file, x := range fo.broken(now) {
		c := condition{
			account: fo.leadAccount(), kind: notify.KindRules, subject: file, why: of(x.by(), file), since: x.since, text: file + fo.where() + ": " + x.text, ask: x.ask, do: cmp.Or(x.do, "nectar check"),
		}
		if set, published := fo.place.set(); published {
			c.why, c.text, c.ask, c.do = of("published", set), file+" of "+set+": "+x.text, "", "nectar back "+set
		}
		all = append(all, c)
	}
	if m, ok := fo.missing.lastingCondition(now); ok {
		m.account = fo.leadAccount()
		all = append(all, m)
	}
	return all
}

// Broken returns how many rule files do not load at the moment.
func (p *Plugin) Broken() (files int) {
	for _, fo := range p.all() {
		fo.faults.mu.Lock()
		files += len(fo.faults.files)
		fo.faults.mu.Unlock()
	}
	return files
}

// where names the folder, where there are several.
func (fo *folder) where() string {
	if fo.leadAccount() == "" {
		return ""
	}
	return " in " + fo.place.path
}

// broken returns the files that have not loaded for so long that people are called, with what is wrong.
func (fo *folder) broken(now time.Time) map[string]fault {
	fo.faults.mu.Lock()
	defer fo.faults.mu.Unlock()
	files := map[string]fault{}
	for name, x := range fo.faults.files {
		if now.Sub(x.since) >= faultyFor {
			files[name] = x
		}
	}
	return files
}

// missingFor is how long the rule files have to be missing before people are told, while the bot runs: by then somebody who
// replaces the folder is done.
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
