package autoresponder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/rules/check"
	"github.com/nectar-bot/nectar/handlers/text"
)

// folder keeps the rules in force up to date with their files.
type folder struct {
	cfg     Config
	memory  Memory
	calling *calling
	shelf   *shelf
	use     func(*rules.Version, ...event.Account)
	among   atomic.Pointer[among]
	end     func()          // ends the watching
	seated  []event.Account // accounts that act by its rules, as the other folders see it

	mu    sync.Mutex // guards the fields below: each look of the watch, and each question from outside, holds it around all that it does
	place place

	edition record.Set // of what is published, as it was read last
	unfit   bool       // it does not work in this program

	seen   rules.Sources            // as the files were when they were last taken
	fresh  rules.Sources            // as they were at the last look, when that was the first one to see them so
	good   rules.Sources            // each file as it last worked
	hash   string                   // of what is in force
	failed string                   // what was last said about files that cannot be read
	told   text.Report              // what was last said about files that can
	drafts map[string]bool          // files that have never worked, while all that have were there
	saved  bool                     // what is in force can be asked about later
	unkept bool                     // that failed, and was told
	spread bool                     // it is to be put in force though nothing has changed, for other accounts than before
	faults faults                   // that people are called for
	beside map[string]fault         // what was last said of files that work, and not beside others
	aside  map[string]text.Problems // what would be wrong with changes that are left out, by file

	resumed bool      // it is known what was in force before the start
	loaded  time.Time // when what is in force was put so
	files   int       // of what is in force
	missing missing
}

// log returns where the folder's lines go: they name it, where there are several.
func (fo *folder) log() *slog.Logger {
	if fo.leadAccount() == "" {
		return fo.cfg.Log
	}
	if set, published := fo.place.set(); published {
		return fo.cfg.Log.With("set", set)
	}
	return fo.cfg.Log.With("folder", fo.place.path)
}

// beginWatch watches the files from now on, until ctx is done, or end is called.
func (fo *folder) beginWatch(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	fo.end = func() { cancel(); <-ended }
	go func() { defer close(ended); fo.watch(ctx) }()
}

// watch looks at the files, every now and then, until ctx is done.
func (fo *folder) watch(ctx context.Context) {
	_, published := fo.place.set()
	every := func() time.Duration {
		if published { // all together cost one look
			return fo.cfg.Look
		}
		return fo.cfg.Look * time.Duration(fo.among.Load().rarer)
	}
	tick := time.NewTicker(every())
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			fo.lookForChanges(ctx)
			tick.Reset(every())
		}
	}
}

// lookForChanges takes over what has changed and stays so until the next look: a file may be half written. What is
// there at the start is taken at once.
func (fo *folder) lookForChanges(ctx context.Context) {
	fo.mu.Lock()
	defer fo.mu.Unlock()
	src, err := fo.read(ctx)
	if ctx.Err() != nil || errors.Is(err, errUnasked) && fo.hash != "" {
		return
	}
	if err != nil {
		fo.noteLost(ctx, err)
		return
	}
	fo.noteFound(ctx)
	_, published := fo.place.set()
	switch {
	case fo.seen == nil:
		fo.good = fo.restore(ctx)
	case isSame(fo.seen, src):
		fo.fresh = nil
		fo.save(ctx)
		return
	case published: // nobody is still writing in it
	case fo.fresh == nil || !isSame(fo.fresh, src):
		fo.fresh = src
		return
	}
	before := fo.seen
	fo.seen, fo.fresh = src, nil
	fo.putInForce(ctx, before, src)
}

// isSame reports whether files are as they were.
func isSame(a, b rules.Sources) bool { return maps.EqualFunc(a, b, bytes.Equal) }

// restore returns the files that were in force before the start, as far as anybody knows.
func (fo *folder) restore(ctx context.Context) rules.Sources {
	was, err := fo.inForceBefore(ctx)
	var src rules.Sources
	if last, ok := fo.latestInForce(was); err == nil && ok {
		src, err = rules.DecodeSources(last.Content)
	}
	if err != nil {
		fo.log().WarnContext(ctx, "it is not known which rules were in force before; files that do not work are left out", "err", err)
	}
	return src
}

// putInForce puts files in force; of a file that does not work, the last version that did. before are the files as they
// were when they were last put in force.
func (fo *folder) putInForce(ctx context.Context, before, src rules.Sources) {
	v, report := fo.check(src)
	report.Problems = append(report.Problems, rules.Overlooked(fo.among.Load().places, fo.place.path)...)
	repaired, told, saved := report.OK() && !fo.told.OK(), fo.told, report
	fo.told = report
	maps.DeleteFunc(fo.drafts, func(name string, _ bool) bool { return src[name] == nil })
	fo.aside = nil
	v, kept := fo.works(v, src, report)
	inForce := kept
	if v == nil {
		inForce = fo.good
	}
	beside := fo.notBeside(src, inForce, saved)
	if len(fo.aside) > 0 { // what is in force as it was saved has no fault of its own
		saved.Problems = slices.DeleteFunc(slices.Clone(saved.Problems), func(p text.Problem) bool {
			return !p.Hint && inForce[p.File] != nil && bytes.Equal(inForce[p.File], src[p.File])
		})
	}
	fo.logProblems(ctx, saved, func(p text.Problem) bool {
		return bytes.Equal(before[p.File], src[p.File]) && slices.Contains(told.Problems, p)
	})
	fo.tellBeside(ctx, beside)
	fo.faults.noteReport(saved, beside)
	if v == nil {
		fo.nothingWorks(ctx)
		return
	}
	fo.good = kept
	spread, again := fo.spread, v.Hash() == fo.hash
	if fo.spread = false; again && !spread {
		if repaired {
			fo.log().InfoContext(ctx, "all rule files work again; what is in force was so before")
		}
		return
	}
	if !again {
		fo.loaded = time.Now()
	}
	fo.hash, fo.saved, fo.files = v.Hash(), false, len(kept)
	fo.save(ctx)
	fo.use(v, fo.place.accounts...)
	line := []any{"version", v.Hash(), "files", len(kept), "rules", v.Count()}
	if again {
		line = append(line, "accounts", fo.place.accounts)
	}
	if fo.edition.Hash == v.Hash() {
		line = append(line, "edition", fmt.Sprint(fo.edition.Name, " ", fo.edition.Number))
	}
	fo.log().InfoContext(ctx, "rules are in force", line...)
	fo.orphans(ctx, v)
}

