// Package replay answers what people wrote once more, by other rules, and says what would be different.
//
//	recorded turns ─► handlers/rules/replay ─► Exchange: same, gone, changed, new ─► counts, and some of each
//	                    ▲            ▲
//	       the files in force    the files that are tried
//
// Read replay.go, then print.go and json.go for how it is told; campaigns.go says what the files change of campaigns, which cannot be played again.
//
// What holds:
//
//   - Both versions answer the same recording, on the same clock, with the same facts. So what differs differs by the files: files that have not
//     changed change nothing, and --fail-on-change can stand in a script.
//   - What the bot had not read of the platform counts as not so. To read it now would be another time's answer.
//   - What a person wrote in the place of an answer is no change of the files.
//   - Slots that are over are compared by their names alone. What is remembered of a campaign is folded from slot to slot, and nobody can
//     unfold it.
//
// Nothing is sent, and nothing of the bot changes: it reads beside one that runs. The command nectar replay calls it, and nectar rules before it lets
// rules go further.
package replay

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/plan"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/nectar-bot/nectar/cmd/internal/why"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/rules/replay"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

// Flags say what to replay.
type Flags struct {
	view.Flags
	Since  time.Duration
	Limit  int
	Strict bool

	Against string // what it is compared with
}

// What a replay may be compared with.
const (
	AgainstForce   = "force"   // what the files in force would do
	AgainstHistory = "history" // what was done
)

// Since is how far a replay goes back unless told otherwise.
const Since = 7 * 24 * time.Hour

// ReadVersion reads rule files. What is wrong with them is printed.
func ReadVersion(read sources.Reading, out io.Writer, paths []string) (*rules.Version, error) {
	src, err := read(paths...)
	if err != nil {
		return nil, err
	}
	v, report := rules.Compile(src)
	if v == nil {
		report.Problems = report.Problems.Errors()
		if _, err := report.WriteTo(out); err != nil {
			return nil, err
		}
		return nil, &cli.ExitError{Code: cli.ExitFailed}
	}
	return v, nil
}

// ReplayAll replays what the accounts have recorded.
func (f *Flags) ReplayAll(ctx context.Context, d *view.View, v *rules.Version, log io.Writer) error {
	told := NewReplayed(f.Limit)
	if f.Against == AgainstForce {
		force, err := d.InForce(ctx)
		if err != nil {
			return err
		}
		told.base = view.VersionsOf(force)
	}
	progress := print.NewProgress(log)
	defer progress.End()
	since := time.Now().Add(-f.Since)
	those, err := d.AmongMeant(ctx, record.Having{Thing: record.HasHandled, Since: since})
	if err != nil {
		return err
	}
	for _, account := range those {
		if err := told.replayAccount(ctx, d, account, v, since, progress); err != nil {
			return err
		}
	}
	progress.End()
	changed, err := told.print(ctx, d, v)
	if err == nil && f.Strict && changed {
		err = &cli.ExitError{Code: cli.ExitFailed}
	}
	return err
}

// print prints what came of it, with what the files change of campaigns; it reports whether anything changes.
func (p *Replayed) print(ctx context.Context, d *view.View, v *rules.Version) (changed bool, err error) {
	changed = p.Count.Changes() > 0
	if !d.JSON {
		if err := p.ForPeople(d.Out, len(d.Meant) > 1); err != nil {
			return changed, err
		}
	}
	those := d.Meant
	if all, _ := v.Campaigns(); len(all) == 0 {
		if those, err = d.AmongMeant(ctx, plugin.Having()); err != nil {
			return changed, err
		}
	}
	// Without campaigns in the files only the accounts are looked at that had some: there the change is that all of them go.
	planner := &plan.Planner{View: d, Now: time.Now()}
	for _, account := range those {
		r, err := replayCampaigns(ctx, planner, account, v)
		if err != nil {
			return changed, err
		}
		if r == nil || r.same == 0 && !r.isChanged() {
			continue
		}
		changed = changed || r.isChanged()
		if d.JSON {
			err = r.forMachines(d.Out)
		} else {
			err = r.print(d.Out, len(d.Meant) > 1)
		}
		if err != nil {
			return changed, err
		}
	}
	if d.JSON {
		err = p.forMachines(d.Out)
	}
	return changed, err
}

// ReplayedExchange is an exchange that ends otherwise.
type ReplayedExchange struct {
	*replay.Exchange
	Account event.Account
}

// Replayed is what came of a replay: the counts, and as many changes of each kind as may be shown.
type Replayed struct {
	limit   int
	base    map[event.Account]*rules.Version // what it is compared with; nil: what was done
	Changes map[replay.Change][]ReplayedExchange
	Count   replay.ReplayCount
}

// NewReplayed returns what came of a replay before anything did.
func NewReplayed(limit int) *Replayed {
	return &Replayed{limit: limit, Changes: map[replay.Change][]ReplayedExchange{}}
}

// worst lists the kinds of change, the worst one first.
func worst() []replay.Change { return []replay.Change{replay.Gone, replay.Changed, replay.New} }

// replayAccount replays what one account has recorded.
func (p *Replayed) replayAccount(ctx context.Context, d *view.View, account event.Account, v *rules.Version, since time.Time, shown *print.Progress) error {
	report := func(x *replay.Exchange) {
		if kept := p.Changes[x.Change]; x.Change != replay.Same && x.Change != replay.Unseen && len(kept) < p.limit {
			p.Changes[x.Change] = append(kept, ReplayedExchange{x, account})
		}
	}
	r := replay.NewReplay(p.base[account], v, report)
	// Known before the turns: a text that a person wrote stands in the ledger, and no files would say it.
	edited, err := d.EditedActions(ctx, account)
	if err != nil {
		return err
	}
	r.Edited(edited)
	turns := 0
	err = d.Recorded(ctx, account, since, func(turn record.Recorded) error {
		turns++
		shown.ShowStep(fmt.Sprintf("replaying %s: %d turns, at %s", account, turns, print.TimeText(why.HandledAt(&turn))))
		return r.Add(turn)
	})
	if err != nil {
		return err
	}
	r.End()
	p.count(r.Count())
	return nil
}

// ShownChanges returns the changes that are shown, the worst first.
func (p *Replayed) ShownChanges() []ReplayedExchange {
	var all []ReplayedExchange
	for _, change := range worst() {
		all = append(all, p.Changes[change]...)
	}
	return all[:min(len(all), p.limit)]
}

// count adds the counts of another account, whose people are others.
func (p *Replayed) count(other replay.ReplayCount) {
	c := &p.Count
	for _, n := range []struct {
		to *int
		by int
	}{
		{&c.Events, other.Events},
		{&c.People, other.People},
		{&c.Same, other.Same},
		{&c.Silent, other.Silent},
		{&c.Changed, other.Changed},
		{&c.New, other.New},
		{&c.Gone, other.Gone},
		{&c.Private, other.Private},
		{&c.Awake, other.Awake},
		{&c.Asleep, other.Asleep},
		{&c.Edited, other.Edited},
		{&c.Owned, other.Owned},
		{&c.Others, other.Others},
		{&c.Begun, other.Begun},
		{&c.Unread, other.Unread},
		{&c.Failed, other.Failed},
	} {
		*n.to += n.by
	}
}
