package demo

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/platform"
)

// judgeShop compares the ledger, and then the bot's books, with what was to be.
func (sh *shopping) judgeShop(ctx context.Context) (*ShopReport, error) {
	inspector, err := inspect.Open(ctx, sh.st.databasePath(), sh.st.botSettings().key())
	if err != nil {
		return nil, err
	}
	defer func() { _ = inspector.Close() }()
	b, err := sh.readBooks(ctx, inspector)
	if err != nil {
		return nil, err
	}
	r := &ShopReport{
		Campaigns: len(sh.st.campaigns), Approved: len(sh.approved), Withheld: sh.withheld, Kills: len(sh.st.kills),
		Untold: b.open, Hand: len(b.hand), Details: b.hand,
	}
	r.Between, r.NotBack = sh.st.countBetween()
	for why, n := range b.empty {
		r.Empty += n
		r.Reasons = append(r.Reasons, fmt.Sprintf("%d × %s", n, why))
	}
	slices.Sort(r.Reasons)
	seen := ReadShops(sh.st.platform.Ledger().Since(0))
	of, left := map[event.Account][]Publication{}, []time.Time(nil)
	for i := range sh.st.campaigns {
		c := &sh.st.campaigns[i]
		r.Slots += c.Slots
		for n, post := range c.Posts {
			all := seen.DoneWith(sh.st.shops[c.Account], post)
			r.JudgePost(c, n, all, sh.approved)
			r.compare(c, n, all.publications, b.slot[post], sh.approved)
			if !sh.st.demo.Talks { // or else one of them gives way to another one
				r.JudgeMissing(c, n, all.publications, sh.approved, sh.st.clocks)
			}
			of[c.Account] = append(of[c.Account], all.publications...)
		}
	}
	for account, all := range of {
		r.JudgeDistances(account, all)
		for _, p := range all {
			left = append(left, p.Left)
		}
	}
	if err := sh.judgeChanges(ctx, r, inspector, left); err != nil {
		return nil, err
	}
	r.OK = r.clear()
	return r, nil
}

// demoNear is how much later a request may arrive than it left.
const demoNear = demoDeadline + demoGrace

// JudgePost looks at what the platform has seen of the n-th post of a campaign.
func (r *ShopReport) JudgePost(c *Campaign, n int, all shopped, approved []Approval) {
	post, slots := c.Posts[n], c.slotTimes()
	of := fmt.Sprintf("%d of %s", post, c.ID)
	r.Published += len(all.publications)
	if all.away {
		r.noteBad(&r.Lost, "%s: lost after its undo", of)
	}
	if !c.isRenewal() {
		slots = slots[n : n+1]
		if len(all.publications) > 1 || all.away {
			r.noteBad(&r.Doubled, "%s: doubled: published %d times", of, len(all.publications))
		}
	}
	used, given := make([]bool, len(slots)), make([]bool, len(approved))
	for i, p := range all.publications {
		if p.Renewal {
			r.Renewed++
			r.noteAway(p.Came.Sub(p.Left))
		}
		if i > 0 && p.Left.Sub(all.publications[i-1].Came) < demoApart-demoNear {
			r.noteBad(&r.Doubled, "%s: doubled: again after %v", of, p.Left.Sub(all.publications[i-1].Came))
		}
		switch slot, in := inSlot(slots, used, p.Left); {
		// Each slot and each approval counts once: two publications in one slot must not be excused by the same one.
		case slot >= 0:
			used[slot] = true
		case in:
			r.noteBad(&r.Twice, "%s: at %s, when its slot had been used", of, p.Left.Format(time.TimeOnly))
		default:
			r.noteBad(&r.Late, "%s: at %s, when it had no slot", of, p.Left.Format(time.TimeOnly))
		}
		if c.asksApproval(i) && !approves(approved, given, post, p.Left) {
			r.noteBad(&r.Unapproved, "%s: at %s, and nobody has approved it", of, p.Left.Format(time.TimeOnly))
		}
	}
}

// inSlot returns the first slot that something may have left for, that nothing has left for before, or else below 0 and whether it may
// have left for one of the others.
func inSlot(slots []time.Time, used []bool, left time.Time) (slot int, in bool) {
	for i, at := range slots {
		fits := !left.Before(at) && !left.After(at.Add(Tolerance+demoNear))
		if fits && !used[i] {
			return i, true
		}
		in = in || fits
	}
	return -1, in
}

// approves reports whether somebody has approved that a post leaves then: each approval counts once.
func approves(approved []Approval, used []bool, post platform.PostID, left time.Time) bool {
	for i := range approved {
		a := &approved[i]
		in := !left.Before(a.Until.Add(-Tolerance)) && !left.After(a.Until.Add(demoNear))
		if !used[i] && in && a.Post == post && a.Given.Before(left) {
			used[i] = true
			return true
		}
	}
	return false
}

// compare holds the book of a campaign against what the platform has seen of its n-th post, and whether the very slots that it names
// were approved.
func (r *ShopReport) compare(c *Campaign, n int, seen []Publication, slots []time.Time, approved []Approval) {
	slices.SortFunc(slots, time.Time.Compare)
	of := fmt.Sprintf("%d of %s", c.Posts[n], c.ID)
	if len(slots) != len(seen) {
		r.noteBad(&r.Untold, "%s: published %d times, and the book says %d", of, len(seen), len(slots))
		return
	}
	for i, slot := range slots {
		left := seen[i].Left
		if left.Before(slot) || left.After(slot.Add(Tolerance+demoNear)) || !c.isRenewal() && !slot.Equal(c.slotTimes()[n]) {
			r.noteBad(&r.Untold, "%s: published at %s, and the book says for the slot of %s", of, left.Format(time.TimeOnly), slot.Format(time.TimeOnly))
		}
		is := slices.ContainsFunc(approved, func(a Approval) bool { return a.coversSlot(c.Posts[n], slot, left) })
		if c.asksApproval(i) && !is {
			r.noteBad(&r.Unapproved, "%s: nobody has approved it for the slot of %s", of, slot.Format(time.TimeOnly))
		}
	}
}

// JudgeDistances looks at how far apart an account publishes.
func (r *ShopReport) JudgeDistances(account event.Account, all []Publication) {
	slices.SortFunc(all, func(a, b Publication) int { return a.Left.Compare(b.Left) })
	for i := 1; i < len(all); i++ {
		if d := all[i].Left.Sub(all[i-1].Came); d < demoApart-demoNear {
			r.noteBad(&r.TooClose, "%s: too close: published after %v, at %s", account, d, all[i].Left.Format(time.TimeOnly))
		}
	}
}
