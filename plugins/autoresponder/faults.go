package autoresponder

import (
	"cmp"
	"fmt"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/notify"
	"github.com/nectar-bot/nectar/handlers/text"
)

// faultyFor is how long a file does not load before people are called: whoever writes in it has seen it by then.
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
