package rehearsal_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/cmd/internal/rehearsal"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/platform"
	"pgregory.net/rapid"
)

// rehearse plays an account until a time, with everything approved.
func rehearse(r *rehearsal.Rehearsal, end time.Time) {
	for {
		if _, more := r.Next(end); !more {
			return
		}
	}
}

// told writes what a plan, or a book, says of each slot, in the order of the slots. What has been approved reads as what is to be.
func told(vs []campaigns.Verdict) []string {
	var all []string
	for _, v := range vs {
		if v.Kind == campaigns.Asks {
			v.Kind = campaigns.Go
		}
		if v.Kind != campaigns.Booked {
			what := ""
			if v.Item != nil {
				what = v.Item.Name()
			}
			all = append(all, fmt.Sprint(v.Slot.ID, v.Slot.Minute, v.Kind, what, v.Renew, v.At, v.Why))
		}
	}
	slices.Sort(all)
	return all
}

// What is rehearsed without a disturbance is what is planned, slot by slot and to the minute.
func TestRehearsalIsThePlan(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := drawn(t)
		r.Approves = func(*campaigns.Verdict) bool { return true }
		end := drawnStart.Add(spans(t, "long", 3*day, 10*day, 35*day))
		planned := slices.Collect(campaigns.Plan(&r.Account, drawnStart, time.Time{}, end))
		rehearse(r, end)
		var book []campaigns.Verdict
		for _, s := range r.Book {
			if s.Verdict.Slot.Minute.Before(end) {
				book = append(book, s.Verdict)
			}
		}
		late := func(v campaigns.Verdict) bool { return !v.At.Before(end) }
		if diff := cmp.Diff(told(slices.DeleteFunc(planned, late)), told(slices.DeleteFunc(book, late))); diff != "" {
			t.Fatalf("(-planned +rehearsed)\n%s", diff)
		}
		if !r.Now().Equal(end) {
			t.Fatalf("it is %s, want %s", r.Now(), end)
		}
	})
}

// Whatever is done to a rehearsal, it goes on: time does not run back, each slot is decided once, and nothing leaves too early, too late,
// too close, unapproved, in a pause, of a post that is gone, or that somebody took back by hand.
func TestRehearsalDisturbed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := drawn(t)
		r.Approves = func(*campaigns.Verdict) bool { return rapid.IntRange(0, 2).Draw(t, "approver") > 0 }
		undone, gone := map[platform.PostID]bool{}, map[platform.PostID]bool{}
		for end := drawnStart.Add(25 * day); r.Now().Before(end); {
			before, seen := r.Now(), len(r.Book)
			s, more := r.Next(end)
			if r.Now().Before(before) || more && !s.At.Equal(r.Now()) {
				t.Fatalf("it was %s, and is %s", before, r.Now())
			}
			for _, s := range r.Book[seen:] {
				rehearsed(t, r, &s, undone, gone)
			}
			if rapid.IntRange(0, 3).Draw(t, "quiet") == 0 {
				disturb(t, r, undone, gone)
			}
		}
		once := map[campaigns.SlotID]bool{}
		for _, s := range r.Book {
			if once[s.Verdict.Slot.ID] {
				t.Fatalf("%s is decided twice", s.Verdict.Slot.ID)
			}
			once[s.Verdict.Slot.ID] = true
		}
	})
}

// rehearsed checks what has become of a slot.
func rehearsed(t *rapid.T, r *rehearsal.Rehearsal, s *rehearsal.Scene, undone, gone map[platform.PostID]bool) {
	v := &s.Verdict
	if v.Kind != campaigns.Go {
		return
	}
	switch m := r.Memories[v.Slot.ID.Campaign]; {
	case s.At.Before(v.Slot.Minute) || s.At.After(v.Until):
		t.Fatalf("%s leaves at %s, until %s", v.Slot.ID, s.At, v.Until)
	case v.Approve != v.Approved:
		t.Fatalf("%s was not approved", v.Slot.ID)
	case m.Paused != nil:
		t.Fatalf("%s in a pause", v.Slot.ID)
	case v.Post != 0 && (gone[v.Post] || undone[v.Post]):
		t.Fatalf("%s: gone %v, taken back %v", v.Slot.ID, gone[v.Post], undone[v.Post])
	}
	for i := range r.Book {
		if o := &r.Book[i]; o.Verdict.Kind == campaigns.Go && o.Verdict.Slot.ID != v.Slot.ID && o.At.Sub(s.At).Abs() < max(r.AccountFacts.Budget.Apart, time.Minute) {
			t.Fatalf("%s leaves at %s, and %s at %s", v.Slot.ID, s.At, o.Verdict.Slot.ID, o.At)
		}
	}
}

