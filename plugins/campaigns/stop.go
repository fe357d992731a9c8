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
	"github.com/nectar-bot/nectar/platform"
)

// What stop_if asks for ends a campaign at once, with one notice: what is prepared or waits for its minute is withdrawn. A repost
// that a renewal has taken back is still made.

const (
	warned     = "campaigns/warned"
	warnedLast = time.Hour // how long a warning counts
)

// lastWarning is the last warning of the account.
type lastWarning struct {
	event.Warning
	At time.Time `json:"at"`
}

var warningValue = bot.NewAccountValue[lastWarning](group, "warning")

// heeds reports whether a warning ends a campaign.
func heeds(c *campaigns.Campaign) bool { return c.Stop.Warnings }

// heedsWarnings reports whether a warning ends a campaign of an account.
func (p *Plugin) heedsWarnings(account event.Account) bool {
	if slices.ContainsFunc(p.inForce(account).all, heeds) {
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.seen[account], func(s *snapshot) bool { return slices.ContainsFunc(s.inForce(), heeds) }) // an edit of it may wait
}

// noteWarning takes a warning. It reads nothing of the platform, which may not answer now.
func (p *Plugin) noteWarning(ctx context.Context, t *bot.Turn, w event.Warning) error {
	if err := warningValue.Save(ctx, t, lastWarning{w, t.Now}); err != nil {
		return err
	}
	s, err := p.load(ctx, t)
	if err != nil {
		return err
	}
	if err := s.endStopped(ctx, t); err != nil {
		return err
	}
	return s.save(ctx, t)
}

