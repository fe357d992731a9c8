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
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/platform"
)

// wish is what people ask that changes only what is remembered. By is who asks, and when it is done. The answer and the errors are
// those of asked.
type wish func(s *state, words []string, by campaigns.Note) (string, error)

// asAsked is a wish as a turn does it.
func asAsked(w wish) asked {
	return func(_ context.Context, t *bot.Turn, s *state, words []string, by string) (string, error) {
		return w(s, words, campaigns.Note{By: by, At: t.Now})
	}
}

// Foreseen is what somebody has asked of an account's campaigns, and no bot has done yet.
type Foreseen struct {
	event.Request
	Says    string // what it will come to, in a line
	Counted bool   // what is foreseen has it; false for what changes nothing, and for what only a bot can tell
}

// Foresee returns what is kept as it will be when a bot has done what people have asked for: requests are those that wait, in the
// order in which they were asked for; those that are not for the account's campaigns are left out. What takes back a publication
// that is on its way is not counted: it may have left when a bot comes to it.
func Foresee(kept Stored, account event.Account, requests []event.Request, now time.Time) (Stored, []Foreseen) {
	s := &state{Account: kept.Account, account: account, waiting: kept.Waiting, edit: kept.Edit}
	s.Memories = maps.Clone(s.Memories)
	var all []Foreseen
	for i := range requests {
		q := &requests[i]
		name, is := strings.CutPrefix(q.Subject, group+"/")
		if q.Key != event.Own(account) || q.Wish != event.WishTell || !is || foreseen[name] == nil {
			continue
		}
		says, err := foreseen[name](s, strings.Fields(q.Text), campaigns.Note{By: cmp.Or(q.By, "somebody"), At: now})
		if err != nil {
			says = err.Error()
		}
		all = append(all, Foreseen{*q, says, err == nil})
	}
	kept.Account, kept.Waiting, kept.Edit = s.Account, s.waiting, s.edit
	return kept, all
}

// foreseen are the wishes by their names.
var foreseen = map[string]wish{
	"apply": applyEdit, "pause": pauseCampaign, "resume": resumeCampaign, "skip": skipSlot, "unskip": unskipSlot, "move": moveSlot, "undo": undone, "allow": allowPost, "clock": allowClock, "lifts": noteLifting,
	"forget": forgetCampaign,
}

// asNew is what is asked for beside an edit whose corrected texts are to come as new ones.
const asNew = "as-new"

// applyEdit brings the edit into force that waits. A word names which one is meant, and asNew may stand behind it.
func applyEdit(s *state, words []string, by campaigns.Note) (string, error) {
	w := s.waiting
	last := max(len(words)-1, 0)
	if s.TextsAsNew = slices.Equal(words[last:], []string{asNew}); s.TextsAsNew {
		words = words[:last]
	}
	defer func() { s.TextsAsNew = false }()
	switch {
	case w == nil:
		return "", obsoleteError("no edit of the campaigns waits")
	case len(words) > 0 && words[0] != w.Sum:
		return "", obsoleteError("the files were edited again since you have seen them: it %s now. Look at nectar plan --diff again", w.Says)
	}
	all, err := w.Campaigns()
	if err != nil {
		return "", err
	}
	d := campaigns.Difference(&s.Account, all, by.At)
	s.apply(written{all, w.Files}, &campaigns.Note{At: by.At, Why: d.String(), By: by.By})
	return "in force now: the edit " + d.String(), nil
}

// pauseCampaign lets the slots of a campaign pass, for good or until a time.
func pauseCampaign(s *state, words []string, by campaigns.Note) (string, error) {
	id, until := firstWord(words)
	c, err := s.campaignNamed(id)
	if err != nil {
		return "", err
	}
	note := by
	says := fmt.Sprintf("%s is paused", id)
	if until != "" {
		if note.Until, err = moment(until, c.Zone, s.AccountFacts.TrueTime(by.At)); err != nil {
			return "", err
		}
		says += " until " + note.Until.In(c.Zone).Format("Mon 2 January 15:04")
	}
	m := s.Memories[id]
	m.Paused = &note
	s.Memories[id] = m
	return says + ": its slots pass, and nothing is caught up on", nil
}

// moment reads until when something is to last: a day, a day with a time, a time of the week, or how long.
func moment(s string, zone *time.Location, now time.Time) (time.Time, error) {
	at := time.Time{}
	if w, err := text.ParseWhenTime(strings.Replace(s, "T", " ", 1)); err == nil && (strings.Contains(s, " ") || strings.Contains(s, "T")) {
		at = w.Next(now.In(zone))
	} else if d, err := text.ParseDay(s); err == nil {
		at = d.At(0, zone)
	} else if d, err := text.ParseDuration(s); err == nil {
		at = now.Add(time.Duration(d))
	} else {
		return at, obsoleteError("%q is no time: write 2027-03-20, 2027-03-20 09:30, Fri 17:00 or 3d", s)
	}
	if !at.After(now) {
		return at, obsoleteError("%s is over", s)
	}
	return at, nil
}

