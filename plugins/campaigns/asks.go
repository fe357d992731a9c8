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
	"github.com/nectar-bot/nectar/bot/engine"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform"
)

// asked is what people ask of an account's campaigns, in words: each answers in a line, and an error is the line that says why nothing
// was done.
type asked func(ctx context.Context, t *bot.Turn, s *state, words []string, by string) (string, error)

// askRoutes are the routes for what people ask.
func (p *Plugin) askRoutes() []bot.Route {
	var routes []bot.Route
	for _, a := range []struct {
		name string
		do   asked
	}{
		{"apply", asAsked(applyEdit)},
		{"pause", halts},
		{"resume", asAsked(resumeCampaign)},
		{"skip", skips},
		{"unskip", asAsked(unskipSlot)},
		{"move", asAsked(moveSlot)},
		{"undo", undoes},
		{"allow", asAsked(allowPost)},
		{"clock", asAsked(allowClock)},
		{"lifts", asAsked(noteLifting)},
		{"forget", asAsked(forgetCampaign)},
	} {
		routes = append(routes, bot.On(a.name, bot.Asked(group+"/"+a.name), func(ctx context.Context, t *bot.Turn, told event.Told) error {
			return p.answer(ctx, t, told, a.do)
		}))
	}
	return routes
}

// errObsolete is why nothing was done, as people read it.
type errObsolete struct{ error }

func obsoleteError(format string, args ...any) error { return errObsolete{fmt.Errorf(format, args...)} }

// answer does what is asked, and has the account looked at soon.
func (p *Plugin) answer(ctx context.Context, t *bot.Turn, told event.Told, do asked) error {
	s, err := p.load(ctx, t)
	if err != nil {
		return err
	}
	s.deferEditCall()
	by := told.By
	if by == "" {
		by = "somebody"
	}
	says, err := do(ctx, t, s, strings.Fields(told.Text), by)
	if m, is := errors.AsType[errObsolete](err); is {
		t.Conclude(bot.OutcomeObsolete)
		says = m.Error()
	} else if err != nil {
		return err
	}
	t.Note("%s", says)
	if len(s.known) > 0 {
		t.After(time.Second, next)
	}
	return s.save(ctx, t)
}

// campaignNamed returns the campaign that is named.
func (s *state) campaignNamed(id string) (*campaigns.Campaign, error) {
	if c := campaigns.ByID(s.Campaigns, id); c != nil {
		return c, nil
	}
	switch there := idsText(s.Campaigns); {
	case there == "":
		return nil, obsoleteError("this account has no campaigns")
	case id == "":
		return nil, obsoleteError("name a campaign: %s", there)
	default:
		return nil, obsoleteError("there is no campaign %s: there are %s", id, there)
	}
}

// firstWord returns the first word, and the rest as it was written.
func firstWord(words []string) (string, string) {
	if len(words) == 0 {
		return "", ""
	}
	return words[0], strings.Join(words[1:], " ")
}

// slotNamed returns the slot that is named, of a campaign that is in force.
func (s *state) slotNamed(words []string) (*campaigns.Campaign, campaigns.SlotID, error) {
	name, _ := firstWord(words)
	id, err := campaigns.ParseSlotID(name)
	if err != nil {
		return nil, id, obsoleteError("%q is no slot: %v", name, err)
	}
	c, err := s.campaignNamed(id.Campaign)
	if err != nil {
		return nil, id, err
	}
	if _, there := c.Slot(id); !there {
		return nil, id, obsoleteError("%s has no slot on %s at %s", c.ID, id.Day, id.Clock)
	}
	return c, id, nil
}

// skips takes a slot out. What is prepared for it is taken back, and what is on its way, as long as it has not left.
func skips(ctx context.Context, t *bot.Turn, s *state, words []string, by string) (string, error) {
	c, id, err := s.slotNamed(words)
	if err != nil {
		return "", err
	}
	why, m := by+" has taken this slot out", s.Memories[c.ID]
	switch _, already := m.Skips[id]; {
	case already:
	case m.Book[id].State == campaigns.Going:
		a, there, err := s.lastAction(ctx, t, id)
		if err != nil {
			return "", err
		}
		// Its action alone knows whether it has left. What the book says was true when the turn began.
		ended := false
		if there {
			if ended, err = t.End(ctx, a.Key, why); err != nil {
				return "", err
			}
		}
		if !ended {
			return "", obsoleteError("%s is on its way already", id)
		}
		return staysEmpty(id), nil
	case m.Book[id].State == campaigns.Prepared:
		//mutate:asks-skip
		if err := s.withdrawAction(ctx, t, id, why); err != nil {
			return "", err
		}
	}
	return skipSlot(s, words, campaigns.Note{By: by, At: t.Now})
}

