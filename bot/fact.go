package bot

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform"
)

// reader is what turns may read of the platform.
type reader struct {
	account    *account
	store      store.Store
	client     *platform.Client
	slots      actSlots
	ceiling    Ceiling
	values     *values
	publishing *atomic.Pointer[Publishing]
	me         func(ctx context.Context) (platform.UserID, error)
	facts      func(ctx context.Context, key event.Key, trigger string) ([]event.Fact, error)
}

// Fact returns what was recorded for this trigger under name, or else records what read returns. A
// turn that runs again sees the same value. The value is kept as JSON.
//
// It is stored with the turn, or with its try when that fails or waits for the platform, and holds over crashes and restarts from then on. A try that is cut
// off while it runs, by a crash or by a stop that it does not outlast, has stored nothing, and decided nothing: the next one reads anew. So read may be
// called more than once, and only reads; what has to happen once is an action. What a nudge began does not come again after a crash, and neither do its facts.
func Fact[V any](ctx context.Context, t *Turn, name string, read func(ctx context.Context) (V, error)) (V, error) {
	var v V
	if err := t.loadFacts(ctx); err != nil {
		return v, err
	}
	if f, ok := t.known[name]; ok {
		if err := json.Unmarshal(f.Value, &v); err != nil {
			return v, fmt.Errorf("decode the fact %s: %w", name, err)
		}
		return v, nil
	}
	v, err := read(ctx)
	if err != nil {
		return v, err
	}
	return v, t.recordFact(name, v)
}

// recordFact records a fact. What earlier tries recorded is loaded.
func (t *Turn) recordFact(name string, v any) error {
	value, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode the fact %s: %w", name, err)
	}
	f := event.Fact{Name: name, Value: value, ReadAt: t.Now}
	t.known[name] = f
	t.facts = append(t.facts, f)
	return nil
}

// loadFacts reads what earlier tries of the turn recorded, in this incarnation and before.
func (t *Turn) loadFacts(ctx context.Context) error {
	if t.known != nil {
		return nil
	}
	known := map[string]event.Fact{}
	if !t.fresh { // otherwise nothing can be stored yet
		answered := noteCall(ctx)
		facts, err := t.reader.facts(ctx, t.Trigger.Key, t.Trigger.ID())
		answered()
		if err != nil {
			return err
		}
		for _, f := range facts {
			known[f.Name] = f
		}
	}
	for _, f := range t.facts {
		known[f.Name] = f
	}
	t.known = known
	return nil
}

// Post reads a post, as a fact. Its Answers are what people of ours have answered below it by hand, as the account.
func (t *Turn) Post(ctx context.Context, id platform.PostID) (platform.Post, error) {
	return Fact(ctx, t, "post:"+strconv.FormatInt(int64(id), 10), func(ctx context.Context) (platform.Post, error) { return t.readPost(ctx, id) })
}

// readPost reads what Post keeps.
func (t *Turn) readPost(ctx context.Context, id platform.PostID) (platform.Post, error) {
	me, err := t.reader.me(ctx)
	if err != nil {
		return platform.Post{}, err
	}
	return read(ctx, t.reader, func(ctx context.Context, c *platform.Client) (platform.Post, error) {
		th, err := c.Thread(ctx, id)
		if err == nil {
			markOwnPosts(&th, me)
			th.Post.Answers, err = t.reader.account.repliedByHand(ctx, &th)
		}
		return th.Post, err
	})
}

// Profile reads the peer's profile, as a fact.
func (t *Turn) Profile(ctx context.Context) (platform.Profile, error) {
	if err := t.withPerson("read the peer's profile"); err != nil {
		return platform.Profile{}, err
	}
	id := t.Trigger.Key.Peer
	return Fact(ctx, t, "profile:"+strconv.FormatInt(int64(id), 10), func(ctx context.Context) (platform.Profile, error) {
		return read(ctx, t.reader, func(ctx context.Context, c *platform.Client) (platform.Profile, error) {
			return c.Profile(ctx, platform.ProfileParams{ID: id})
		})
	})
}

// read makes one reading call in one of the account's slots.
func read[V any](ctx context.Context, r *reader, call func(ctx context.Context, c *platform.Client) (V, error)) (V, error) {
	defer noteCall(ctx)()
	if err := r.slots.Acquire(ctx); err != nil {
		var zero V
		return zero, slotError{err}
	}
	defer r.slots.Release()
	return call(ctx, r.client)
}

