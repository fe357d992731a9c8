package campaigns

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/platform"
)

// asked is what people ask of an account's campaigns, in words: each answers in a line, and an error is the line that says why nothing
// was done.
type asked func(ctx context.Context, t *bot.Turn, s *state, words []string, by string) (string, error)

// asks are the routes for what people ask.
func (p *Plugin) asks() []bot.Route {
	var routes []bot.Route
	for _, a := range []struct {
		name string
		do   asked
	}{
		{"apply", applies},
		{"pause", pauses},
		{"resume", resumes},
		{"skip", skips},
		{"unskip", unskips},
		{"undo", undoes},
		{"allow", allows},
		{"lifts", lifting},
	} {
		routes = append(routes, bot.On(a.name, bot.Asked(group+"/"+a.name), func(ctx context.Context, t *bot.Turn, told event.Told) error {
			return p.answer(ctx, t, told, a.do)
		}).MindingPauses())
	}
	return routes
}

// errMoot is why nothing was done, as people read it.
type errMoot struct{ error }

func moot(format string, args ...any) error { return errMoot{fmt.Errorf(format, args...)} }

// answer does what is asked, and has the account looked at soon.
func (p *Plugin) answer(ctx context.Context, t *bot.Turn, told event.Told, do asked) error {
	s, err := p.load(ctx, t)
	if err != nil {
		return err
	}
	by := told.By
	if by == "" {
		by = "somebody"
	}
	says, err := do(ctx, t, s, strings.Fields(told.Text), by)
	if m, is := errors.AsType[errMoot](err); is {
		t.Conclude(bot.OutcomeMoot)
		says = m.Error()
	} else if err != nil {
		return err
	}
	t.Note("%s", says)
	if len(s.known) > 0 {
		t.SetTimer(next, t.Now.Add(time.Second), nil)
	}
	return s.save(ctx, t)
}

// applies brings the edit into force that waits. A word names which one is meant.
func applies(_ context.Context, t *bot.Turn, s *state, words []string, _ string) (string, error) {
	w := s.waiting
	switch {
	case w == nil:
		return "", moot("no edit of the campaigns waits")
	case len(words) > 0 && words[0] != w.Sum:
		return "", moot("the files were edited again since you have seen them: it %s now. Look at nectar plan --diff again", w.Says)
	}
	all, err := w.Campaigns()
	if err != nil {
		return "", err
	}
	d := campaigns.Difference(&s.Account, all, t.Now)
	s.apply(t, all, w.Files)
	return "in force now: the edit " + d.String(), nil
}

// one returns the campaign that is named.
func (s *state) one(id string) (*campaigns.Campaign, error) {
	for _, c := range s.Campaigns {
		if c.ID == id {
			return c, nil
		}
	}
	switch there := ids(s.Campaigns); {
	case there == "":
		return nil, moot("this account has no campaigns")
	case id == "":
		return nil, moot("name a campaign: %s", there)
	default:
		return nil, moot("there is no campaign %s: there are %s", id, there)
	}
}

// first returns the first word, and the rest as it was written.
func first(words []string) (string, string) {
	if len(words) == 0 {
		return "", ""
	}
	return words[0], strings.Join(words[1:], " ")
}

// pauses lets the slots of a campaign pass, for good or until a time.
func pauses(_ context.Context, t *bot.Turn, s *state, words []string, by string) (string, error) {
	id, until := first(words)
	c, err := s.one(id)
	if err != nil {
		return "", err
	}
	note := campaigns.Note{By: by, At: t.Now}
	says := fmt.Sprintf("%s is paused", id)
	if until != "" {
		if note.Until, err = moment(until, c.Zone, t.Now); err != nil {
			return "", err
		}
		says += " until " + note.Until.In(c.Zone).Format("Mon 2 January 15:04")
	}
	s.set(id, campaigns.Pause(s.Memories[id], &note))
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
		return at, moot("%q is no time: write 2027-03-20, 2027-03-20 09:30, Fri 17:00 or 3d", s)
	}
	if !at.After(now) {
		return at, moot("%s is over", s)
	}
	return at, nil
}

