package campaigns

import (
	"time"

	"github.com/nectar-bot/nectar/internal/webhost"
	"github.com/nectar-bot/nectar/platform"
)

// atLeast is the least time between two publications of a post that is not known to be ours, also where the gap is shorter: its author
// is told of each.
const atLeast = 24 * time.Hour

// mayCome reports whether an item may come at the slot, and what it would be; why not, otherwise. What it finds out on the way, and
// what it still has to know, is in the verdict.
func (d *decider) mayCome(i int32) (choice, Why) {
	what, why := d.mayPlan(i)
	item := &d.Campaign.Items[i]
	switch {
	case why.Code != "" || !d.rely:
	case item.Found() && what.post == 0:
		return d.finds(item)
	case what.post != 0:
		return d.reads(item, what)
	}
	return what, why
}

// mayPlan is mayCome without anything that would have to be read.
func (d *decider) mayPlan(i int32) (choice, Why) {
	c, item := d.Campaign, &d.Campaign.Items[i]
	switch {
	case item.Status == Paused && c.Status != Paused:
		return choice{}, Why{Code: PostPaused}
	case isBefore(d.Slot.Day(), item.NotBefore): //mutate:slots-not-before
		at := time.Date(item.NotBefore.Year, item.NotBefore.Month, item.NotBefore.Day, 0, 0, 0, 0, time.UTC)
		return choice{}, Why{Code: NotBefore, At: at}
	case item.Found():
		e := d.Memory.Book[d.Slot.ID]
		if e.Item != item.Key || e.Post == 0 {
			return choice{}, Why{}
		}
		return d.allowed(PostKey(e.Post), e.Post, used{})
	}
	used := d.Memory.usedItem(int(i), item.Key)
	if own := c.Lines[d.Slot.Line].Own == item.Key; !own { // a line that names the post itself is exempt
		for _, most := range [2]int{c.Each, c.StopAfter} {
			if most > 0 && used.Done >= most {
				return choice{}, Why{Code: UsedUp, N: most}
			}
		}
	}
	if words := c.words[i]; words != "" { // what another campaign says in the same words counts for the gap
		used.Last = LaterTime(used.Last, d.Uses.Posts[words].Last) //mutate:text-words
	}
	return d.allowed(item.Key, item.Post, used)
}

// allowed reports whether a post may come by what the account did with it before.
func (d *decider) allowed(key string, post platform.PostID, used used) (choice, Why) {
	c, u := d.Campaign, d.Uses.Posts[key]
	switch {
	case u.Out != nil && (u.Out.Until.IsZero() || d.t.Before(u.Out.Until)):
		return choice{}, outWhy(u.Out, d.inZone(u.Out.Seen))
	case c.UntilOlder > 0 && !u.Posted.IsZero() && d.t.Sub(u.Posted) > c.UntilOlder:
		return choice{}, Why{Code: TooOld, Span: c.UntilOlder}
	}
	if why := d.tooSoon(LaterTime(u.Last, used.Last), &u); why.Code != "" {
		return choice{}, why
	}
	renew := c.Do == Repost && u.Reposted
	switch {
	case renew && d.AccountFacts.Silent: //mutate:slots-silent
		return choice{}, Why{Code: NotSaid}
	case renew && !c.Renews:
		return choice{}, Why{Code: NoRenewal}
	}
	return choice{post, renew}, Why{}
}

// tooSoon keeps the gap.
func (d *decider) tooSoon(last time.Time, u *Use) Why {
	gap := d.Campaign.Gap
	if d.Campaign.Do == Repost && !u.Own { //mutate:slots-low-water
		gap = max(gap, atLeast)
	}
	if last.IsZero() || !d.isWithin(gap, last) { //mutate:slots-gap
		return Why{}
	}
	return Why{Code: TooSoon, Span: gap, At: d.inZone(last)}
}

// isWithin reports whether less than gap has passed since last. Whole days are counted on the wall, as people count them: from 09:30 to 09:30 of
// the next day is a day, also where clocks are put forward in between.
func (d *decider) isWithin(gap time.Duration, last time.Time) bool {
	passed := d.t.Sub(last)
	if gap > 0 && gap%(24*time.Hour) == 0 && (passed-gap).Abs() < margin*time.Second { //mutate:slots-gap-wall
		_, before := d.inZone(last).Zone()
		_, now := d.inZone(d.t).Zone()
		passed += time.Duration(now-before) * time.Second
	}
	return passed < gap
}

func outWhy(o *Out, seen time.Time) Why {
	code := map[OutWhy]Code{Gone: PostGone, Hidden: PostHidden, Undone: PostUndone}[o.Why]
	if o.By != "" {
		code = PostTakenBack
	}
	return Why{Code: code, At: seen, Name: o.By}
}

// finds looks at what a search has found.
func (d *decider) finds(item *Item) (choice, Why) {
	f, read := d.Facts.Found[item.Key]
	switch {
	case !read:
		d.need(Need{Find: item.Key, At: d.Slot.Minute})
	case f.Unread:
		d.unread()
	case f.Post == 0 || !d.Uses.Posts[PostKey(f.Post)].Last.IsZero():
		return choice{}, Why{Code: Nothing, Name: item.Name()}
	default: // a list has shown it: people approve what it says when it is read by itself, and compare that at its slot
		return d.reads(item, choice{post: f.Post}) //mutate:found-read
	}
	return choice{}, Why{}
}

