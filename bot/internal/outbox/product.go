package outbox

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/blank"
	"github.com/nectar-bot/nectar/platform"
)

// product is a message or a post that the platform shows as our own.
type product struct {
	id   int64
	text string
}

const reconcilePage = 100

// readProducts reads what the items in doubt may have produced, in the order of ids: own messages or posts
// above the id that was known before they left, without those that other actions are known to have
// produced.
func (a *Account) readProducts(ctx context.Context, inDoubtItems []*delivery) ([]product, error) {
	from := inDoubtItems[0].ReconcileFrom
	for _, d := range inDoubtItems {
		from = min(from, d.ReconcileFrom)
	}
	from = max(from, unknown) // below 0 is a row, from when messages could not be read
	own, err := a.own(ctx, inDoubtItems[0], max(from, unknown))
	if err != nil || len(own) == 0 {
		return nil, err
	}
	// Results are stored lazily: make sure that all of them are known.
	// One that is not stored yet would be taken for what is in doubt, which is then lost.
	if err := a.dispatcher.cfg.Ledger.MarkNow(ctx); err != nil {
		return nil, notAsked{fmt.Errorf("store results before reconciling: %w", err)}
	}
	ids := make([]int64, len(own))
	for i, p := range own {
		ids[i] = p.id
	}
	known, err := a.dispatcher.cfg.Ledger.Results(ctx, a.cfg.Account, inDoubtItems[0].Verb, ids)
	if err != nil {
		return nil, notAsked{fmt.Errorf("read known results: %w", err)}
	}
	own = slices.DeleteFunc(own, func(p product) bool { return known[p.id] }) //mutate:known-results
	slices.SortFunc(own, func(x, y product) int { return cmp.Compare(x.id, y.id) })
	return own, nil
}

// own reads what is the account's own, above from: messages of the conversation, replies to the post,
// or posts of the account's page.
func (a *Account) own(ctx context.Context, d *delivery, from int64) ([]product, error) {
	switch {
	case d.Verb == event.VerbMessage:
		return a.ownMessages(ctx, d.Peer, from)
	case d.Post != 0:
		return a.ownReplies(ctx, d.Post, from)
	default:
		return a.ownPosts(ctx, from)
	}
}

func (a *Account) ownMessages(ctx context.Context, peer platform.UserID, from int64) ([]product, error) {
	var own []product
	params := platform.MessagesParams{Peer: peer, After: platform.MessageID(from), PageSize: reconcilePage}
	for m, err := range a.cfg.Platform.AllMessages(ctx, params) {
		if err != nil {
			return nil, fmt.Errorf("read back the messages with user %d: %w", peer, err)
		}
		if m.Own {
			own = append(own, product{int64(m.ID), m.Text})
		}
	}
	return own, nil
}

func (a *Account) ownReplies(ctx context.Context, thread platform.PostID, from int64) ([]product, error) {
	me, err := a.ownID(ctx)
	if err != nil {
		return nil, err
	}
	var own []product
	params := platform.ThreadRepliesParams{Thread: thread, PageSize: reconcilePage}
	for p, err := range a.cfg.Platform.AllThreadReplies(ctx, params) {
		if err != nil {
			return nil, fmt.Errorf("read back the replies to post %d: %w", thread, err)
		}
		if isOwnPost(&p, me) && int64(p.ID) > from {
			own = append(own, product{int64(p.ID), p.Text})
		}
	}
	return own, nil
}

// ownPosts reads the account's page, the newest first, until it comes to posts that are too old: two
// of them, since the first may be pinned.
func (a *Account) ownPosts(ctx context.Context, from int64) ([]product, error) {
	me, err := a.ownID(ctx)
	if err != nil {
		return nil, err
	}
	var own []product
	old := 0
	params := platform.ProfilePostsParams{ID: me, PageSize: reconcilePage}
	for p, err := range a.cfg.Platform.AllProfilePosts(ctx, params) {
		if err != nil {
			return nil, fmt.Errorf("read back the account's posts: %w", err)
		}
		if !isOwnPost(&p, me) || p.Thread != 0 {
			continue
		}
		if int64(p.ID) > from {
			own = append(own, product{int64(p.ID), p.Text})
		} else if old++; old == 2 {
			break
		}
	}
	return own, nil
}

// ownID returns the account's own id.
func (a *Account) ownID(ctx context.Context) (platform.UserID, error) {
	me, err := a.cfg.Me(ctx)
	if err != nil {
		return 0, &platform.SessionError{Endpoint: "profile_posts", Err: err}
	}
	return me, nil
}

// isOwnPost reports whether the account wrote a post.
func isOwnPost(p *platform.Post, me platform.UserID) bool {
	return !p.IsRepost && (p.IsOwner || p.UserID == me || p.Owner.ID == me)
}

// manyUnnamed is among how many messages of a conversation, or replies to a post, one that the platform shows is looked for: those that left first.
const manyUnnamed = 64

// AttributeMessage reports whether a message of the account that nobody knows is what a message of the bot has made whose answer did not name it.
// It is that one's result from then on, so that each explains one. Where the platform names what is sent, nothing is asked.
func (a *Account) AttributeMessage(ctx context.Context, peer platform.UserID, id platform.MessageID, text string) (bool, error) {
	return a.attribute(ctx, orderingKey{event.VerbMessage, int64(peer)}, int64(id), text)
}

