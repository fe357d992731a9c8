package autoresponder

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/text"
)

// folder keeps the rules in force up to date with their files.
type folder struct {
	cfg    Config
	memory Memory
	use    func(*rules.Version)

	seen   rules.Sources // as the files were when they were last looked at
	good   rules.Sources // each file as it last worked
	hash   string        // of what is in force
	failed string        // what was last said about files that cannot be read
	saved  bool          // what is in force can be asked about later
}

// watch looks at the files, every now and then, until ctx is done.
func (fo *folder) watch(ctx context.Context) {
	tick := time.NewTicker(fo.cfg.Look)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			fo.look(ctx)
		}
	}
}

// look takes over what has changed.
func (fo *folder) look(ctx context.Context) {
	src, err := rules.ReadSources(fo.cfg.Path)
	if err != nil {
		if fo.failed != err.Error() {
			fo.failed = err.Error()
			fo.cfg.Log.WarnContext(ctx, "no rules can be read; what was in force stays so", "err", err)
		}
		return
	}
	fo.failed = ""
	if fo.seen != nil && maps.EqualFunc(fo.seen, src, bytes.Equal) {
		fo.save(ctx)
		return
	}
	fo.seen = src
	fo.take(ctx, src)
}

// take puts files in force: those that do not work as they last did.
func (fo *folder) take(ctx context.Context, src rules.Sources) {
	v, report := rules.Check(src)
	fo.tell(ctx, report)
	kept := maps.Clone(src)
	for v == nil && len(kept) > 0 {
		before := len(kept)
		changed := fo.replace(kept, report)
		if !changed && len(kept) == before {
			break
		}
		v, report = rules.Check(kept)
	}
	if v == nil {
		fo.cfg.Log.ErrorContext(ctx, "no rule file works; what was in force stays so")
		return
	}
	fo.good = kept
	if v.Hash() == fo.hash {
		return
	}
	fo.hash, fo.saved = v.Hash(), false
	fo.save(ctx)
	fo.use(v)
	fo.cfg.Log.InfoContext(ctx, "rules are in force", "version", v.Hash(), "files", len(kept), "rules", v.Count())
	fo.orphans(ctx, v)
}

// replace puts what last worked in the place of files that do not work, or takes them out. It reports
// whether anything changed.
func (fo *folder) replace(src rules.Sources, report text.Report) bool {
	changed := false
	for _, p := range report.Problems.Errors() {
		now, ok := src[p.File]
		if !ok {
			continue
		}
		last, worked := fo.good[p.File]
		if worked && !bytes.Equal(last, now) {
			src[p.File] = last
		} else {
			delete(src, p.File)
		}
		changed = true
	}
	return changed
}

// tell logs what is wrong, a line each.
func (fo *folder) tell(ctx context.Context, report text.Report) {
	for _, p := range report.Problems {
		attrs := []any{"file", p.File}
		if p.Line > 0 {
			attrs = append(attrs, "line", p.Line)
		}
		if p.Test != "" {
			attrs = append(attrs, "test", p.Test)
		}
		if p.Hint {
			fo.cfg.Log.InfoContext(ctx, "rules: "+p.Text, attrs...)
			continue
		}
		fo.cfg.Log.WarnContext(ctx, "rules: "+p.Text+"; the last good version of the file stays in force", attrs...)
	}
}

// save keeps what is in force, so that people can ask later why it decided as it did.
func (fo *folder) save(ctx context.Context) {
	if fo.saved || fo.hash == "" {
		return
	}
	content, err := fo.good.Encode()
	if err == nil {
		err = fo.memory.SaveRules(ctx, fo.hash, content)
	}
	if err != nil {
		fo.cfg.Log.ErrorContext(ctx, "the rules cannot be kept; trying again", "err", err)
		return
	}
	fo.saved = true
}

// orphans says which conversations stand in steps that the rules no longer have.
func (fo *folder) orphans(ctx context.Context, v *rules.Version) {
	counts, err := fo.memory.FlowStates(ctx)
	if err != nil {
		return // it is only told when it can be
	}
	for _, c := range counts {
		if gone, ours := v.Gone(c.Flow, c.State); ours && gone {
			fo.cfg.Log.WarnContext(ctx, "conversations stand in a step that the rules no longer have; they leave it with their next message",
				"conversation", strings.TrimPrefix(c.Flow, rules.FlowPrefix), "step", c.State, "people", fmt.Sprint(c.Conversations))
		}
	}
}