// reads looks at a post as it is.
func (d *decider) reads(item *Item, what choice) (choice, Why) {
	f, read := d.Facts.Posts[what.post]
	key := item.Key
	if item.Found() {
		key = PostKey(what.post)
	}
	switch {
	case !read:
		d.need(Need{Post: what.post})
		return what, Why{}
	// It could not be read: nothing is decided by what is not known. The slot waits, and its time runs.
	case f.Unread:
		d.unread()
		return what, Why{}
	case f.Out == Gone && d.Campaign.Stop.Deleted:
		d.v.Kind, d.v.Why = Stops, Why{Code: Ended, At: d.inZone(d.Now), Name: item.Name() + " was deleted, or is hidden"}
		return what, Why{}
	case f.Out != "":
		return choice{}, d.takeOut(key, f.Out)
	}
	// Posts of two platforms have the same numbers, and say something else.
	if there := webhost.PlatformOf(f.Address); item.Platform != "" && there != "" && item.Platform != there { //mutate:reading-platform
		return choice{}, Why{Code: OtherPlatform, Name: there}
	}
	// When it was posted is learnt also of a post that is not chosen: it will not become younger.
	u := d.Uses.Posts[key]
	u.Posted, u.Own = LaterTime(u.Posted, f.Posted), f.Own
	if d.Campaign.UntilOlder > 0 && !u.Posted.IsZero() && d.t.Sub(u.Posted) > d.Campaign.UntilOlder {
		d.learn(key, u)
		return choice{}, Why{Code: TooOld, Span: d.Campaign.UntilOlder}
	}
	return d.reposted(key, u, &f, what)
}

// reposted compares what the platform shows of our repost with what we did.
func (d *decider) reposted(key string, u Use, f *PostFact, what choice) (choice, Why) {
	byHand := !u.Reposted && (f.Reposted == Yes || f.OnPage)
	switch {
	case d.Campaign.Do != Repost:
		return what, Why{}
	case u.Last.After(d.Now): // the plan assumes a publication that is still to come: nothing can be read of it yet
		return what, Why{}
	case f.Moving && (byHand || f.Reposted == No && u.Reposted): //mutate:slots-moving
		return what, d.unconcluded()
	case f.Reposted == Unknown || d.AccountFacts.Silent:
		if byHand {
			u.Reposted, u.Last = true, LaterTime(u.Last, f.countedAt(d.Now))
		}
		if d.learn(key, u); u.Reposted {
			return choice{}, Why{Code: NotSaid}
		}
		return what, Why{}
	case f.Reposted == No && u.Reposted: //mutate:slots-undone
		u.Reposted = false
		// Taken back by a program of the account and by no hand: so nobody wants it to stay out.
		if d.learn(key, u); f.Tidied.After(u.Last) { //mutate:slots-tidied
			return choice{what.post, false}, Why{}
		}
		return choice{}, d.takeOut(key, Undone)
	case byHand:
		u.Reposted, u.Last = true, LaterTime(u.Last, f.countedAt(d.Now)) //mutate:slots-by-hand
		d.learn(key, u)
		why := d.tooSoon(u.Last, &u)
		switch {
		case !d.Campaign.Renews, why.Code == "" && f.Since.IsZero() && f.Latest.IsZero():
			return choice{}, Why{Code: ByHand}
		case why.Code != "":
			why.Name = " by hand"
			return choice{}, why
		}
		return choice{what.post, true}, Why{}
	}
	if f.Since.After(u.Last) { // it was taken back and reposted by hand
		// Its gap counts from there: for the author it was a repost like any other.
		u.Last = f.countedAt(d.Now)
	}
	d.learn(key, u)
	if why := d.tooSoon(u.Last, &u); why.Code != "" && u.Reposted {
		return choice{}, why
	}
	return what, Why{}
}

// takeOut takes a post out of turn.
func (d *decider) takeOut(key string, why OutWhy) Why {
	o := Out{Why: why, Seen: d.Now}
	if why == Hidden {
		o.Until = d.Now.Add(hiddenFor)
	}
	d.v.Outs = append(d.v.Outs, lost{key, o})
	return outWhy(&o, d.inZone(o.Seen))
}

func (d *decider) learn(key string, u Use) { d.v.learnt = append(d.v.learnt, learnt{key, u}) }

func (d *decider) need(n Need) {
	d.v.Kind = Needs
	d.v.Need = append(d.v.Need, n)
}

// unread asks again soon, as long as the slot is not too late.
func (d *decider) unread() {
	d.v.Kind, d.v.Why, d.v.At = Wait, Why{Code: Unreadable}, LaterTime(d.Now, d.Slot.Minute).Add(30*time.Second)
}

// unconcluded reads again soon what the platform may not show yet, as long as the slot has time for it. Then another post may come.
func (d *decider) unconcluded() Why {
	if d.Now.Add(time.Minute).After(d.v.Until) {
		return Why{Code: Unconcluded}
	}
	d.v.Kind, d.v.Why, d.v.At = Wait, Why{Code: Unconcluded}, LaterTime(d.Now, d.Slot.Minute).Add(30*time.Second)
	return Why{}
}
