package campaigns

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/engine"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/notify"
	"github.com/nectar-bot/nectar/platform"
)

// Waiting is an edit that waits until people put it in force.
type Waiting struct {
	Since time.Time         `json:"since"`
	Sum   string            `json:"sum"`   // names what the files say
	Says  string            `json:"says"`  // what it changes, as it was told: campaigns.Diff in a line
	Until time.Time         `json:"until"` // when the slots are over for which it waits
	Files map[string]string `json:"files"` // the campaigns that it would put in force, as campaigns.Encode has them

	// Untold is an edit that was found by the turn of what somebody asks for: people are called by the next look, since the request
	// to put it in force may be among those that wait.
	Untold bool `json:"untold,omitempty"`
	// Called says that people were called again, an hour before the first slot that stays empty since the edit waits.
	Called bool `json:"called,omitempty"`
}

// Campaigns returns what the edit would put in force, in the order of their ids.
func (w *Waiting) Campaigns() ([]*campaigns.Campaign, error) {
	var all []*campaigns.Campaign
	for _, id := range slices.Sorted(maps.Keys(w.Files)) {
		c, err := campaigns.Decode([]byte(w.Files[id]))
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// withholdItems lets nothing come of what the edit takes out. Nil: none waits.
func (w *Waiting) withholdItems(a *campaigns.Account) {
	if w == nil {
		return
	}
	if next, err := w.Campaigns(); err == nil { // that it cannot be read is told when it is to be put in force
		a.Withhold(next)
	}
}

// adoptFiles brings what the files say into force. What takes something away that people rely on waits for them.
func (s *state) adoptFiles(t *bot.Turn) {
	if s.cold {
		for _, c := range s.Campaigns {
			s.Memories[c.ID] = campaigns.Revise(c, s.Memories[c.ID], s.AccountFacts.TrueTime(t.Now))
		}
	}
	if !s.files.told {
		return // what is in force stays so, and what waits waits
	}
	next := s.wanted()
	s.careful(next.all) //mutate:edit-careful
	says := ""
	switch {
	case maps.Equal(next.encoded, s.force.encoded):
		if s.waiting != nil {
			s.tellAll(s.Campaigns, "The edit of the campaigns that waited was taken back: nothing waits any more", event.Details{})
			s.waiting = nil
			s.Withhold(nil)
		}
		// The same campaigns, with what is not stored of them: to which platform their links lead.
		s.Campaigns = slices.Clone(s.Campaigns)
		for i, c := range s.Campaigns {
			s.Campaigns[i] = cmp.Or(campaigns.ByID(next.all, c.ID), c)
		}
		return
	case !s.files.wait: //mutate:edit-at-once
		says = s.editText(next.all, t.Now)
	case s.waiting != nil && s.waiting.Sum == s.files.sum && !s.waiting.Untold && s.AccountFacts.TrueTime(t.Now).Before(s.waiting.Until):
		return
	default:
		d := campaigns.Difference(&s.Account, next.all, t.Now)
		if d.Waits() { //mutate:edit-waits
			s.wait(t, next, &d)
			return
		}
		says = d.String()
	}
	s.apply(next, &campaigns.Note{At: t.Now, Why: says})
}

// editText says what an edit changes; "" where a campaign cannot be planned, which people are told when it is left out.
func (s *state) editText(next []*campaigns.Campaign, now time.Time) (says string) {
	_ = catchPanic(func() {
		d := campaigns.Difference(&s.Account, next, now)
		says = d.String()
	})
	return says
}

// wanted returns what is to be in force: what the files have, but for what another account still runs.
func (s *state) wanted() written {
	shifting := func(id string) bool { return slices.Contains(s.shifting, id) }
	w := written{slices.Clone(s.files.all), maps.Clone(s.files.encoded)}
	w.all = slices.DeleteFunc(w.all, func(c *campaigns.Campaign) bool { return shifting(c.ID) })
	maps.DeleteFunc(w.encoded, func(id, _ string) bool { return shifting(id) })
	return w
}

// careful brings a more careful status into force at once.
func (s *state) careful(next []*campaigns.Campaign) {
	all, lower := campaigns.Careful(s.Campaigns, next)
	s.Campaigns, s.force.all = all, all
	for _, c := range lower {
		if encoded, err := campaigns.Encode(c); err == nil { // it was encoded before
			s.force.encoded[c.ID] = string(encoded)
		}
	}
}

// wait lets an edit wait, and calls the teams that it concerns, once.
func (s *state) wait(t *bot.Turn, next written, d *campaigns.Diff) {
	w := &Waiting{Since: t.Now, Sum: s.files.sum, Says: d.String(), Until: d.Until(), Files: next.encoded}
	told := false
	if s.waiting != nil && s.waiting.Sum == w.Sum {
		w.Since, told = s.waiting.Since, !s.waiting.Untold
	}
	s.waiting = w
	if s.Withhold(next.all); told {
		return
	}
	s.tellAll(concerned(append(slices.Clone(s.Campaigns), next.all...), d),
		"An edit of the campaigns waits: it "+w.Says+rewordText(d), event.Details{Ask: "See it with nectar plan --diff, and put it in force:", Do: "nectar campaigns apply"})
	s.edited = "an edit of the campaigns waits: it " + w.Says
}

// rewordText shows the first text that an edit puts into other words, for who reads it in a message.
func rewordText(d *campaigns.Diff) string {
	if len(d.Rewords) == 0 {
		return ""
	}
	return ", " + d.Rewords[0].String()
}

// calledBefore is how long before the first slot that stays empty since an edit waits people are called again.
const calledBefore = time.Hour

// nextEditLook returns when an edit that waits is to be looked at next; false when none waits. It calls people once more before a slot stays empty.
func (s *state) nextEditLook(now time.Time) (time.Time, bool) {
	w := s.waiting
	if w == nil {
		return time.Time{}, false
	}
	over := w.Until.Add(time.Second)
	if at, is := s.callAgain(now, w); is && at.Before(over) {
		return at, true
	}
	return over, true
}

// callAgain calls people once more before a slot stays empty since the edit waits. It returns when it is to look again; false when there is no need to.
func (s *state) callAgain(now time.Time, w *Waiting) (time.Time, bool) {
	if w.Called || w.Untold || len(s.AccountFacts.Withheld) == 0 {
		return time.Time{}, false
	}
	for v := range campaigns.Coming(&s.Account, now, now.Add(horizon)) {
		if v.Why.Code != campaigns.EditWaits {
			continue
		}
		at := v.Slot.Minute.Add(-calledBefore)
		if at.After(s.AccountFacts.TrueTime(now)) {
			return at, true
		}
		again := *w
		again.Called = true
		if s.waiting = &again; at.After(w.Since) { // else they were called within that hour
			s.tellAll([]*campaigns.Campaign{s.campaignByID(v.Slot.ID.Campaign)}, fmt.Sprintf("%s stays empty: an edit waits that takes out or rewords %s", v.Slot.ID, v.Why.Name),
				event.Details{Ask: "See it with nectar plan --diff, and put it in force:", Do: "nectar campaigns apply"})
		}
		break
	}
	return time.Time{}, false
}

// deferEditCall leaves it to the next look to call people about an edit.
func (s *state) deferEditCall() {
	if s.waiting != nil && s.waiting != s.was.waiting && len(s.news) > 0 {
		s.waiting.Untold, s.news = true, nil //mutate:edit-untold
	}
}

// concerned returns the campaigns for whose slots an edit waits.
func concerned(all []*campaigns.Campaign, d *campaigns.Diff) []*campaigns.Campaign {
	ids := d.Concerned()
	return slices.DeleteFunc(slices.Clone(all), func(c *campaigns.Campaign) bool { return !ids[c.ID] })
}

// tellAll tells the teams of campaigns what has become of an edit, each once, with the end of the turn.
func (s *state) tellAll(all []*campaigns.Campaign, says string, d event.Details) {
	s.news = nil // the newest counts
	for _, who := range teamsOf(all) {
		s.news = append(s.news, event.Notice{Who: who, Kind: notify.KindCampaign, Text: says, Details: d.Encode()})
	}
}

// teamsOf returns the teams of campaigns, each once; everybody where that is one of them, or there are none.
func teamsOf(all []*campaigns.Campaign) []string {
	var teams []string
	for _, c := range all {
		teams = append(teams, cmp.Or(c.Team, event.Everybody))
	}
	slices.Sort(teams)
	if teams = slices.Compact(teams); len(teams) == 0 || slices.Contains(teams, event.Everybody) {
		return []string{event.Everybody}
	}
	return teams
}

// apply brings campaigns into force: e says who let them, unless nobody had to, and what they change. What is prepared for slots that are gone is taken back when the account is looked at.
func (s *state) apply(next written, e *campaigns.Note) {
	s.Account = s.Edited(next.all, e.At)
	s.force, s.waiting, s.news, s.edit = written{s.Campaigns, next.encoded}, nil, nil, e
	for _, c := range next.all {
		if !slices.Contains(s.known, c.ID) {
			s.known = append(slices.Clip(s.known), c.ID)
		}
	}
	s.edited = "in force are the campaigns " + cmp.Or(idsText(next.all), "none")
}

// idsText names campaigns.
func idsText(all []*campaigns.Campaign) string {
	var names []string
	for _, c := range all {
		names = append(names, c.ID)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

const (
	// shownAfter is how long after something of ours was over the platform may still show what was before: it reads from copies that
	// lag. What it shows against our book until then was done by nobody's hand.
	shownAfter = 5 * time.Minute
	// movesFor is how far back is looked for what may still be on its way; a slot of a campaign is however old it is.
	movesFor = time.Hour
)

// noteMoving notes whether something of ours with a post was on its way while it was read: so it is looked for afterwards.
func (s *state) noteMoving(ctx context.Context, t *bot.Turn, f facts, post platform.PostID) error {
	fact, read := f.Posts[post]
	if !read || fact.Unread || fact.Out != "" {
		return nil
	}
	fresh := t.Now.Add(-shownAfter)
	for _, id := range s.open(func(e campaigns.Entry) bool {
		return e.Post == post && e.At.After(fresh.Add(-movesFor)) || e.State == campaigns.Going
	}) {
		switch e := s.Memories[id.Campaign].Book[id]; {
		case e.Post != post:
		case e.State == campaigns.Going:
			fact.Moving = true
		case e.State == campaigns.Done || e.State == campaigns.Empty: // what did not come about may have been half done
			a, there, err := s.lastAction(ctx, t, id)
			if err != nil {
				return err
			}
			fact.Moving = fact.Moving || there && !a.LeftAt.IsZero() && a.EndedAt.After(fresh)
		default: // nothing has left
		}
	}
	all, err := t.Published(ctx, t.Now.Add(-movesFor))
	if err != nil {
		return err
	}
	for i := range all {
		if p := &all[i]; p.Post == post && (p.Ended.IsZero() || p.Ended.After(fresh)) && !p.At.After(t.Now) {
			fact.Moving = true
		}
	}
	if fact.Reposted == campaigns.No && s.Uses.Posts[campaigns.PostKey(post)].Reposted {
		if fact.Tidied, err = engine.Of(t).TakenBack(ctx, post); err != nil {
			return err
		}
	}
	f.Posts[post] = fact
	return nil
}

// A campaign that an edit moves from one account to another is taken away from the first one, which may wait for people, and added to
// the second one, which would not. So that no slot is published by both, the second one begins when the first one has ended.

const (
	shiftLook  = 15 * time.Second // how often the second account looks
	shiftGrace = 5 * time.Second  // within which the files of all accounts are told
)

// findShifts finds out which campaigns the files have here that another account still runs: they wait for it.
func (s *state) findShifts(ctx context.Context, t *bot.Turn) error {
	p, account := s.plugin, t.Trigger.Key.Account
	if p.cfg.Store == nil || len(p.knownAccounts()) < 2 || !s.files.told {
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(s.files.encoded)) {
		if _, here := s.force.encoded[id]; here {
			continue
		}
		from, err := p.stillAt(ctx, account, id, t.Now.Sub(s.files.at) >= shiftGrace)
		if err != nil {
			return err
		}
		if from == "" {
			continue
		}
		t.Note("%s is in force on the account %s: it begins here when it is not any more", id, from)
		s.shifting = append(s.shifting, id)
	}
	return nil
}

// stillAt returns the account from which a campaign moves here, as long as it is in force there; "" for none. Accounts with folders
// of their own may have campaigns of one id for good: concluded is true once it is known whether they do.
func (p *Plugin) stillAt(ctx context.Context, here event.Account, id string, concluded bool) (event.Account, error) {
	for _, a := range p.knownAccounts() {
		if f := p.inForce(a); a == here || concluded && (!f.told || f.encoded[id] != "") {
			continue
		}
		v, err := p.cfg.Store.AccountValue(ctx, a, group, appliedName+id)
		if err != nil {
			return "", err
		}
		if v.Version != 0 && len(v.Value) > 0 { //mutate:shift-waits
			return a, nil
		}
	}
	return "", nil
}