// AttributeReply is AttributeMessage for a reply to a post.
func (a *Account) AttributeReply(ctx context.Context, post, id platform.PostID, text string) (bool, error) {
	return a.attribute(ctx, orderingKey{event.VerbPost, int64(post)}, int64(id), text)
}

func (a *Account) attribute(ctx context.Context, k orderingKey, id int64, text string) (bool, error) {
	if !a.nameless.Load() {
		return false, nil
	}
	// Ends are stored lazily: one that is not stored yet would leave its message to a person.
	if err := a.dispatcher.cfg.Ledger.MarkNow(ctx); err != nil {
		return false, fmt.Errorf("store ends before looking whose %d is: %w", id, err)
	}
	unnamed, err := a.dispatcher.cfg.Ledger.UnnamedActions(ctx, a.cfg.Account, k.verb, k.id, manyUnnamed)
	if err != nil {
		return false, err
	}
	i := slices.IndexFunc(unnamed, func(action event.Action) bool {
		return action.ReconcileFrom < id && a.mayShow(action.Text, text) //mutate:unnamed-text
	})
	if i < 0 {
		// Somebody else may have named it since it was found to be unknown: the same message is read by the poller and by the dispatcher.
		known, err := a.dispatcher.cfg.Ledger.Results(ctx, a.cfg.Account, k.verb, []int64{id})
		return known[id], err //mutate:unnamed-meanwhile
	}
	m := MarkOf(&unnamed[i])
	m.Result = id //mutate:unnamed-once
	if err := a.dispatcher.cfg.Ledger.MarkNow(ctx, m); err != nil {
		return false, fmt.Errorf("store that %d is what %s has made: %w", id, m.Key, err)
	}
	return true, nil
}

// mayShow reports whether the platform may show a text of the account as another one.
func (a *Account) mayShow(text, shown string) bool {
	return sameText(text, shown) || a.rewrites.Load() || isAlike(text, shown)
}

// manyHeld is how many held messages and posts a new incarnation takes up, the last ones.
const manyHeld = 4096

// held is a message or post that was held, and may have made something that nobody knows the id of. It stays,
// also when a person decides about it: what it made stays, too.
type held struct {
	text string
	from int64 // what it made has a higher id
	upto int64 // and no higher one than this; 0: that is not known yet
}

// keepHeldLocked remembers a held action that nobody knows the fate of. Its Result, if it has one, is a guess.
func (a *Account) keepHeldLocked(action *event.Action) {
	if !action.Verb.Makes() || action.State != event.StateHeld || action.ReconcileFrom == 0 { //mutate:keep-held
		return
	}
	if a.held == nil {
		a.held = map[orderingKey][]held{}
	}
	k := keyOf(action)
	a.held[k] = append(a.held[k], held{text: action.Text, from: action.ReconcileFrom})
}

// boundHeldLocked notes that what the held ones of a queue made has no higher id than upto.
func (a *Account) boundHeldLocked(k orderingKey, upto int64) {
	for i := range a.held[k] {
		if h := &a.held[k][i]; h.upto == 0 {
			h.upto = upto
		}
	}
}

// IsHeld reports whether a message of the account to the peer may be what a held action produced.
func (a *Account) IsHeld(peer platform.UserID, id platform.MessageID, text string) bool {
	return a.mayBeHeld(orderingKey{event.VerbMessage, int64(peer)}, int64(id), text)
}

// HeldBelow reports whether a reply of the account to a post may be what a held action produced.
func (a *Account) HeldBelow(post, id platform.PostID, text string) bool {
	return a.mayBeHeld(orderingKey{event.VerbPost, int64(post)}, int64(id), text)
}

func (a *Account) mayBeHeld(k orderingKey, id int64, text string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.ContainsFunc(a.held[k], func(h held) bool {
		return h.from < id && (h.upto == 0 || id <= h.upto) && a.mayShow(h.text, text) //mutate:held-upto
	})
}

// markup is what some deployments put around links, hashtags and names, and instead of ends of lines.
var markup = regexp.MustCompile(`</?[a-zA-Z][^<>]*>`)

// sameText reports whether the platform may show sent as shown: it trims texts, may fold white space,
// may escape markup, once or twice, or add some, and keeps no broken characters.
func sameText(sent, shown string) bool {
	if sent == shown {
		return true
	}
	sent, shown = fold(sent), fold(shown) //mutate:fold
	return sent == shown || (strings.IndexByte(sent, '<') >= 0 || strings.IndexByte(shown, '<') >= 0) && bare(sent) == bare(shown)
}

// SameText reports whether the platform may show a text that was sent as shown.
func SameText(sent, shown string) bool { return sameText(sent, shown) }

// isAlike reports whether shown may be what became of sent: half of the words of the shorter one are in the
// other.
func isAlike(sent, shown string) bool {
	a, b := words(sent), words(shown)
	if len(a) > len(b) {
		a, b = b, a
	}
	common := 0
	for _, w := range a {
		if slices.Contains(b, w) {
			common++
		}
	}
	return common > 0 && 2*common >= len(a)
}

func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(markup.ReplaceAllString(fold(text), " ")), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// bare returns text without markup and without spaces, which it may stand for.
func bare(text string) string {
	return strings.ReplaceAll(markup.ReplaceAllString(text, ""), " ", "")
}

func fold(text string) string {
	if strings.IndexByte(text, '&') >= 0 {
		text = html.UnescapeString(html.UnescapeString(text))
	}
	return blank.FoldSpace(text)
}
