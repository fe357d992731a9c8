package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// putBack leaves the post not reposted, as it was. The error says how it stands otherwise, and what to do.
func (p *Prober) putBack(ctx context.Context) (said string, err error) {
	for range 3 {
		on, err := p.stands(ctx)
		if err != nil {
			return "", p.mayBe(err)
		}
		if !on { //mutate:probe-toggle
			return fmt.Sprintf("the post %d is not reposted, as before", p.Post.ID), nil
		}
		if err := p.toggleRepost(ctx, false); err != nil && !p.inDoubt {
			return "", p.mayBe(err)
		}
	}
	return "", p.mayBe(errors.New("it did not work three times"))
}

// stands reports whether the post is reposted. What is under way is waited for: it may still change that.
func (p *Prober) stands(ctx context.Context) (on bool, err error) {
	if p.inDoubt {
		select {
		case <-time.After(p.Grace):
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
	for n := 0; ; n++ {
		on, known, err := p.now(ctx)
		switch {
		case err != nil && n < 3:
			time.Sleep(min(p.Grace, time.Second))
			continue
		case err != nil:
			return false, err
		case known && (p.inDoubt || on == p.on): // what is read may lag behind what the answer of a call said
			p.inDoubt = false
			p.on = on
			return on, nil
		case !known && p.inDoubt:
			return false, errors.New("nothing tells whether the last call has done something")
		case !known:
			return p.on, nil
		case n == 3:
			return false, fmt.Errorf("the last answer says that it is %s, and the post reads as if it were %s", onOffText(p.on), onOffText(on))
		}
		time.Sleep(min(p.Grace, time.Second))
	}
}

// mayBe says that the post may be left as it was not.
func (p *Prober) mayBe(why error) error {
	where := p.Post.URL
	if where == "" {
		where = fmt.Sprint(int64(p.Post.ID))
	}
	return fmt.Errorf("the post %d may still be reposted (%w). Open it in the app, %s, and take the repost back if there is one", p.Post.ID, why, where)
}
