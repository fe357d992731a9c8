package demo

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

// shopping is what goes on around the campaigns of a demo: a person who approves, and a judge.
type shopping struct {
	st       *stage
	seen     map[string]bool // the keys of actions that were decided about
	approved []Approval
	withheld int // of which the person said nothing
	rng      *rand.Rand
}

func newShopping(st *stage) *shopping {
	return &shopping{st: st, seen: map[string]bool{}, rng: rand.New(rand.NewPCG(st.demo.Seed, 0x61736b))} //nolint:gosec // not a secret
}

// Approval is one that was given.
type Approval struct {
	Post         platform.PostID
	Given, Until time.Time
}

// coversSlot reports whether it was given for a slot before something left.
func (a *Approval) coversSlot(post platform.PostID, slot, left time.Time) bool {
	return a.Post == post && a.Given.Before(left) && a.Until.Equal(slot.Add(Tolerance))
}

// lastSlot is when the last slot is.
func (st *stage) lastSlot() (last time.Time) {
	for i := range st.campaigns {
		for _, at := range st.campaigns[i].slotTimes() {
			if at.After(last) {
				last = at
			}
		}
	}
	for _, e := range st.edited {
		for _, at := range slices.Concat(e.Was.Slots, e.Is.Slots) {
			if at.After(last) && !at.After(st.campaigns[0].First.Add(st.demo.Lasts)) {
				last = at
			}
		}
		for _, c := range e.Comes {
			if c.At.After(last) {
				last = c.At
			}
		}
	}
	return last
}

// hasEditedCome reports whether all has come that has to come of edited campaigns, and their books say so.
func (st *stage) hasEditedCome(ctx context.Context, inspector inspect.Inspector) (bool, error) {
	<-st.editing
	for _, e := range st.edited {
		booked, err := plugin.ReadBook(ctx, inspector, e.Account, e.ID, "", mostBooked)
		if err != nil {
			return false, err
		}
		var r ShopReport
		r.JudgeEdited(e, st.readWords(e), st.clocks)
		if r.Missing > 0 || slices.ContainsFunc(booked, func(b plugin.Booked) bool { return b.Open() }) {
			return false, nil
		}
	}
	return true, nil
}

// firstSlot is when the first slot is.
func (st *stage) firstSlot() time.Time {
	first := st.lastSlot()
	for i := range st.campaigns {
		if at := st.campaigns[i].First; at.Before(first) {
			first = at
		}
	}
	return first
}

// run approves what waits, until it is known what became of each slot.
func (sh *shopping) run(ctx context.Context, log io.Writer) error {
	if len(sh.st.campaigns) == 0 {
		return nil
	}
	inspector, err := inspect.Open(ctx, sh.st.databasePath(), sh.st.botSettings().key())
	if err != nil {
		return err
	}
	defer func() { _ = inspector.Close() }()
	patience := sh.st.lastSlot().Add(Tolerance + Tolerance/4 + sh.st.missingPatience()) // the bot looks what became of it in steps
	tick := time.NewTicker(300 * time.Millisecond)
	defer tick.Stop()
	for said := time.Now(); ; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		if err := sh.approve(ctx, inspector); err != nil {
			return err
		}
		if time.Since(said) > 5*time.Second && !sh.st.demo.JSON && !sh.st.demo.Quiet {
			said = time.Now()
			_, _ = fmt.Fprintf(log, "%s until the last slot; %d publications so far\n", max(time.Until(sh.st.lastSlot()).Round(time.Second), 0), sh.st.countPublications())
		}
		if time.Now().Before(sh.st.lastSlot().Add(time.Second)) { // what was not to come would have left
			continue
		}
		books, err := sh.readBooks(ctx, inspector)
		if err != nil {
			return err
		}
		come, err := sh.st.hasEditedCome(ctx, inspector)
		if err != nil {
			return err
		}
		if books.open == 0 && come || time.Now().After(patience) {
			return nil
		}
	}
}

// approve lets four of five leave that wait, each at some moment of the last half minute before its slot.
func (sh *shopping) approve(ctx context.Context, inspector inspect.Inspector) error {
	for name := range sh.st.shops {
		held, err := inspector.Actions(ctx, record.ActionQuery{Account: name, State: event.StateHeld, Limit: 1000})
		if err != nil {
			return err
		}
		for i := range held {
			a := &held[i]
			left := time.Until(a.Until.Add(-Tolerance))
			if sh.seen[a.Key] || !strings.HasPrefix(a.Key, event.NamedKey("campaigns/")) || left > demoThinks && sh.rng.IntN(100) > 0 {
				continue
			}
			if sh.seen[a.Key] = true; len(sh.seen)%5 == 0 {
				sh.withheld++
				continue
			}
			asked, err := inspector.Ask(ctx, event.Request{Key: a.Conversation(), Wish: event.WishRelease, Action: a.Key, By: "demo"})
			if err != nil {
				return err
			}
			sh.approved = append(sh.approved, Approval{a.Post, asked[0].AskedAt, a.Until})
		}
	}
	return nil
}

// demoThinks is how long before a slot a person decides about it at the latest.
const demoThinks = 10 * time.Second

// countPublications counts them.
func (st *stage) countPublications() (n int) {
	for _, e := range st.platform.Ledger().Since(0) {
		if e.ByAPI && (e.Kind == emulator.Reposted || e.Kind == emulator.Published) && e.From != st.account {
			n++
		}
	}
	return n
}
