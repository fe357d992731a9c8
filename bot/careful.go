package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/leap"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// After a copy of its database was put back, a bot has forgotten what it did since: it would answer again, and take its own words for those
// of a person of ours. So the first term of each account on such a database is careful. Own messages that its ledger does not know are the
// bot's where the copy was about to say them, or a rule says so, and otherwise the owner's, from when they were said. What the account has
// said last in a conversation is noted: what was written before that is heard, and not answered, and what the copy wants to say there is
// withdrawn. The same sight holds when a platform numbers its messages anew.

// CarefulStart is what is known of an account whose memory is older than what was done with it.
type CarefulStart struct {
	// Mark is when it was found, or said, that the database has gone back; what was done about that is done once for each.
	Mark time.Time          `json:"mark"`
	Sign record.CarefulSign `json:"sign"`
	// From is the time of the newest that the copy holds; Began is when the account began with it.
	From  time.Time `json:"from"`
	Began time.Time `json:"began"`
	// Post is the highest id of a post that the copy knows of.
	Post int64 `json:"post,omitempty"`
	// Told tells that people were told, and that Ours and Hers are counted: the conversations in which only the bot has spoken since, and
	// those in which a person of ours has.
	Told bool `json:"told,omitempty"`
	Ours int  `json:"ours"`
	Hers int  `json:"hers"`
}

const (
	carefulFact = "careful" // the name under which a CarefulStart is known of its account

	// carefulFor is how long what was said since the copy keeps the copy's wishes back: all that it wanted to do has had its turn by then.
	carefulFor = 48 * time.Hour
	// carefulPatience is for how long people are not told of a copy, while conversations are still read.
	carefulPatience = 10 * time.Minute
)

// CarefulStartOf returns how an account began when a copy of its database was put back last; the zero value where none was. The error is that
// of the store.
func CarefulStartOf(ctx context.Context, known Knower, account event.Account) (CarefulStart, error) {
	var c CarefulStart
	f, ok, err := known.Known(ctx, account, carefulFact)
	if err == nil && ok {
		err = json.Unmarshal(f.Value, &c)
	}
	if err != nil {
		return c, fmt.Errorf("read whether a copy of %s was put back: %w", account, err)
	}
	return c, nil
}

// careful is what an account heeds since a copy was put back, or its platform has numbered its messages anew.
type careful struct {
	on   atomic.Bool // there is something to heed
	read atomic.Bool // every conversation was read once since: what is said from now on is known, or somebody else's

	mu     sync.Mutex // guards the fields below
	mark   time.Time  // of what the database told when the term began, or of what the account has outlived since
	start  CarefulStart
	spoken map[platform.UserID]spokenSince
	odd    map[platform.UserID]struct{} // conversations with words of a rule's that nobody knows, where no copy is known of
	hinted bool                         // people were told of these
}

// spokenSince is what the account has said in a conversation since the copy.
type spokenSince struct {
	Last platform.MessageID `json:"last"`           // the last message
	Hers bool               `json:"hers,omitempty"` // a person of ours wrote one of them
}

// restoreCareful finds out whether a copy was put back, and takes up what is known of that.
func (a *account) restoreCareful(ctx context.Context) error {
	c, err := CarefulStartOf(ctx, a.bot.store, a.name)
	if err != nil {
		return err
	}
	back, is := a.bot.store.LastRestored()
	a.careful.notes(back.At)
	if is && back.Sign != record.CarefulNothing && !back.At.Equal(c.Mark) { //mutate:careful-mark
		if c, err = a.beginCareful(ctx, back); err != nil {
			return err
		}
	}
	if c.Began.IsZero() || time.Since(c.Began) >= carefulFor {
		return nil
	}
	facts, err := a.bot.store.Facts(ctx, a.name, spokenAs(&c))
	if err != nil {
		return err
	}
	k := &a.careful
	k.mu.Lock()
	defer k.mu.Unlock()
	k.start, k.spoken = c, map[platform.UserID]spokenSince{}
	for _, f := range facts {
		var s spokenSince
		peer, err := strconv.ParseInt(f.Name, 10, 64)
		if err = errors.Join(err, json.Unmarshal(f.Value, &s)); err != nil {
			return fmt.Errorf("read what %s has said since a copy was put back: %w", a.name, err)
		}
		k.spoken[platform.UserID(peer)] = s
	}
	if c.Sign != record.CarefulRenumbered {
		a.outbox.CountCopied(outbox.Copied{At: c.Began, Post: c.Post}) //mutate:careful-published
	}
	k.on.Store(true) //mutate:careful-on
	return nil
}

// notes notes what the account has begun with.
func (c *careful) notes(mark time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mark = mark
}