// resumes lets a campaign go on that was paused, or that has ended by itself.
func resumes(_ context.Context, t *bot.Turn, s *state, words []string, _ string) (string, error) {
	id, _ := first(words)
	c, err := s.one(id)
	if err != nil {
		return "", err
	}
	m := s.Memories[id]
	over := m.Paused == nil || !m.Paused.Until.IsZero() && !m.Paused.Until.After(t.Now)
	if over && m.Ended == nil {
		if c.Status == campaigns.Paused {
			return "", moot("%s is paused by its file: change its status there", id)
		}
		return "", moot("%s is not paused", id)
	}
	says := id + " goes on"
	if m.Ended != nil {
		says += ", although it had ended: " + m.Ended.Why
	}
	s.set(id, campaigns.Resume(m))
	switch {
	case c.Status == campaigns.Paused:
		says += ", once its file does not say status: paused any more"
	case s.World.Paused != nil:
		says += ", once the account does: nectar resume"
	}
	return says, nil
}

// slot returns the slot that is named, of a campaign that is in force.
func (s *state) slot(words []string) (*campaigns.Campaign, campaigns.SlotID, error) {
	name, _ := first(words)
	id, err := campaigns.ParseSlotID(name)
	if err != nil {
		return nil, id, moot("%q is no slot: %v", name, err)
	}
	c, err := s.one(id.Campaign)
	if err != nil {
		return nil, id, err
	}
	if _, there := c.Slot(id); !there {
		return nil, id, moot("%s has no slot on %s at %s", c.ID, id.Day, id.Clock)
	}
	return c, id, nil
}

// skips takes a slot out. What is prepared for it is taken back, and what is on its way, as long as it has not left.
func skips(ctx context.Context, t *bot.Turn, s *state, words []string, by string) (string, error) {
	c, id, err := s.slot(words)
	if err != nil {
		return "", err
	}
	m := s.Memories[c.ID]
	if _, already := m.Skips[id]; already {
		return "", moot("%s was skipped before", id)
	}
	says := fmt.Sprintf("%s stays empty; nothing else shifts", id)
	switch e := m.Book[id]; {
	case e.State == campaigns.Going:
		a, there, err := s.action(ctx, t, id)
		if err != nil {
			return "", err
		}
		ended := false
		if there {
			if ended, err = t.End(ctx, a.Key, by+" has taken this slot out"); err != nil {
				return "", err
			}
		}
		if !ended {
			return "", moot("%s is on its way already", id)
		}
		return says, nil
	case e.State == campaigns.Prepared:
		//mutate:asks-skip
		if err := s.withdraw(ctx, t, id, by+" has taken this slot out"); err != nil {
			return "", err
		}
		says = fmt.Sprintf("%s stays empty, and what waited for approval is taken back; nothing else shifts", id)
	case e.State != "":
		return "", moot("%s is over: %s", id, outcome(c, &e))
	default:
		if slot, _ := c.Slot(id); slot.Minute.Before(t.Now) && !s.comes(id, t.Now) {
			return "", moot("%s is over", id)
		}
	}
	s.set(c.ID, campaigns.SkipSlot(s.Memories[c.ID], id, campaigns.Note{By: by, At: t.Now}))
	return says, nil
}

// comes tells whether a slot whose minute is over may still leave.
func (s *state) comes(id campaigns.SlotID, now time.Time) bool {
	v, there := campaigns.Find(&s.Account, id, nil, now)
	return there && now.Before(v.Until)
}

// outcome says what became of a slot.
func outcome(c *campaigns.Campaign, e *campaigns.Entry) string {
	if e.State == campaigns.Empty {
		return "it stayed empty: " + e.Why
	}
	return wasOf(c, e) + " came at " + e.At.In(c.Zone).Format("15:04")
}

// unskips puts a slot back that was taken out, and says what comes in it.
func unskips(_ context.Context, t *bot.Turn, s *state, words []string, _ string) (string, error) {
	c, id, err := s.slot(words)
	if err != nil {
		return "", err
	}
	m := s.Memories[c.ID]
	if _, skipped := m.Skips[id]; !skipped {
		return "", moot("%s was not skipped", id)
	}
	if e := m.Book[id]; e.State.Decided() && e.State != "" {
		return "", moot("%s is over: %s", id, outcome(c, &e))
	}
	s.set(c.ID, campaigns.UnskipSlot(m, id))
	says := fmt.Sprintf("%s is back", id)
	if v, there := campaigns.Find(&s.Account, id, nil, t.Now); there {
		says += ": " + coming(c, &v)
	}
	return says, nil
}