// endStopped ends the campaigns whose stop_if is met, and withdraws what is prepared of those that have ended.
func (s *state) endStopped(ctx context.Context, t *bot.Turn) error {
	var w lastWarning
	recent := false
	if slices.ContainsFunc(s.Campaigns, heeds) {
		last, is, err := warningValue.Load(ctx, t)
		if err != nil {
			return err
		}
		w, recent = last, is && t.Now.Sub(last.At) < warnedLast
	}
	for _, c := range s.Campaigns {
		if c.Stop.Warnings && recent {
			s.endCampaign(t, c, "stop_if → account: "+w.Why)
		}
		if s.Memories[c.ID].Ended != nil {
			if err := s.close(ctx, t, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// endCampaign ends a campaign, and says so once.
func (s *state) endCampaign(t *bot.Turn, c *campaigns.Campaign, why string) {
	m := s.Memories[c.ID]
	if m.Ended != nil {
		return
	}
	m.Ended = &campaigns.Note{At: t.Now, Why: why}
	s.Memories[c.ID] = m
	t.Notify(event.Notice{Who: s.teamOf(c.ID), Text: fmt.Sprintf("The campaign %s has ended: %s", cmp.Or(c.Name, c.ID), why)})
	t.Note("the campaign %s has ended: %s", c.ID, why)
}

// close withdraws what is prepared of a campaign that has ended, or waits for its minute. What has left goes on.
func (s *state) close(ctx context.Context, t *bot.Turn, c *campaigns.Campaign) error {
	for _, id := range slices.SortedFunc(maps.Keys(openOf(s.Memories[c.ID].Book)), bySlotName) {
		why := "the campaign has ended: " + s.Memories[c.ID].Ended.Why
		// It stays in the book as going: it may have left a moment ago, and what became of it tells when it is concluded.
		if s.Memories[c.ID].Book[id].State == campaigns.Going {
			if err := s.withdrawAction(ctx, t, id, why); err != nil {
				return err
			}
			continue
		}
		if err := s.withdrawPrepared(ctx, t, id, why); err != nil {
			return err
		}
	}
	return nil
}

// Replies to what campaigns have published are read for some days, and those with a word of stop_if counted, each once: by its id.

const (
	replies       = "campaigns/replies" // the timer
	repliesEvery  = 10 * time.Minute
	repliesFor    = 72 * time.Hour // after a slot
	mostListened  = 20             // posts of an account: the last ones
	mostRemembers = 1000           // replies of a campaign
)

// listened are the posts whose replies are read, and what was counted.
type listened struct {
	Posts   []listenedPost         `json:"posts,omitempty"` // by Until
	Replies map[string][]heldReply `json:"replies,omitempty"`
}

// listenedPost is a post of a campaign.
type listenedPost struct {
	Campaign string          `json:"campaign"`
	Post     platform.PostID `json:"post"`
	From     time.Time       `json:"from"` // when it was published first: what came before does not count
	Until    time.Time       `json:"until"`
}

// heldReply is a reply that counts.
type heldReply struct {
	Reply platform.PostID `json:"reply"`
	At    time.Time       `json:"at"`
}

var listenedValue = bot.NewAccountValue[listened](group, "replies")

// watchReplies begins to read the replies to what a slot has published.
func (s *state) watchReplies(ctx context.Context, t *bot.Turn, c *campaigns.Campaign, post platform.PostID, at time.Time) error {
	if !c.Stop.Replies || post == 0 {
		return nil
	}
	l, _, err := listenedValue.Load(ctx, t)
	if err != nil {
		return err
	}
	from := at.Truncate(time.Second) // platforms tell whole seconds
	l.Posts = slices.DeleteFunc(l.Posts, func(p listenedPost) bool {
		same := p.Campaign == c.ID && p.Post == post
		if same && p.From.Before(from) {
			from = p.From
		}
		return same || !p.Until.After(t.Now)
	})
	l.Posts = append(l.Posts, listenedPost{c.ID, post, from, at.Add(repliesFor)})
	l.Posts = l.Posts[max(0, len(l.Posts)-mostListened):]
	t.After(repliesEvery, replies)
	return listenedValue.Save(ctx, t, l)
}

// listen reads the replies, and ends what they end.
func (p *Plugin) listen(ctx context.Context, t *bot.Turn, _ event.Timer) error {
	l, _, err := listenedValue.Load(ctx, t)
	if err != nil {
		return err
	}
	s, err := p.load(ctx, t)
	if err != nil {
		return err
	}
	// A campaign in which something has panicked is left out here, too: what it decides, or ends, cannot be believed.
	if err := s.leaveOutPanicked(ctx, t); err != nil {
		return err
	}
	l.Posts = slices.DeleteFunc(l.Posts, func(x listenedPost) bool {
		c := s.campaignByID(x.Campaign)
		return !x.Until.After(t.Now) || c == nil || !c.Stop.Replies || s.Memories[c.ID].Ended != nil
	})
	for _, x := range l.Posts {
		if err := s.doFor(x.Campaign, func() error { s.count(ctx, t, &l, x); return nil }); err != nil {
			return err
		}
	}
	for _, c := range s.Campaigns {
		if n := stormy(c, l.Replies[c.ID]); n > 0 {
			s.endCampaign(t, c, fmt.Sprintf("stop_if → post: %d replies with one of %s", n, strings.Join(c.Stop.Words, ", ")))
		}
	}
	// In the turn that has read the replies: between two turns, a slot could be published that they had ended.
	if err := s.endStopped(ctx, t); err != nil {
		return err
	}
	if len(l.Posts) > 0 {
		t.After(repliesEvery, replies)
	}
	s.forget(&l, t.Now)
	if err := listenedValue.Save(ctx, t, l); err != nil {
		return err
	}
	return s.save(ctx, t)
}

// count takes in the replies to a post. What cannot be read now is read the next time.
func (s *state) count(ctx context.Context, t *bot.Turn, l *listened, x listenedPost) {
	c := s.campaignByID(x.Campaign)
	wanted := phrases(c.Stop.Words)
	found, err := t.Replies(ctx, x.Post, wordsHash(strings.Join(c.Stop.Words, "\n")), func(p *platform.Post) bool { return saysOne(p.Text, wanted) })
	if err != nil {
		t.Note("the replies to %d are not read now: %v", x.Post, err)
		return
	}
	for i := range found {
		at := found[i].Time
		if at.IsZero() {
			at = t.Now
		}
		known := slices.ContainsFunc(l.Replies[c.ID], func(r heldReply) bool { return r.Reply == found[i].ID }) //mutate:stop-once
		if known || at.Before(x.From) {
			continue
		}
		if l.Replies == nil {
			l.Replies = map[string][]heldReply{}
		}
		l.Replies[c.ID] = append(l.Replies[c.ID], heldReply{found[i].ID, at})
	}
}

// forget leaves out what counts no more: it is older than the time of stop_if, and none of the posts that are listened to shows it any more.
func (s *state) forget(l *listened, now time.Time) {
	for id, all := range l.Replies {
		c := s.campaignByID(id)
		if c == nil || !c.Stop.Replies || s.Memories[id].Ended != nil { // once it is resumed, it begins anew
			delete(l.Replies, id)
			continue
		}
		least := now.Add(-max(c.Stop.MoreThan.In, repliesFor+24*time.Hour)) //mutate:stop-forgets
		all = slices.DeleteFunc(all, func(r heldReply) bool { return c.Stop.MoreThan.In > 0 && r.At.Before(least) })
		if l.Replies[id] = all[max(0, len(all)-mostRemembers):]; len(all) == 0 {
			delete(l.Replies, id)
		}
	}
}

// stormy returns how many replies came in the time of stop_if, when they are too many; 0 when they are not.
func stormy(c *campaigns.Campaign, all []heldReply) int {
	if !c.Stop.Replies {
		return 0
	}
	all = slices.SortedFunc(slices.Values(all), func(a, b heldReply) int { return a.At.Compare(b.At) })
	for i, first := 0, 0; i < len(all); i++ {
		for c.Stop.MoreThan.In > 0 && all[i].At.Sub(all[first].At) >= c.Stop.MoreThan.In {
			first++
		}
		if n := i - first + 1; n > c.Stop.MoreThan.Max { //mutate:stop-edge
			return n
		}
	}
	return 0
}

// phrases returns the words of each of some phrases.
func phrases(all []string) [][]string {
	split := make([][]string, len(all))
	for i := range all {
		split[i] = bot.Words(all[i])
	}
	return split
}

// saysOne reports whether a text has one of some phrases, in whole words.
func saysOne(text string, wanted [][]string) bool {
	said := bot.Words(text)
	return slices.ContainsFunc(wanted, func(phrase []string) bool {
		for i := 0; len(phrase) > 0 && i+len(phrase) <= len(said); i++ {
			if slices.Equal(said[i:i+len(phrase)], phrase) {
				return true
			}
		}
		return false
	})
}