// resumeCampaign lets a campaign go on that was paused, or that has ended by itself.
func resumeCampaign(s *state, words []string, by campaigns.Note) (string, error) {
	id, _ := firstWord(words)
	c, err := s.campaignNamed(id)
	if err != nil {
		return "", err
	}
	m := s.Memories[id]
	over := m.Paused == nil || !m.Paused.Until.IsZero() && !m.Paused.Until.After(by.At)
	if over && m.Ended == nil {
		if c.Status == campaigns.Paused {
			return "", obsoleteError("%s is paused by its file: change its status there", id)
		}
		return "", obsoleteError("%s is not paused", id)
	}
	says := id + " goes on"
	if m.Ended != nil {
		says += ", although it had ended: " + m.Ended.Why
	}
	m.Paused, m.Ended = nil, nil // slots that have passed stay so
	s.Memories[id] = m
	switch {
	case c.Status == campaigns.Paused:
		says += ", once its file does not say status: paused any more"
	case s.AccountFacts.Paused != nil:
		says += ", once the account does: nectar resume"
	}
	return says, nil
}

// skipSlot takes a slot out that is not on its way.
func skipSlot(s *state, words []string, by campaigns.Note) (string, error) {
	c, id, err := s.slotNamed(words)
	if err != nil {
		return "", err
	}
	m, says := s.Memories[c.ID], staysEmpty(id)
	if _, already := m.Skips[id]; already {
		return "", obsoleteError("%s was skipped before", id)
	}
	switch e := m.Book[id]; {
	case e.State == campaigns.Going:
		return "", obsoleteError("%s is on its way: it is taken back if it has not left by then", id)
	case e.State == campaigns.Prepared:
		m = campaigns.Withdraw(m, id)
		says = fmt.Sprintf("%s stays empty, and what waited for approval is taken back; nothing else shifts", id)
	case e.State != "":
		return "", obsoleteError("%s is over: %s", id, outcomeText(c, &e))
	default:
		if slot, _ := c.Slot(id); slot.Minute.Before(s.AccountFacts.TrueTime(by.At)) && !s.mayStillLeave(id, by.At) {
			return "", obsoleteError("%s is over", id)
		}
	}
	if m.Skips = maps.Clone(m.Skips); m.Skips == nil {
		m.Skips = map[campaigns.SlotID]campaigns.Note{}
	}
	m.Skips[id] = by // it stays out under another clock, too
	s.Memories[c.ID] = m
	return says, nil
}

// staysEmpty is what a skip comes to.
func staysEmpty(id campaigns.SlotID) string {
	return fmt.Sprintf("%s stays empty; nothing else shifts", id)
}

// unskipSlot puts a slot back that was taken out, and says what comes in it.
func unskipSlot(s *state, words []string, by campaigns.Note) (string, error) {
	c, id, err := s.slotNamed(words)
	if err != nil {
		return "", err
	}
	m := s.Memories[c.ID]
	if _, skipped := m.Skips[id]; !skipped {
		return "", obsoleteError("%s was not skipped", id)
	}
	if e := m.Book[id]; e.State.Decided() && e.State != "" {
		return "", obsoleteError("%s is over: %s", id, outcomeText(c, &e))
	}
	m.Skips = maps.Clone(m.Skips)
	delete(m.Skips, id)
	s.Memories[c.ID] = m
	says := fmt.Sprintf("%s is back", id)
	if v, there := campaigns.Find(&s.Account, id, nil, by.At); there {
		says += ": " + comingText(c, &v)
	}
	return says, nil
}

// undone keeps a post out whose repost is taken back, and takes back what is prepared of it.
func undone(s *state, words []string, by campaigns.Note) (string, error) {
	c, post, err := s.postNamed(words)
	if err != nil {
		return "", err
	}
	reposted := s.Uses.Posts[campaigns.PostKey(post)].Reposted
	any := reposted
	for _, id := range s.open(func(e campaigns.Entry) bool { return e.Post == post && e.State.Open() }) {
		if s.Memories[id.Campaign].Book[id].State != campaigns.Prepared {
			return "", obsoleteError("%s is on its way: it is taken back if it has not left by then", id)
		}
		s.Memories[id.Campaign] = campaigns.Withdraw(s.Memories[id.Campaign], id)
		any = true
	}
	if !any {
		return "", obsoleteError("%d is not reposted, as far as the book knows", post)
	}
	s.keepOut(c, post, by, reposted)
	return undoneText(c, post, reposted), nil
}

// undoneText says what an undo came to.
func undoneText(c *campaigns.Campaign, post platform.PostID, reposted bool) string {
	says := fmt.Sprintf("the repost of %d is taken back", post)
	if !reposted {
		says = fmt.Sprintf("%d is not reposted", post)
	}
	return says + fmt.Sprintf(", and it stays out until: nectar campaigns allow %s %d", c.ID, post)
}

// keepOut keeps a post out until somebody allows it.
func (s *state) keepOut(c *campaigns.Campaign, post platform.PostID, by campaigns.Note, reposted bool) {
	s.Uses = campaigns.Undo(s.Uses, post, by) //mutate:asks-undone
	says := fmt.Sprintf("%s has taken the repost of %d back", by.By, post)
	if !reposted {
		says = fmt.Sprintf("%s lets %d come no more", by.By, post)
	}
	s.noteInBook(by.At, c, fmt.Sprintf("undo:%d", post), says)
}

// allowPost lets a post come again that was out.
func allowPost(s *state, words []string, by campaigns.Note) (string, error) {
	c, post, err := s.postNamed(words)
	if err != nil {
		return "", err
	}
	out := s.Uses.Posts[campaigns.PostKey(post)].Out
	if out == nil {
		return "", obsoleteError("%d is not out: nothing keeps it from coming but its campaign", post)
	}
	s.Uses = s.Uses.Allow(post)
	s.noteInBook(by.At, c, fmt.Sprintf("allow:%d", post), fmt.Sprintf("%s has allowed %d again", by.By, post))
	return fmt.Sprintf("%d may come again when its turn comes", post), nil
}