// noteTakeoverSurvived notes that the account goes on where another server has taken over in the middle of its term. Nothing of it was lost, or its store would have
// ended: so its next term has no reason for care.
func (a *account) noteTakeoverSurvived(ctx context.Context) {
	back, is := a.bot.store.LastRestored()
	k := &a.careful
	k.mu.Lock()
	same := back.At.Equal(k.mark)
	k.mu.Unlock()
	if !is || same {
		return
	}
	c, err := CarefulStartOf(ctx, a.bot.store, a.name)
	if err != nil {
		return // the next look tries again
	}
	c.Mark = back.At
	if a.knowCareful(ctx, &c) != nil { //mutate:careful-outlived
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.mark, k.start.Mark = back.At, back.At
}

// beginCareful begins with a copy: what it was about to do counts as in doubt, and then it is known that it does. What it returns is zero for
// an account of which the copy knows nothing.
func (a *account) beginCareful(ctx context.Context, back record.Restored) (CarefulStart, error) {
	c := CarefulStart{Mark: back.At, Sign: back.Sign, Began: time.Now().Round(0)}
	message, err := a.lastMessage(ctx, &c)
	if err != nil {
		return c, err
	}
	if c.From.IsZero() { // it was never polled
		return CarefulStart{}, nil
	}
	if c.Post, err = a.bot.store.LastResult(ctx, a.name, event.VerbPost); err != nil {
		return c, err
	}
	rows, err := a.bot.store.Cursors(ctx, a.name, event.Snapshots, []platform.UserID{0})
	if err != nil {
		return c, err
	}
	if err := a.outbox.PutInDoubt(ctx, outbox.Copied{At: c.Began, Message: message, Post: c.Post, Rows: len(rows) > 0}); err != nil {
		return c, err
	}
	return c, a.knowCareful(ctx, &c)
}

// knowCareful stores how an account began.
func (a *account) knowCareful(ctx context.Context, c *CarefulStart) error {
	if err := a.bot.store.StoreFact(ctx, a.name, "", c.toFact()); err != nil {
		return fmt.Errorf("store that a copy was put back: %w", err)
	}
	return nil
}

// toFact returns it as it is stored.
func (c *CarefulStart) toFact() event.Fact {
	value, err := json.Marshal(c)
	if err != nil {
		panic(err) // times and numbers always encode
	}
	at := c.Began
	if at.IsZero() {
		at = c.Mark
	}
	return event.Fact{Name: carefulFact, Value: value, ReadAt: at}
}

// lastMessage returns the highest id of a message that the copy knows of, and notes the time of the newest that it holds.
func (a *account) lastMessage(ctx context.Context, c *CarefulStart) (int64, error) {
	var ids []int64
	for _, source := range [...]event.Source{event.Messages, event.Notifs, event.Mentions, event.Snapshots} {
		newest, err := a.bot.store.Newest(ctx, a.name, source, restored)
		if err != nil {
			return 0, err
		}
		cursors, err := a.bot.store.Cursors(ctx, a.name, source, []platform.UserID{0})
		if err != nil {
			return 0, err
		}
		for i := range newest {
			c.noteTime(newest[i].SeenAt)
			if source == event.Messages {
				ids = append(ids, newest[i].ID.Number)
			}
		}
		for i := range cursors {
			c.noteTime(cursors[i].PolledAt)
			if source == event.Messages {
				ids = append(ids, cursors[i].ID)
			}
		}
	}
	sent, err := a.bot.store.LastResult(ctx, a.name, event.VerbMessage)
	return leap.HighestBelievable(append(ids, sent)), err
}

// noteTime notes the time of something that the copy holds.
func (c *CarefulStart) noteTime(t time.Time) {
	if t = t.Round(0); t.After(c.From) && t.Before(c.Began) {
		c.From = t
	}
}

// spokenAs is what stands in the place of a trigger where it is kept what was said since a copy.
func spokenAs(c *CarefulStart) string {
	return carefulFact + "/" + strconv.FormatInt(c.Began.UnixMicro(), 10)
}

// mayPrecedeCarefulStart reports whether an own message of a conversation that is read now may be from before the careful start.
func (a *account) mayPrecedeCarefulStart(peer platform.UserID) bool {
	k := &a.careful
	return k.on.Load() && !k.read.Load() && a.poller != nil && !a.poller.HasHeard(peer)
}

// mindsSpeaker reports whether it matters to the account who has spoken.
func (a *account) mindsSpeaker() bool { return a.bot.cfg.TakeoverFor >= 0 || a.careful.on.Load() }

// lastSpoken returns the last message of the account in a conversation since the copy; 0 for none.
func (c *careful) lastSpoken(peer platform.UserID) platform.MessageID {
	if !c.on.Load() {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.spoken[peer].Last
}

// startedAt returns when the careful start was; zero where there was none, or where only the platform has numbered its messages anew.
func (c *careful) startedAt() time.Time {
	if !c.on.Load() {
		return time.Time{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.start.Sign == record.CarefulRenumbered {
		return time.Time{}
	}
	return c.start.Began
}

// watchCareful tells people of a copy that was put back, once it is known whose the conversations are.
func (a *account) watchCareful(now time.Time) {
	a.noteTakeoverSurvived(a.term)
	k := &a.careful
	if !k.on.Load() {
		return
	}
	if a.poller.ReadAll() && !k.read.Load() && a.doubts.IsEmpty() {
		k.read.Store(true)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	c := &k.start
	if c.Told || !k.read.Load() && now.Sub(c.Began) < carefulPatience {
		return
	}
	c.Told, c.Ours, c.Hers = true, 0, 0
	for _, s := range k.spoken {
		if s.Hers {
			c.Hers++
		} else {
			c.Ours++
		}
	}
	why := event.WhyCopy
	text, do := c.Says(), "nectar conversations --taken-over; nectar conversations give-back --all returns those that were taken over by this"
	about := []any{"account", a.name, "sign", string(c.Sign), "copy", c.From, "bot", c.Ours, "person", c.Hers, "do", do}
	switch c.Sign {
	case record.CarefulRenumbered:
		why = event.WhyRenumbered
		a.bot.log.WarnContext(a.term, "the platform has numbered its messages anew", about...)
	case record.CarefulFailover:
		a.bot.log.WarnContext(a.term, "another server has taken over the database, and may lack its last commits", about...)
	default:
		a.bot.log.WarnContext(a.term, "a copy of the database was put back", about...)
	}
	a.tellCareful(fmt.Sprintf("begin/%d", c.Began.UnixMicro()), event.Details{Why: event.Because(why, "by", string(c.Sign)), Since: c.From, Do: "nectar conversations --taken-over"}, text, do, now, []event.Fact{c.toFact()})
}

// Says says in a sentence what was found.
func (c *CarefulStart) Says() string {
	whose := fmt.Sprintf("%s in which only the bot has spoken since, and %s in which a person of ours has", conversationsIn(c.Ours), conversationsIn(c.Hers))
	switch c.Sign {
	case record.CarefulRenumbered:
		return "the platform has numbered its messages anew: " + whose
	case record.CarefulFailover:
		return fmt.Sprintf("another server has taken over the database, for which no commit had waited, and may lack what was done after %s: %s", c.From.UTC().Format(time.DateTime), whose)
	default:
	}
	why := map[record.CarefulSign]string{
		record.CarefulSaid: "somebody has said so", record.CarefulCopy: "the file beside the database knows of a later start",
	}[c.Sign]
	return fmt.Sprintf("the database is a copy of %s (%s): %s", c.From.UTC().Format(time.DateTime), why, whose)
}

func conversationsIn(n int) string {
	if n == 1 {
		return "1 conversation"
	}
	return fmt.Sprintf("%d conversations", n)
}

// tellCareful stores a turn about the account that tells people of ours something.
func (a *account) tellCareful(name string, details event.Details, text, do string, now time.Time, known []event.Fact) {
	trigger := event.Trigger{Kind: event.ByRequest, Key: event.Key{Account: a.name}, Choice: carefulFact + "/" + name}
	host, _ := os.Hostname() // it only helps to find the bot
	a.save(&store.Turn{
		Trigger: trigger, Known: known, Record: event.DecisionRecord{Outcome: OutcomeHandled, Note: text}, At: now,
		Notices: []event.Notice{{
			Account: a.name, ID: trigger.ID() + "/0", Who: event.Everybody, At: now, Kind: event.CallRestored, Details: details.Encode(),
			Text: fmt.Sprintf("From the bot on %s, account %s: %s. Please look: %s.", host, a.name, text, do),
		}},
	})
}

// countUnmarked counts conversations with words of a rule's that the ledger does not know, found as the bot starts: where nothing tells that a copy
// was put back, many of them do.
func (a *account) countUnmarked(peer platform.UserID, text string) {
	k := &a.careful
	if k.on.Load() || k.read.Load() {
		return
	}
	if a.poller == nil || a.poller.ReadAll() {
		k.read.Store(true)
		return
	}
	if a.poller.HasHeard(peer) || !a.bot.router.isRouteText(a.name, text) {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.odd == nil {
		k.odd = map[platform.UserID]struct{}{}
	}
	k.odd[peer] = struct{}{}
	if len(k.odd) < manyUnmarked || k.hinted { //mutate:unmarked
		return
	}
	k.hinted = true
	const looks = "in five or more conversations stand words that a rule says and that the bot does not know: it looks as if an older copy of the database was put back. " +
		"They are taken for a person's"
	do := "nectar restored, with the bot stopped, if that is so; end the other bot if there is one"
	a.bot.log.WarnContext(a.term, looks, "account", a.name, "do", do)
	a.tellCareful(fmt.Sprintf("unmarked/%d", time.Now().UnixMicro()), event.Details{Why: event.Because(event.WhyLooksCopied), Do: "nectar restored"}, looks, do, time.Now(), nil)
}

// manyUnmarked is in how many conversations that has to be so.
const manyUnmarked = 5
