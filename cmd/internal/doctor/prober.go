package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform"
)

// Prober reposts a post of the account itself, takes that back, and looks what the platform shows of it. In the end the post
// is always as it was, or it says that it could not put it back.
type Prober struct {
	Client *platform.Client
	Me     platform.UserID
	note   func(Finding)
	Looks  []time.Duration // pauses before each look at what a call has changed
	Grace  time.Duration   // within which a call without an answer is handled, if at all

	Post    platform.Post
	touched bool // a call that changes something has left
	on      bool // the post is reposted, as the last answer says
	inDoubt bool // nobody knows what the last call did
	untold  bool // posts do not say whether they are reposted
	shows   bool // our own page shows a repost of an own post
	Lifts   campaigns.Tri
}

const (
	candidates = 20               // posts that are looked at for one to use
	putBackFor = 90 * time.Second // for putting the post back
)

// NewProber returns a prober that has done nothing yet.
func NewProber(c *platform.Client, me platform.UserID, note func(Finding)) *Prober {
	return &Prober{Client: c, Me: me, note: note, Looks: []time.Duration{0, time.Second, 2 * time.Second}, Grace: 20 * time.Second}
}

// ChoosePost finds the post: that of an id, or the newest one of the account that is not reposted.
func (p *Prober) ChoosePost(ctx context.Context, id platform.PostID) error {
	if id != 0 {
		post, err := p.read(ctx, id)
		switch {
		case err != nil:
			return fmt.Errorf("read the post %d: %w", id, err)
		case post.HasReposted:
			return fmt.Errorf("the post %d is reposted already. Take that back first, in the app, or name another one", id)
		}
		p.Post = post
		return nil
	}
	page, err := p.Client.ProfilePosts(ctx, platform.ProfilePostsParams{ID: p.Me, PageSize: candidates})
	if err != nil {
		return fmt.Errorf("read your own page: %w", err)
	}
	for i := range page {
		row := &page[i]
		if row.UserID != p.Me || row.IsRepost || row.Thread != 0 || row.Advertising || row.HasReposted || p.rowIn(page, row.ID) != nil {
			continue
		}
		// Read by itself: its row may not say that it is reposted, and what is taken back here would be the owner's own repost.
		if post, err := p.read(ctx, row.ID); err == nil && !post.HasReposted {
			p.Post = post
			return nil
		}
	}
	return errors.New("there is no post of your own that is not reposted: write one in the app, or name one with --post LINK")
}

// read reads a post. One of somebody else is an error.
func (p *Prober) read(ctx context.Context, id platform.PostID) (platform.Post, error) {
	t, err := p.Client.Thread(ctx, id)
	if err == nil && (t.Post.ID != id || t.Post.UserID != p.Me) { //mutate:probe-own
		err = errors.New("it is not yours, and only your own posts are touched")
	}
	return t.Post, err
}

// Run makes the checks. It returns an error when it could not finish them, or could not put the post back.
func (p *Prober) Run(ctx context.Context) error {
	err := p.RunChecks(ctx)
	if !p.touched { //mutate:probe-back
		return err
	}
	back, cancel := context.WithTimeout(context.WithoutCancel(ctx), putBackFor)
	defer cancel()
	said, undo := p.putBack(back)
	if undo != nil {
		p.note(Finding{Check: "put back", Status: Failed, Said: undo.Error()})
		return errors.Join(err, undo)
	}
	p.note(Finding{Check: "put back", Status: Good, Said: said})
	return err
}

// RunChecks finds out what campaigns have to know.
func (p *Prober) RunChecks(ctx context.Context) error {
	if err := p.toggleRepost(ctx, true); err != nil {
		return fmt.Errorf("repost the post: %w", err)
	}
	first, err := p.seesRepost(ctx)
	if err != nil {
		return err
	}
	if err := p.toggleRepost(ctx, false); err != nil {
		return fmt.Errorf("take the repost back: %w", err)
	}
	if err := p.seesUndone(ctx); err != nil {
		return err
	}
	if err := p.toggleRepost(ctx, true); err != nil {
		return fmt.Errorf("repost the post again: %w", err)
	}
	return p.seesLifted(ctx, first)
}

// toggleRepost reposts the post, or takes the repost back. It is called only when the post is known to be the other way.
func (p *Prober) toggleRepost(ctx context.Context, on bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p.touched, p.inDoubt = true, true
	after, err := p.Client.Repost(ctx, p.Post.ID)
	if err != nil {
		p.inDoubt = !platform.Final(err) // what was refused was not done
		return err
	}
	p.inDoubt, p.on = false, on
	if after.Known && after.On != on {
		p.on = after.On
		return fmt.Errorf("the platform says that it is %s now: somebody else, or another bot, does the same", onOffText(after.On))
	}
	return nil
}

func onOffText(on bool) string {
	if on {
		return "reposted"
	}
	return "not reposted"
}

