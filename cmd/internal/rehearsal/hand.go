package rehearsal

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

var errGone = errors.New("that post was deleted")

// hand is who does in a rehearsal what a person does.
const hand = "somebody of ours"

// WaitingSlots returns the slots that wait for an approval, in the order of their names' days.
func (r *Rehearsal) WaitingSlots() []campaigns.SlotID {
	var all []campaigns.SlotID
	for _, m := range r.Memories {
		all = append(all, m.Book.Asked()...)
	}
	slices.SortFunc(all, func(a, b campaigns.SlotID) int {
		if n := r.Memories[a.Campaign].Book[a].Minute.Compare(r.Memories[b.Campaign].Book[b].Minute); n != 0 {
			return n
		}
		return strings.Compare(a.String(), b.String())
	})
	return all
}

// DecideSlot approves what is prepared for a slot, or refuses it. The error says why there is nothing to rule about.
func (r *Rehearsal) DecideSlot(id campaigns.SlotID, yes bool) error {
	e, is := r.Memories[id.Campaign].Book[id]
	if !is || e.State != campaigns.Prepared {
		return fmt.Errorf("nothing is prepared for %s", id)
	}
	r.keepMemory(id.Campaign, campaigns.Approve(r.Memories[id.Campaign], id, hand, yes, r.now))
	delete(r.waits, id)
	return nil
}

// Pause stops a campaign: its slots pass.
func (r *Rehearsal) Pause(id string) error { return r.wish("pause", id) }

// Resume lets a campaign go on. What has passed does not come.
func (r *Rehearsal) Resume(id string) error {
	if m, there := r.Memories[id]; there && m.Paused == nil && m.Ended == nil {
		return nil // it goes on
	}
	return r.wish("resume", id)
}

// Skip takes a slot out.
func (r *Rehearsal) Skip(id campaigns.SlotID) error { return r.wish("skip", id.String()) }

// Move gives a slot another minute: to is what nectar campaigns move takes.
func (r *Rehearsal) Move(id campaigns.SlotID, to string) error {
	return r.wish("move", id.String()+" "+to)
}

// AllowPost lets a post come again that was out.
func (r *Rehearsal) AllowPost(post platform.PostID) error {
	if u := r.Uses.Posts[campaigns.PostKey(post)]; u.Out == nil || len(r.Campaigns) == 0 {
		return fmt.Errorf("%d is not out", post)
	}
	return r.wish("allow", fmt.Sprintf("%s %d", r.Campaigns[0].ID, post))
}

// wish does what people may ask a bot for, as one would. The error is what the bot would say.
func (r *Rehearsal) wish(what, of string) error {
	const account = "rehearsed"
	q := event.Request{Key: event.Own(account), Wish: event.WishTell, Subject: "campaigns/" + what, Text: of, By: hand}
	kept, done := plugin.Foresee(plugin.Stored{Account: r.Account}, account, []event.Request{q}, r.now)
	if !done[0].Counted {
		return errors.New(done[0].Says)
	}
	r.Account = kept.Account
	clear(r.waits)
	return nil
}

// Delete deletes a post on the platform. The error says that it is none of the rehearsal, as for all that is done with a post.
func (r *Rehearsal) Delete(post platform.PostID) error { return r.hides(post, campaigns.Gone) }

// HidePost makes a post private, so that we may not see it.
func (r *Rehearsal) HidePost(post platform.PostID) error { return r.hides(post, campaigns.Hidden) }

// ShowPost makes a private post public again.
func (r *Rehearsal) ShowPost(post platform.PostID) error { return r.hides(post, "") }

// RepostByHand reposts a post by hand, or takes our repost of it back.
func (r *Rehearsal) RepostByHand(post platform.PostID, on bool) error {
	if err := r.knows(post); err != nil {
		return err
	}
	p := r.stage.postOf(post)
	switch {
	case p.out != "":
		return fmt.Errorf("%d cannot be seen", post)
	case p.reposted == on && on:
		return fmt.Errorf("%d is reposted already", post)
	case p.reposted == on:
		return fmt.Errorf("%d is not reposted", post)
	}
	p.reposted, p.since = on, r.now
	return nil
}

func (r *Rehearsal) hides(post platform.PostID, why campaigns.OutWhy) error {
	if err := r.knows(post); err != nil {
		return err
	}
	return r.stage.setHidden(post, why)
}

// knows refuses a post that is in no campaign, and that nobody has put on the platform: its number is misspelt.
func (r *Rehearsal) knows(post platform.PostID) error {
	if r.stage.posts[post] != nil {
		return nil
	}
	var all []string
	for _, c := range r.Campaigns {
		for i := range c.Items {
			if id := c.Items[i].Post; id == post {
				return nil
			} else if id != 0 {
				all = append(all, strconv.FormatInt(int64(id), 10))
			}
		}
	}
	slices.Sort(all)
	if all = slices.Compact(all); len(all) == 0 {
		return fmt.Errorf("no campaign has a post %d", post)
	}
	return fmt.Errorf("no campaign has a post %d: there is %s", post, strings.Join(all[:min(len(all), 8)], ", "))
}

// AddPost puts a post of somebody on the platform, and returns its number. From then on nothing is made up for them.
func (r *Rehearsal) AddPost(by, says string) (platform.PostID, error) {
	if says == "" || !strings.HasPrefix(by, "@") {
		return 0, errors.New("whose post, and what does it say?")
	}
	return r.stage.add(&Pretend{By: by, Text: says, At: r.now}).ID, nil
}