// posted returns the campaign and the post that are named. A post is named by its number, or by its address.
func (s *state) posted(words []string) (*campaigns.Campaign, platform.PostID, error) {
	name, link := first(words)
	c, err := s.one(name)
	if err != nil {
		return nil, 0, err
	}
	n, err := strconv.ParseInt(link[strings.LastIndexByte(link, '/')+1:], 10, 64)
	post := platform.PostID(n)
	if err != nil || n <= 0 {
		return nil, 0, moot("%q is no post: write its number, or its address", link)
	}
	known := slices.ContainsFunc(c.Items, func(i campaigns.Item) bool { return i.Post == post })
	for _, e := range s.Memories[c.ID].Book {
		known = known || e.Post == post
	}
	if _, used := s.Uses.Posts[campaigns.PostKey(post)]; !known && !used {
		return nil, 0, moot("%d is no post of %s", post, c.ID)
	}
	return c, post, nil
}

// undoes takes a repost back, and leaves the post out until somebody allows it.
func undoes(ctx context.Context, t *bot.Turn, s *state, words []string, by string) (string, error) {
	c, post, err := s.posted(words)
	if err != nil {
		return "", err
	}
	if _, paused := t.Pauses()[""]; paused {
		return "", moot("the account is paused, so nothing leaves: let it go on first")
	}
	if c.Do != campaigns.Repost {
		return "", moot("%s publishes texts: delete the post where it stands", c.ID)
	}
	back, err := s.takeBack(ctx, t, post, by)
	if err != nil {
		return "", err
	}
	u := s.Uses.Posts[campaigns.PostKey(post)]
	if !u.Reposted && !back {
		return "", moot("%d is not reposted, as far as the book knows", post)
	}
	s.Uses = campaigns.Undo(s.Uses, post, campaigns.Note{By: by, At: t.Now}) //mutate:asks-undone
	says := fmt.Sprintf("the repost of %d is taken back", post)
	if u.Reposted {
		t.Unrepost(post, bot.Decided(c.ID, time.Time{}))
	} else {
		says = fmt.Sprintf("%d is not reposted", post)
	}
	s.note(t, c, fmt.Sprintf("undo:%d", post), fmt.Sprintf("%s has taken the repost of %d back", by, post))
	return says + fmt.Sprintf(", and it stays out until: nectar campaigns allow %s %d", c.ID, post), nil
}

// takeBack takes back what is prepared of a post, or waits for its minute; false when nothing is.
func (s *state) takeBack(ctx context.Context, t *bot.Turn, post platform.PostID, by string) (any bool, err error) {
	for _, id := range s.open(func(e campaigns.Entry) bool { return e.Post == post && e.State.Open() }) {
		why := fmt.Sprintf("%s does not want %d to be reposted", by, post)
		if s.Memories[id.Campaign].Book[id].State == campaigns.Prepared {
			if err := s.withdraw(ctx, t, id, why); err != nil {
				return any, err
			}
			any = true
			continue
		}
		a, there, err := s.action(ctx, t, id)
		if err != nil || !there {
			return any, err
		}
		ended, err := t.End(ctx, a.Key, why)
		if err != nil {
			return any, err
		}
		if !ended && !a.State.Final() {
			return any, moot("%s is on its way: ask again when it is done", id)
		}
		if any = any || ended; ended {
			s.Memories[id.Campaign], s.Uses = campaigns.Settle(s.campaign(id.Campaign), s.Memories[id.Campaign], s.Uses, id, campaigns.Outcome{At: t.Now, Why: why})
		}
	}
	return any, nil
}

// allows lets a post come again that was out.
func allows(_ context.Context, t *bot.Turn, s *state, words []string, by string) (string, error) {
	c, post, err := s.posted(words)
	if err != nil {
		return "", err
	}
	out := s.Uses.Posts[campaigns.PostKey(post)].Out
	if out == nil {
		return "", moot("%d is not out: nothing keeps it from coming but its campaign", post)
	}
	s.Uses = s.Uses.Allow(post)
	s.note(t, c, fmt.Sprintf("allow:%d", post), fmt.Sprintf("%s has allowed %d again", by, post))
	return fmt.Sprintf("%d may come again when its turn comes", post), nil
}