// works returns files that work, as close as possible to those that were read; no version when there are none. v is the version of
// the files as they were read. A published set is taken as a whole: when it does not work here, what was in force stays in force.
func (fo *folder) works(v *rules.Version, src rules.Sources, report text.Report) (*rules.Version, rules.Sources) {
	kept := maps.Clone(src)
	if _, published := fo.place.set(); !published {
		for v == nil && fo.repair(kept, src, report) {
			v, report = fo.check(kept)
		}
		return v, kept
	}
	if fo.unfit = v == nil; fo.unfit && fo.hash == "" && len(fo.good) > 0 { //mutate:published-unfit
		kept = fo.good
		v, _ = fo.check(kept)
	}
	return v, kept
}

// nothingWorks says what is in force when nothing that was read works.
func (fo *folder) nothingWorks(ctx context.Context) {
	what := "no rule file works"
	if _, published := fo.place.set(); published {
		what = fmt.Sprintf("what is published as %s %d does not work in this program", fo.edition.Name, fo.edition.Number)
	}
	if fo.hash == "" {
		what += "; nothing is in force, and nobody is answered before one does"
	} else {
		what += "; what was in force stays so"
	}
	fo.log().ErrorContext(ctx, what) //nolint:sloglint // it reads as a sentence
}

// check reads files as those of the folder's accounts.
func (fo *folder) check(src rules.Sources) (*rules.Version, text.Report) {
	return check.Check(src, rules.ForAccounts(fo.place.accounts...))
}

// repair puts the version that last worked in the place of files that do not work; false when nothing is left to try. When a file does
// not work although it has not changed, another file's change is the cause, so the saved files are tried change by change. Files that
// have never worked are taken out, unless they may be others under a new name.
func (fo *folder) repair(src, saved rules.Sources, report text.Report) bool {
	var broken []string
	repaired, gone := false, false
	for name := range fo.good {
		gone = gone || src[name] == nil
	}
	for _, p := range report.Problems.Errors() {
		now, ok := src[p.File]
		if !ok {
			continue
		}
		switch last, worked := fo.good[p.File]; {
		case !worked && (!gone || fo.drafts[p.File]): //mutate:file-gone
			delete(src, p.File)
			repaired, fo.drafts[p.File] = true, true
		case worked && !bytes.Equal(last, now):
			src[p.File], repaired = last, true
		default:
			broken = append(broken, p.File)
		}
	}
	if repaired && len(src) > 0 {
		return true
	}
	if len(fo.good) > 0 && !isSame(src, fo.good) {
		fo.applyApart(src, saved)
		return true
	}
	for _, name := range broken {
		delete(src, name)
	}
	return len(broken) > 0 && len(src) > 0
}

// logProblems logs what is wrong, a line each, without what is known.
func (fo *folder) logProblems(ctx context.Context, report text.Report, known func(text.Problem) bool) {
	for _, p := range report.Problems {
		if known(p) { //mutate:problem-known
			continue
		}
		attrs := []any{"problem", p.Text, "file", p.File}
		if p.Line > 0 {
			attrs = append(attrs, "line", p.Line)
		}
		if p.Test != "" {
			attrs = append(attrs, "test", p.Test)
		}
		if p.Hint {
			fo.log().InfoContext(ctx, "hint about the rules", attrs...)
			continue
		}
		if fo.good[p.File] == nil {
			fo.log().WarnContext(ctx, "a problem in the rules; there is no good version of the file yet", attrs...)
			continue
		}
		fo.log().WarnContext(ctx, "a problem in the rules; the last good version of the file stays in force", attrs...)
	}
}

// save keeps what is in force, so that people can ask later why it decided as it did.
func (fo *folder) save(ctx context.Context) {
	if fo.saved || fo.hash == "" {
		return
	}
	content, err := fo.good.Encode()
	if err == nil {
		err = fo.memory.SaveRules(ctx, record.Rules{Hash: fo.hash, Content: content, Folder: fo.place.path, Accounts: fo.place.accounts})
	}
	if err != nil {
		if !fo.unkept {
			fo.log().ErrorContext(ctx, "the rules cannot be kept; trying again", "err", err)
		}
		fo.unkept = true
		return
	}
	fo.saved, fo.unkept = true, false
}

// orphans says which conversations stand in steps that the rules no longer have.
func (fo *folder) orphans(ctx context.Context, v *rules.Version) {
	counts, err := fo.memory.FlowStates(ctx, fo.place.accounts...)
	if err != nil {
		return // it is only told when it can be
	}
	for _, c := range counts {
		if gone, ours := v.Gone(c.Flow, c.State); ours && gone {
			fo.log().WarnContext(ctx, "conversations stand in a step that the rules no longer have; they leave it with their next message",
				"conversation", strings.TrimPrefix(c.Flow, rules.FlowPrefix), "step", c.State, "people", fmt.Sprint(c.Conversations))
		}
	}
}