// readUntilExpected reads, as often as it is worth it, until what is read is as expected. It returns how long that took.
func (p *Prober) readUntilExpected(ctx context.Context, seen func(context.Context) (bool, error)) (is bool, took time.Duration, err error) {
	for _, pause := range p.Looks {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return false, took, ctx.Err()
		}
		took += pause
		if is, err = seen(ctx); is || err != nil {
			return is, took, err
		}
	}
	return false, took, nil
}

// seesRepost looks whether the post and our own page show the repost. It returns its row on the page, if there is one.
func (p *Prober) seesRepost(ctx context.Context) (row *platform.Post, err error) {
	is, took, err := p.readUntilExpected(ctx, func(ctx context.Context) (bool, error) {
		post, err := p.read(ctx, p.Post.ID)
		p.untold = post.RepostUntold
		// Where a post does not say it at all there is nothing to wait for.
		return post.HasReposted || p.untold, err
	})
	f := Finding{Check: "has_reposted", Status: Good, Said: "the post says so at once: a renewal is read back without delay"}
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the post: %w", err)
	case p.untold:
		f.Status, f.Said = Odd, "posts do not say whether you have reposted them: campaigns renew nothing here, and repost only what neither their book nor your own page shows"
	case !is:
		f.Status, f.Said = Odd, fmt.Sprintf("the post did not say so within %s: a renewal waits for that, and campaigns take such a repost for undone by hand", took)
	case took > 0:
		f.Said = fmt.Sprintf("the post said so after %s: a renewal takes that much longer", took)
	}
	p.note(f)
	p.shows, took, err = p.readUntilExpected(ctx, func(ctx context.Context) (bool, error) {
		row, err = p.row(ctx)
		return row != nil, err
	})
	if err != nil {
		return nil, fmt.Errorf("read your own page: %w", err)
	}
	f = Finding{Check: "own page", Status: Good, Said: "it shows the repost: what is reposted by hand is seen there, too"}
	if !p.shows {
		f.Status, f.Said = Odd, fmt.Sprintf("it shows no repost of an own post, not within %s either; of other people's posts this says nothing", took)
	}
	p.note(f)
	return row, nil
}

// seesUndone looks whether the post and the page show that the repost is gone.
func (p *Prober) seesUndone(ctx context.Context) error {
	is, took, err := p.readUntilExpected(ctx, func(ctx context.Context) (bool, error) { on, known, err := p.now(ctx); return known && !on, err })
	f := Finding{Check: "taking back", Status: Good, Said: "is seen at once: a renewal goes on without delay"}
	switch {
	case err != nil:
		return fmt.Errorf("read the post: %w", err)
	case p.untold && !p.shows:
		f.Status, f.Said = Odd, "nothing shows it; the answer of the call is all there is"
	case !is:
		f.Status, f.Said = Odd, fmt.Sprintf("was not seen within %s: a renewal waits for it, and is held for a person when it is not seen at all", took)
	case took > 0:
		f.Said = fmt.Sprintf("is seen after %s: a renewal takes that much longer", took)
	}
	p.note(f)
	return nil
}

// seesLifted looks whether the second repost stands higher than the first one did.
func (p *Prober) seesLifted(ctx context.Context, first *platform.Post) error {
	var again *platform.Post
	_, _, err := p.readUntilExpected(ctx, func(ctx context.Context) (bool, error) {
		var err error
		again, err = p.row(ctx)
		return again != nil || !p.shows, err
	})
	if err != nil {
		return fmt.Errorf("read your own page: %w", err)
	}
	f := Finding{Check: "renewal", Status: Odd}
	switch {
	case first == nil || again == nil || first.Row == 0 || again.Row == 0:
		f.Said = "whether it lifts a post cannot be seen here: a person is asked before the first renewal of a campaign, which shows it"
	case again.Row > first.Row: //mutate:probe-row
		p.Lifts = campaigns.Yes
		f.Status, f.Said = Good, "lifts the post: it stands higher than before. Renewals leave without being asked for, where the campaign is live"
	default:
		p.Lifts = campaigns.No
		f.Said = "does not lift the post: it stands where it stood, so that nobody sees it again. A person is asked before each renewal; leave out how: undo_then_repost"
	}
	p.note(f)
	return nil
}

// row returns our repost of the post on our own page; nil when it is not there.
func (p *Prober) row(ctx context.Context) (*platform.Post, error) {
	page, err := p.Client.ProfilePosts(ctx, platform.ProfilePostsParams{ID: p.Me, PageSize: candidates})
	return p.rowIn(page, p.Post.ID), err
}

func (p *Prober) rowIn(page []platform.Post, id platform.PostID) *platform.Post {
	for i := range page {
		if page[i].ID == id && page[i].IsRepost {
			return &page[i]
		}
	}
	return nil
}

// now reads how the post stands; not known when nothing tells.
func (p *Prober) now(ctx context.Context) (on, known bool, err error) {
	post, err := p.read(ctx, p.Post.ID)
	switch {
	case err != nil:
		return false, false, err
	case !post.RepostUntold:
		return post.HasReposted, true, nil
	}
	row, err := p.row(ctx)
	return row != nil, err == nil && (row != nil || p.shows), err
}
