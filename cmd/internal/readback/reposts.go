package readback

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/audit"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

// What campaigns have reposted is compared with what the account's own page shows.

// RepostAudit is what came of that for an account.
type RepostAudit struct {
	Account   event.Account            `json:"account"`
	Compared  int                      `json:"compared"`            // reposts of the book
	Missing   []repostFound            `json:"missing,omitempty"`   // that the page does not show
	Unplanned []repostFound            `json:"unplanned,omitempty"` // that the page shows, and no campaign has made
	Notes     []string                 `json:"notes,omitempty"`     // what could not be compared, and why
	planned   map[string]bool          // posts of the books, by key
	before    map[platform.PostID]bool // posts whose last repost by a campaign is older than what is compared
}

// repostFound is a repost that is on one side only.
type repostFound struct {
	Post   platform.PostID `json:"post"`
	Slot   string          `json:"slot,omitempty"`
	At     time.Time       `json:"at,omitzero"`        // when it was reposted, as the book has it
	Posted time.Time       `json:"posted_at,omitzero"` // when the post was written: the page does not show when it was reposted
}

const (
	pagePosts = 400                    // of our own page that are read
	pagePause = 200 * time.Millisecond // between two reads
)

// CompareReposts compares the own page of an account that has campaigns; nil for others.
func (b *Books) CompareReposts(ctx context.Context, account event.Account, cfg *audit.Config) (*RepostAudit, error) {
	k, err := plugin.Read(ctx, b.Reader, account)
	if err != nil || len(k.Memories) == 0 {
		return nil, err
	}
	made, r, err := madeBy(ctx, b.Reader, account, slices.Sorted(maps.Keys(k.Memories)), cfg.Since)
	if err != nil {
		return nil, err
	}
	me, err := cfg.Me(ctx)
	if err != nil {
		return nil, err
	}
	page, whole, err := ownPage(ctx, cfg.Client, me)
	if err != nil {
		if !platform.Final(err) {
			return nil, fmt.Errorf("read the account's own page: %w", err)
		}
		r.Notes = append(r.Notes, "the platform does not show the account's own page: its reposts were not compared")
		return r, nil
	}
	r.compare(made, page, whole, &k.Uses, cfg.Since)
	return r, nil
}

// madeBy returns the last repost of each post that the books say was done, by post.
func madeBy(ctx context.Context, reader inspect.Reader, account event.Account, ids []string, since time.Time) (map[platform.PostID]repostFound, *RepostAudit, error) {
	made, r := map[platform.PostID]repostFound{}, &RepostAudit{Account: account, planned: map[string]bool{}, before: map[platform.PostID]bool{}}
	for _, id := range ids {
		for after := ""; ; {
			some, err := plugin.ReadBook(ctx, reader, account, id, after, 1000)
			if err != nil {
				return nil, nil, err
			}
			for i := range some {
				x := &some[i]
				after = x.Slot.String()
				if x.Post == 0 || x.Kind != campaigns.Go {
					continue
				}
				r.planned[campaigns.PostKey(x.Post)] = true
				switch {
				case !x.Done:
				case x.At.Before(since):
					r.before[x.Post] = true
				case x.At.After(made[x.Post].At):
					made[x.Post] = repostFound{Post: x.Post, Slot: x.Slot.String(), At: x.At.UTC()}
				}
			}
			if len(some) == 0 {
				break
			}
		}
	}
	return made, r, nil
}

// ownPage reads the account's own page; whole reports whether that was all of it.
func ownPage(ctx context.Context, client *platform.Client, me platform.UserID) (page []platform.Post, whole bool, err error) {
	for p, err := range platform.All(ctx, client.ProfilePosts, platform.ProfilePostsParams{ID: me, PageSize: 20}) {
		if err != nil {
			return nil, false, err
		}
		if page = append(page, p); len(page) == pagePosts {
			return page, false, nil
		}
		if len(page)%20 == 0 {
			select {
			case <-time.After(pagePause):
			case <-ctx.Done():
				return nil, false, ctx.Err()
			}
		}
	}
	return page, true, nil
}

// compare finds what is on one side only. The page has what came last first, and of a repost the time at which the post was written:
// recent reposts are those above everything that is known to be older.
func (r *RepostAudit) compare(made map[platform.PostID]repostFound, page []platform.Post, whole bool, uses *campaigns.Uses, since time.Time) {
	shown := map[platform.PostID]bool{}
	oldest, recent := time.Time{}, true
	for i := range page {
		p := &page[i]
		if !whole && (oldest.IsZero() || p.Time.Before(oldest)) {
			oldest = p.Time
		}
		if !p.IsRepost {
			recent = recent && !p.Time.Before(since)
			continue
		}
		shown[p.ID] = true
		recent = recent && (!r.before[p.ID] || made[p.ID].Post != 0)
		key := campaigns.PostKey(p.ID)
		if recent && !r.planned[key] && uses.Posts[key].Last.IsZero() { //mutate:reposts-unplanned
			r.Unplanned = append(r.Unplanned, repostFound{Post: p.ID, Posted: p.Time.UTC()})
		}
	}
	if len(shown) == 0 && len(made) > 0 {
		r.Notes = append(r.Notes, "the account's own page shows no reposts at all: they could not be compared")
		return
	}
	for _, post := range slices.Sorted(maps.Keys(made)) {
		x := made[post]
		use := uses.Posts[campaigns.PostKey(post)]
		switch {
		case !use.Reposted || use.Out != nil: // the bot knows that it is gone
		case x.At.Before(oldest):
			r.Notes = append(r.Notes, fmt.Sprintf("%s: its repost lies behind what was read of the page", x.Slot))
		default:
			r.Compared++
			if !shown[post] { //mutate:reposts-missing
				r.Missing = append(r.Missing, x)
			}
		}
	}
}

// IsComplete reports whether no repost is missing.
func (r *RepostAudit) IsComplete() bool { return len(r.Missing) == 0 }

// Print says what was found, in words for a person.
func (r *RepostAudit) Print(w io.Writer) {
	say := print.SayTo(w)
	say("account %s, reposts of its campaigns: %d compared, %d missing, %d that no campaign has made", r.Account, r.Compared, len(r.Missing), len(r.Unplanned))
	for _, x := range r.Missing {
		say("  missing: %d, reposted for %s %s: the page does not show it. Somebody has taken it back, or the post is gone", x.Post, x.Slot, print.TimeText(x.At))
	}
	for _, x := range r.Unplanned {
		say("  not planned: %d, written %s: reposted by hand, by a rule or by another program", x.Post, print.TimeText(x.Posted))
	}
	for _, n := range r.Notes {
		say("  note: %s", n)
	}
	say("")
}
