package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/cmd/internal/bare"
	"github.com/nectar-bot/nectar/handlers/rules"
	rulecheck "github.com/nectar-bot/nectar/handlers/rules/check"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

// editedPath is the rule file of all edited campaigns.
func (st *stage) editedPath() string { return filepath.Join(st.dir, "edited.yaml") }

// writeEdited writes the rule file of edited campaigns, of which some say what they are to say.
func (st *stage) writeEdited(is map[*Edited]bool) error {
	if len(st.edited) == 0 {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "version: 1\nname: Edited campaigns of nectar demo\nstatus: live\ncampaigns:\n")
	for _, e := range st.edited {
		f := &e.Was
		if is[e] {
			f = &e.Is
		}
		e.writeTo(&b, f)
	}
	fresh := st.editedPath() + ".new"
	err := os.WriteFile(fresh, []byte(b.String()), 0o600)
	if err == nil {
		err = os.Rename(fresh, st.editedPath())
	}
	if err != nil {
		return fmt.Errorf("write the rule file of the demo: %w", err)
	}
	return nil
}

// editedDays is on how many days to come there are slots, so that what a file says makes sense.
const editedDays = 5

// writeTo writes the campaign as a rule file has it.
func (e *Edited) writeTo(b *strings.Builder, f *EditedFile) {
	day := func(days int) string { return e.First.AddDate(0, 0, days).UTC().Format(time.DateOnly) }
	fmt.Fprintf(b, "  - id: %s\n    account: %s\n    do: publish\n    timezone: %s\n    starts: %s\n    ends: %s\n    repeat: { %s }\n    texts:\n", e.ID, e.Account, e.zoneName(), day(-1), day(editedDays+1), f.Repeat)
	for i, text := range f.Texts {
		id := ""
		if f.Named {
			id = fmt.Sprintf("id: text-%d, ", i+1)
		}
		fmt.Fprintf(b, "      - { %stext: %q }\n", id, text)
	}
	fmt.Fprintf(b, "    slots:\n")
	slots := slices.Clone(f.Slots)
	for n := range editedDays {
		slots = append(slots, e.First.AddDate(0, 0, n+1))
	}
	for _, at := range slots {
		fmt.Fprintf(b, "      - %s\n", strings.Replace(e.clockText(at), "T", " ", 1))
	}
}

// editedLook is how often a bot looks whether the file has changed.
const editedLook = 200 * time.Millisecond

// editedFollower is the part of a demo's bot that brings a rule file into force, as nectar run does.
type editedFollower struct {
	s      *Settings
	plugin *plugin.Plugin
	seen   []byte
}

// read brings the file into force, when it is another one than before.
func (f *editedFollower) read() error {
	content, err := os.ReadFile(f.s.EditedPath)
	if err != nil {
		return fmt.Errorf("read the rule file of the demo: %w", err)
	}
	if bytes.Equal(content, f.seen) {
		return nil
	}
	v, report := rulecheck.Check(rules.Sources{"edited.yaml": content, "settings.yaml": []byte(editedSettings)})
	if v == nil {
		return fmt.Errorf("the rule file of the demo: %w", report.Problems)
	}
	f.seen = content
	for _, account := range f.s.Edited {
		f.plugin.InForce(account, v)
	}
	return nil
}

// editedSettings let an account publish each minute.
const editedSettings = "version: 1\npublishing: { most: 1000 per 1d, at_least_apart: 1m }\n"

// runFollowing runs a bot, and brings its rule file of edited campaigns into force meanwhile, if it has one.
func (s *Settings) runFollowing(ctx context.Context, b *bot.Bot, p *plugin.Plugin) error {
	if len(s.Edited) == 0 {
		return b.Run(ctx)
	}
	f := &editedFollower{s: s, plugin: p}
	if err := f.read(); err != nil { //nolint:contextcheck // the plugin asks its store for a moment
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	failed := make(chan error, 1)
	go func() {
		defer cancel()
		var err error
		for err == nil && ctx.Err() == nil {
			bare.Wait(ctx, editedLook)
			err = f.read() //nolint:contextcheck // the plugin asks its store for a moment
		}
		failed <- err
	}()
	err := b.Run(ctx)
	cancel()
	return errors.Join(err, <-failed)
}