// slotError says that a turn's time was over while it waited to ask the platform: others have the slots, and
// get no answers.
type slotError struct{ error }

func (e slotError) Error() string { return fmt.Sprintf("wait to ask the platform: %v", e.error) }

func (e slotError) Unwrap() error { return e.error }

// prefetchPost reads the text of a post that a mention or a reply is about, so that matchers can see it.
func (t *Turn) prefetchPost(ctx context.Context) error {
	e := &t.Event
	if e.Text != "" || e.Post == 0 || e.Kind != event.KindMention && e.Kind != event.KindReply {
		return nil
	}
	p, err := t.Post(ctx, e.Post)
	switch {
	case platform.Final(err):
		t.Note("the post %d cannot be read: %v", e.Post, err)
		return nil
	case err != nil:
		return fmt.Errorf("read the post of %s: %w", e.ID, err)
	}
	e.Text = p.Text
	return nil
}

// ProfileOf reads the profile of somebody by user name, with or without "@", as a fact (profile, documented). Looking at a
// profile may tell its owner. Of somebody who is not there, or not for us, platform.Final tells by the error.
func (t *Turn) ProfileOf(ctx context.Context, user string) (platform.Profile, error) {
	user = strings.TrimPrefix(user, "@")
	return Fact(ctx, t, "profile-of:"+user, func(ctx context.Context) (platform.Profile, error) {
		return read(ctx, t.reader, func(ctx context.Context, c *platform.Client) (platform.Profile, error) {
			return c.Profile(ctx, platform.ProfileParams{Username: user})
		})
	})
}

// mostFollowed is how many of those whom a person follows are looked at to find the account among them.
const mostFollowed = 500

// Follower reports whether the peer follows the account, as a fact. No call of the platform says so: it is
// looked for among the last 500 whom the peer followed. When that list cannot be read, nobody follows.
func (t *Turn) Follower(ctx context.Context) (bool, error) {
	if err := t.withPerson("look whether the peer follows"); err != nil {
		return false, err
	}
	id := t.Trigger.Key.Peer
	return Fact(ctx, t, "follower:"+strconv.FormatInt(int64(id), 10), func(ctx context.Context) (bool, error) {
		return read(ctx, t.reader, func(ctx context.Context, c *platform.Client) (bool, error) {
			seen := 0
			for p, err := range platform.All(ctx, c.Following, platform.PeopleParams{ID: id, PageSize: 50}) {
				switch {
				// Recorded as not so, and not tried again: a list that the person hides will be hidden at the next try, too.
				case platform.Final(err):
					t.Note("whom %d follows cannot be read: %v", id, err)
					return false, nil
				case err != nil:
					return false, fmt.Errorf("read whom %d follows: %w", id, err)
				case p.IsMe:
					return true, nil
				}
				// Who follows many thousands is read for so long only: a turn has to end.
				if seen++; seen >= mostFollowed {
					break
				}
			}
			return false, nil
		})
	})
}

// HasEntry reports whether a list of the account has an entry of a key, also one of an earlier turn of this
// conversation that is still on its way into the store, or of this turn.
func (t *Turn) HasEntry(ctx context.Context, list, key string) (bool, error) {
	if t.hasEntry(func(e event.Entry) bool { return e.List == list && e.Key == key }) {
		return true, nil
	}
	has, err := t.reader.store.HasEntry(ctx, t.Trigger.Key.Account, list, key)
	if err != nil {
		return false, storeError{err}
	}
	return has, nil
}

// ReplyTo answers a post with a public reply.
func (t *Turn) ReplyTo(post platform.PostID, text string, options ...Option) error {
	return t.postText(text, post, options)
}

// Conclude sets the outcome that the turn's decision record shows, in place of "handled".
func (t *Turn) Conclude(outcome string) { t.rec.Outcome = outcome }

// Outcome returns what becomes of the turn, as far as that is known: one of the Outcomes, or what a handler has concluded. It is for middleware, behind its
// handler; "" before. A paused account's turn tells what it would have been.
func (t *Turn) Outcome() string {
	if t.rec.Outcome == "" && t.route != "" {
		return OutcomeHandled
	}
	return t.rec.Outcome
}
