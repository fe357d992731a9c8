package autoresponder

import (
	"fmt"
	"sync"
	"time"

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
	ask, do string // "" where the file itself is to be mended
	since   time.Time
}

// note takes what a look at the files has found, and which files work, and not beside others.
func (f *faults) note(report text.Report, beside map[string]fault) {
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

// conditions returns what people are called for: files that do not load, and files that are missing.
func (fo *folder) conditions(now time.Time) []condition {
	var all []condition
	for file, x := range fo.broken(now) {
		all = append(all, condition{
			account: fo.lead(), kind: notify.KindRules, subject: file, since: now,
			text: file + fo.where() + ": " + x.text + "; the last version of it that worked stays in force, if there was one", ask: "Mend it:", do: "nectar check",
		})
		c := &all[len(all)-1]
		if x.do != "" {
			c.text, c.ask, c.do = file+fo.where()+": "+x.text, x.ask, x.do
		}
		if set, published := fo.place.set(); published {
			c.text = file + " of " + set + ": " + x.text + "; what was in force before stays so, if anything was"
			c.ask, c.do = "Run the version of the program that it was published with, or go back:", "nectar back "+set
		}
	}
	if text, ok := fo.missing.lasts(now); ok {
		c := condition{account: fo.lead(), kind: notify.KindRules, since: now, text: text, ask: "Bring the files back; what is in force says:", do: "nectar doctor"}
		if _, published := fo.place.set(); published {
			c.ask = "Publish them, or let the settings name another set; what is in force says:"
		}
		all = append(all, c)
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
	if fo.lead() == "" {
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