// disturb does something that people may do.
func disturb(t *rapid.T, r *rehearsal.Rehearsal, undone, gone map[platform.PostID]bool) {
	id := platform.PostID(rapid.IntRange(1, 8).Draw(t, "which"))
	i := rapid.IntRange(0, len(r.Campaigns)-1).Draw(t, "whose")
	c := r.Campaigns[i]
	switch rapid.SampledFrom([]string{"away", "delete", "hide", "show", "phone", "pause", "resume", "skip", "allow", "rule", "edit", "save", "save", "apply", "remove", "post"}).Draw(t, "what") {
	case "away":
		r.PassTime(time.Duration(rapid.IntRange(1, 4*24*60).Draw(t, "away")) * time.Minute)
	case "delete":
		if r.Delete(id) == nil {
			gone[id] = true
		}
	case "hide":
		_ = r.HidePost(id)
	case "show":
		_ = r.ShowPost(id)
	case "phone":
		was := r.Uses.Posts[campaigns.PostKey(id)].Reposted
		switch {
		case r.RepostByHand(id, false) == nil:
			undone[id] = was
		case r.RepostByHand(id, true) == nil:
			delete(undone, id)
		}
	case "pause":
		_ = r.Pause(c.ID)
	case "resume":
		_ = r.Resume(c.ID)
	case "skip":
		for v := range campaigns.Plan(&r.Account, r.Now(), r.Now(), r.Now().Add(9*day)) {
			_ = r.Skip(v.Slot.ID)
			break
		}
	case "allow":
		if r.AllowPost(id) == nil {
			delete(undone, id)
		}
	case "rule":
		for _, id := range r.WaitingSlots() {
			_ = r.DecideSlot(id, rapid.Bool().Draw(t, "yes"))
		}
	case "edit":
		all := slices.Clone(r.Campaigns)
		all[i] = edited(t, c)
		r.UseCampaigns(all)
	case "save":
		all := slices.Clone(r.Campaigns)
		all[i] = edited(t, c)
		e, _ := r.Save(all, rapid.Bool().Draw(t, "at once"))
		if e.Waits != r.HasWaiting() || e.Waits && !e.Diff.Waits() {
			t.Fatalf("it waits: %v, %v: %s", e.Waits, r.HasWaiting(), e.Diff.String())
		}
	case "apply":
		if _, err := r.Apply(); err == nil && r.HasWaiting() {
			t.Fatal("it still waits")
		}
	case "remove":
		if len(r.Campaigns) > 1 {
			r.UseCampaigns(slices.Delete(slices.Clone(r.Campaigns), i, i+1))
		}
	case "post":
		if _, err := r.AddPost("@cafe", "fresh #1 #2"); err != nil {
			t.Fatal(err)
		}
	}
}

// monday is before the first slot of daily.
var monday = time.Date(2027, time.March, 1, 8, 0, 0, 0, time.UTC)

// daily is a campaign of three posts, on two days.
func daily(t *testing.T, clocks ...string) *campaigns.Campaign {
	t.Helper()
	c := campaigns.Campaign{
		ID: "daily", Account: "shop", Do: campaigns.Repost, Status: campaigns.Live, Zone: time.UTC, Turn: campaigns.InOrder, Renews: true, Gap: day,
		Starts: text.DayOf(monday), Ends: text.DayOf(monday.AddDate(0, 0, 1)), Items: []campaigns.Item{post(1), post(2), post(3)},
	}
	for _, clock := range clocks {
		when, err := text.ParseWhenTime(clock)
		if err != nil {
			t.Fatal(err)
		}
		c.Lines = append(c.Lines, campaigns.Line{When: when})
	}
	return ready(t, c)
}

// An edit that takes slots away waits, and the slots come as they were, until it is applied or they are over.
func TestRehearsalOfEdits(t *testing.T) {
	t.Parallel()
	begin := func() (*rehearsal.Rehearsal, []*campaigns.Campaign) {
		r := rehearsal.NewRehearsal([]*campaigns.Campaign{daily(t, "Mon 12:00", "Tue 12:00")}, campaigns.DefaultBudget, monday)
		return r, []*campaigns.Campaign{daily(t, "Mon 13:00")}
	}
	clocks := func(r *rehearsal.Rehearsal) (all []string) {
		rehearse(r, monday.AddDate(0, 0, 9))
		for _, s := range r.Book {
			all = append(all, s.Verdict.Slot.ID.String())
		}
		return all
	}
	r, next := begin()
	e, changed := r.Save(next, false)
	if want := "moves 1, removes 1"; !changed || !e.Waits || e.Diff.String() != want {
		t.Errorf("it waits: %v, %s, want %s", e.Waits, e.Diff.String(), want)
	}
	if diff := cmp.Diff([]string{"daily@2027-03-01T12:00", "daily@2027-03-02T12:00"}, clocks(r)); diff != "" || r.HasWaiting() {
		t.Errorf("waits %v, not applied: %s", r.HasWaiting(), diff)
	}
	r, next = begin()
	r.Save(next, false)
	if _, err := r.Apply(); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"daily@2027-03-01T13:00"}, clocks(r)); diff != "" {
		t.Errorf("applied: %s", diff)
	}
	r, next = begin()
	if e, _ := r.Save(next, true); e.Waits {
		t.Error("at once, and it waits")
	}
	r, next = begin()
	r.Save(next, false)
	if e, changed := r.Save(r.Campaigns, false); e.Waits || !changed || r.HasWaiting() {
		t.Error("taken back, and it waits")
	}
}
