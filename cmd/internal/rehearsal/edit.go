package rehearsal

import (
	"bytes"
	"errors"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
)

// Edit is what became of campaigns that were saved.
type Edit struct {
	Diff  campaigns.Diff     // what they change
	Waits bool               // they wait for Apply
	Gone  []campaigns.SlotID // what was prepared for these slots is withdrawn
	Lower []string           // campaigns whose status is more careful at once, although the edit waits
}

// waiting is an edit that waits.
type waiting struct {
	all   []*campaigns.Campaign
	until time.Time // when the slots are over for which it waits
}

// Save takes campaigns over as a bot does when their files are saved: what removes or moves slots, or voids what is prepared, waits for
// Apply, unless it is to apply at once; a more careful status counts in any case. It returns false when nothing has changed.
func (r *Rehearsal) Save(all []*campaigns.Campaign, atOnce bool) (Edit, bool) {
	had := r.waiting != nil
	r.waiting = nil
	r.Withhold(nil)
	e := Edit{Lower: r.careful(all)}
	if same(r.Campaigns, all) {
		return e, had || len(e.Lower) > 0
	}
	if e.Diff = campaigns.Difference(&r.Account, all, r.now); e.Diff.Waits() && !atOnce { //mutate:rehearse-edit
		e.Waits = true
		r.waiting = &waiting{slices.Clone(all), e.Diff.Until()}
		r.Withhold(all)
		return e, true
	}
	e.Gone = r.UseCampaigns(all)
	return e, true
}

// HasWaiting reports whether an edit waits for Apply.
func (r *Rehearsal) HasWaiting() bool { return r.waiting != nil }

// Apply puts the edit that waits in force. It returns the slots for which something was prepared that is withdrawn.
func (r *Rehearsal) Apply() ([]campaigns.SlotID, error) {
	if r.waiting == nil {
		return nil, errors.New("no edit waits")
	}
	all := r.waiting.all
	r.waiting = nil
	return r.UseCampaigns(all), nil
}

// catchUp puts an edit in force that waited for slots that are over. It returns when it is to look again; zero: no edit waits.
func (r *Rehearsal) catchUp() time.Time {
	if r.waiting == nil || r.now.Before(r.waiting.until) {
		if r.waiting == nil {
			return time.Time{}
		}
		return r.waiting.until
	}
	if d := campaigns.Difference(&r.Account, r.waiting.all, r.now); d.Waits() {
		r.waiting.until = campaigns.LaterTime(d.Until(), r.now.Add(time.Minute))
		return r.waiting.until
	}
	r.UseCampaigns(r.waiting.all)
	r.waiting = nil
	return time.Time{}
}

// careful brings a more careful status into force at once.
func (r *Rehearsal) careful(next []*campaigns.Campaign) (ids []string) {
	all, lower := campaigns.Careful(r.Campaigns, next)
	r.Campaigns = all
	for _, c := range lower {
		ids = append(ids, c.ID)
		clear(r.waits)
	}
	return ids
}

// same reports whether campaigns are written alike.
func same(a, b []*campaigns.Campaign) bool {
	return slices.EqualFunc(a, b, func(x, y *campaigns.Campaign) bool {
		was, err := campaigns.Encode(x)
		is, wrong := campaigns.Encode(y)
		return err == nil && wrong == nil && bytes.Equal(was, is)
	})
}