// halts pauses a campaign. What is decided for a slot, and has not left, is taken back.
func halts(ctx context.Context, t *bot.Turn, s *state, words []string, by string) (string, error) {
	says, err := pauseCampaign(s, words, campaigns.Note{By: by, At: t.Now})
	if err != nil {
		return "", err
	}
	campaign, _ := firstWord(words)
	return says, s.takeBackDecided(ctx, t, by+" has paused the campaign", func(id campaigns.SlotID) bool { return id.Campaign == campaign })
}

// mayStillLeave reports whether a slot whose minute is over may still leave.
func (s *state) mayStillLeave(id campaigns.SlotID, now time.Time) bool {
	v, there := campaigns.Find(&s.Account, id, nil, now)
	return there && s.AccountFacts.TrueTime(now).Before(v.Until)
}

// outcomeText says what became of a slot.
func outcomeText(c *campaigns.Campaign, e *campaigns.Entry) string {
	if e.State == campaigns.Empty {
		return "it stayed empty: " + e.Why
	}
	return wasOf(c, e) + " came at " + e.At.In(c.Zone).Format("15:04")
}

// postNamed returns the campaign and the post that are named. A post is named by its number, or by its address.
func (s *state) postNamed(words []string) (*campaigns.Campaign, platform.PostID, error) {
	name, link := firstWord(words)
	c, err := s.campaignNamed(name)
	if err != nil {
		return nil, 0, err
	}
	n, err := strconv.ParseInt(link[strings.LastIndexByte(link, '/')+1:], 10, 64)
	post := platform.PostID(n)
	if err != nil || n <= 0 {
		return nil, 0, obsoleteError("%q is no post: write its number, or its address", link)
	}
	known := slices.ContainsFunc(c.Items, func(i campaigns.Item) bool { return i.Post == post })
	for _, e := range s.Memories[c.ID].Book {
		known = known || e.Post == post
	}
	if _, used := s.Uses.Posts[campaigns.PostKey(post)]; !known && !used {
		return nil, 0, obsoleteError("%d is no post of %s", post, c.ID)
	}
	return c, post, nil
}

// undoes takes a repost back, and leaves the post out until somebody allows it.
func undoes(ctx context.Context, t *bot.Turn, s *state, words []string, by string) (string, error) {
	c, post, err := s.postNamed(words)
	if err != nil {
		return "", err
	}
	// It would be decided now, and leave when the account goes on, which may be in days.
	if _, paused := engine.Of(t).Pauses()[""]; paused {
		return "", obsoleteError("the account is paused, so nothing leaves: let it go on first")
	}
	if c.Do != campaigns.Repost {
		return "", obsoleteError("%s publishes texts: delete the post where it stands", c.ID)
	}
	// First what is still to come: otherwise the repost would be taken back, and made again by the slot behind it.
	back, err := s.takeBack(ctx, t, post, by)
	if err != nil {
		return "", err
	}
	u := s.Uses.Posts[campaigns.PostKey(post)]
	if !u.Reposted && !back {
		return "", obsoleteError("%d is not reposted, as far as the book knows", post)
	}
	s.keepOut(c, post, campaigns.Note{By: by, At: t.Now}, u.Reposted)
	if u.Reposted {
		t.Unrepost(post, engine.Decided(c.ID, time.Time{}))
	}
	return undoneText(c, post, u.Reposted), nil
}

// takeBack takes back what is prepared of a post, or waits for its minute; false when nothing is.
func (s *state) takeBack(ctx context.Context, t *bot.Turn, post platform.PostID, by string) (any bool, err error) {
	for _, id := range s.open(func(e campaigns.Entry) bool { return e.Post == post && e.State.Open() }) {
		why := fmt.Sprintf("%s does not want %d to be reposted", by, post)
		if s.Memories[id.Campaign].Book[id].State == campaigns.Prepared {
			if err := s.withdrawPrepared(ctx, t, id, why); err != nil {
				return any, err
			}
			any = true
			continue
		}
		a, there, err := s.lastAction(ctx, t, id)
		if err != nil || !there {
			return any, err
		}
		ended, err := t.End(ctx, a.Key, why)
		if err != nil {
			return any, err
		}
		// It may be between its two calls. To take the repost back now would be undone by the second of them.
		if !ended && !a.State.Final() {
			return any, obsoleteError("%s is on its way: ask again when it is done", id)
		}
		if any = any || ended; ended {
			s.concludeSlot(t, id, campaigns.Conclusion{At: t.Now, Why: why}, nil)
		}
	}
	return any, nil
}
