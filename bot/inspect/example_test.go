package inspect_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest/stored"
	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// What a bot keeps can be looked at while it runs, and when it does not.
func ExampleOpen() {
	ctx := context.Background()
	path, done := somethingAnswered(ctx)
	defer done()

	i, err := inspect.Open(ctx, path, "")
	if err != nil {
		log.Print(err)
		return
	}
	defer func() { _ = i.Close() }() // it was only read
	events, err := i.Events(ctx, record.EventQuery{Account: "shop", Limit: 10})
	if err != nil {
		log.Print(err)
		return
	}
	for _, e := range events {
		fmt.Printf("@%s wrote %q: %s by the rule %s\n", e.User, e.Text, e.Record.Outcome, e.Record.Rule)
	}

	// Output:
	// @ana wrote "are you open?": handled by the rule hours
}

// A list is read page by page: a page says where the next one begins, also to whoever asks for it tomorrow, by a link.
func ExampleEvents() {
	ctx := context.Background()
	i, done := threeWait(ctx)
	defer done()

	q := record.EventQuery{Account: "shop", Limit: 2}
	for after := inspect.Cursor(""); ; {
		page, err := inspect.Events(ctx, i, q, after)
		if err != nil {
			log.Print(err)
			return
		}
		for _, e := range page.Rows {
			fmt.Printf("%s: @%s wrote %q\n", e.ID, e.User, e.Text)
		}
		if after = page.Next; after == "" {
			return
		}
		fmt.Println("turn the page")
	}

	// Output:
	// message:3: @ana wrote "hello?"
	// message:2: @berk wrote "thank you"
	// turn the page
	// message:1: @ana wrote "are you open?"
}

// Who wrote last, and what waits for its turn: each person stands in the list once, however often she wrote, and lists of several accounts are
// turned together.
func ExampleConversations() {
	ctx := context.Background()
	i, done := threeWait(ctx)
	defer done()

	people, err := inspect.Conversations(ctx, i, record.ConversationQuery{Limit: 1}, "", "cafe", "shop")
	if err != nil {
		log.Print(err)
		return
	}
	others, err := inspect.Conversations(ctx, i, record.ConversationQuery{Limit: 1}, people.Next, "cafe", "shop")
	if err != nil {
		log.Print(err)
		return
	}
	for _, c := range append(people.Rows, others.Rows...) {
		fmt.Printf("@%s of %s, number %d\n", c.User, c.Key.Account, c.Key.Peer)
	}
	waits, err := inspect.Occasions(ctx, i, record.EventQuery{State: record.EventPending}, "", "cafe", "shop")
	if err != nil {
		log.Print(err)
		return
	}
	for _, o := range waits.Rows {
		if o.Timer != nil {
			fmt.Println("a timer is due:", o.Timer.Name)
			continue
		}
		fmt.Printf("%s waits: %q\n", o.Event.ID, o.Event.Text)
	}

	// Output:
	// @ana of shop, number 12
	// @berk of shop, number 31
	// message:3 waits: "hello?"
	// message:2 waits: "thank you"
	// message:1 waits: "are you open?"
}

// What people were called for can be sifted: here what nobody has been told yet.
func ExampleNotices() {
	ctx := context.Background()
	i, done := threeWait(ctx)
	defer done()

	page, err := inspect.Notices(ctx, i, record.NoticeQuery{Limit: 10}, func(n *event.Notice) bool { return n.SentAt.IsZero() }, "")
	if err != nil {
		log.Print(err)
		return
	}
	for _, n := range page.Rows {
		fmt.Println(n.Who, "is called:", n.Text)
	}

	// Output:
	// sales is called: @ana wants an offer
}

// A page for the morning: who waits for a person of ours, and what may be done about it.
func ExampleWhoWaits() {
	ctx := context.Background()
	i, done := offerHeld(ctx)
	defer done()

	waits, counts, err := inspect.WhoWaits(ctx, i, 20, "cafe", "shop")
	if err != nil {
		log.Print(err)
		return
	}
	for _, w := range waits {
		if w.Action == nil {
			continue // somebody whose last words nobody has dealt with, or an event that failed too often
		}
		p, _, err := i.Approval(ctx, w.Key.Account, w.Action.Key)
		if err != nil {
			log.Print(err)
			return
		}
		hold := inspect.HoldOf(w.Action, &p, time.Time{}, time.Now())
		fmt.Printf("number %d of %s waits for %q: held for %s, too late: %t\n", w.Key.Peer, w.Key.Account, w.Action.Text, hold.For, hold.Over)
	}
	s, err := inspect.StandingOf(ctx, i, "shop")
	if err != nil {
		log.Print(err)
		return
	}
	fmt.Println("the account is", s.State, "and has", counts["shop"])

	// Output:
	// number 12 of shop waits for "We open at nine.": held for approval, too late: false
	// the account is working and has 1
}

// Somebody wants to speak with a person herself: the bot is to be silent there for two hours.
func ExampleDecide() {
	ctx := context.Background()
	i, done := threeWait(ctx)
	defer done()

	ana, err := inspect.Find(ctx, i, "@ana")
	if err != nil {
		log.Print(err) // nobody is called so, or several are: a *inspect.PersonError has those
		return
	}
	wish := event.Request{Key: ana, Wish: event.WishTakeOver, Owner: "ines", Until: time.Now().Add(2 * time.Hour)}
	asked, running, err := inspect.Decide(ctx, i, "ines", wish)
	if err != nil {
		log.Print(err)
		return
	}
	until := time.Now()
	if running {
		until = until.Add(5 * time.Second)
	}
	answer, ok, err := inspect.Await(ctx, i, asked[0], until)
	if err != nil {
		log.Print(err)
		return
	}
	fmt.Println("number", ana.Peer, "of", ana.Account, "- a bot runs:", running, "- it is done:", ok, answer.Note)

	// Output:
	// number 12 of shop - a bot runs: false - it is done: false
}

// threeWait makes a database in which three messages wait for their turns.
func threeWait(ctx context.Context) (i inspect.Inspector, done func()) {
	dir, err := os.MkdirTemp("", "nectar")
	if err != nil {
		log.Fatal(err)
	}
	path := filepath.Join(dir, "nectar.db")
	st, err := bot.OpenStore(ctx, bot.StoreOptions{Path: path, Fast: true})
	if err != nil {
		log.Fatal(err)
	}
	var all []event.Event
	for n, said := range []struct {
		peer       platform.UserID
		user, text string
	}{{12, "ana", "are you open?"}, {31, "berk", "thank you"}, {12, "ana", "hello?"}} {
		all = append(all, event.Event{
			Account: "shop", ID: event.ID{Source: event.Messages, Number: int64(n + 1)}, Kind: event.KindMessage, Peer: said.peer, User: said.user,
			Text: said.text, SeenAt: time.Now(),
		})
	}
	stored.Commit(st, stored.Write{Pending: all})
	called := event.Notice{Account: "shop", ID: "request/1", Who: "sales", Kind: "handoff", Peer: 12, Text: "@ana wants an offer", At: time.Now()}
	stored.Commit(st, stored.Write{Turn: &stored.Turn{
		Trigger: event.Trigger{Kind: event.ByRequest, Key: event.Key{Account: "shop", Peer: 12}, Choice: "request/1"},
		Notices: []event.Notice{called}, At: time.Now(),
	}})
	st.QueueCursors(record.Cursor{Account: "shop", Source: event.Messages, ID: 3, PolledAt: time.Now()}) // the account was polled
	if err := errors.Join(st.MarkNow(ctx), st.Close()); err != nil {
		log.Fatal(err)
	}
	if i, err = inspect.Open(ctx, path, ""); err != nil {
		log.Fatal(err)
	}
	return i, func() { _, _ = i.Close(), os.RemoveAll(dir) }
}

// somethingAnswered makes a database in which an account has answered a message, as a bot leaves it.
func somethingAnswered(ctx context.Context) (path string, done func()) {
	dir, err := os.MkdirTemp("", "nectar")
	if err != nil {
		log.Fatal(err)
	}
	path = filepath.Join(dir, "nectar.db")
	st, err := bot.OpenStore(ctx, bot.StoreOptions{Path: path, Fast: true})
	if err != nil {
		log.Fatal(err)
	}
	now := time.Now()
	e := event.Event{
		Account: "shop", ID: event.ID{Source: event.Messages, Number: 7}, Kind: event.KindMessage, Peer: 12, User: "ana",
		Text: "are you open?", SeenAt: now,
	}
	stored.Commit(st, stored.Write{Turn: &stored.Turn{
		Conversation: &conversation.State{Key: e.Key(), Version: 1, User: e.User},
		Trigger:      event.Trigger{Kind: event.ByEvent, Key: e.Key(), Event: e},
		Record:       event.DecisionRecord{Outcome: bot.OutcomeHandled, Rule: "hours"},
		At:           now,
	}})
	if err := st.Close(); err != nil { // it stores what is queued
		log.Fatal(err)
	}
	return path, func() { _ = os.RemoveAll(dir) }
}

// offerHeld makes a database in which an answer waits for an approval.
func offerHeld(ctx context.Context) (i inspect.Inspector, done func()) {
	path, gone := somethingAnswered(ctx)
	st, err := bot.OpenStore(ctx, bot.StoreOptions{Path: path, Fast: true})
	if err != nil {
		log.Fatal(err)
	}
	e := event.Event{Account: "shop", ID: event.ID{Source: event.Messages, Number: 8}, Kind: event.KindMessage, Peer: 12, Text: "when?", SeenAt: time.Now()}
	answer := event.Action{
		Account: "shop", Peer: 12, Key: "message:8/hours/0", Verb: event.VerbMessage, User: 12, Text: "We open at nine.", State: event.StateHeld,
		Reason: event.NeedsApproval, DecidedAt: time.Now(),
	}
	stored.Commit(st, stored.Write{Turn: &stored.Turn{
		Trigger: event.Trigger{Kind: event.ByEvent, Key: e.Key(), Event: e}, At: time.Now(),
		Actions: []record.Action{{Action: answer, Approval: &event.Approval{Group: answer.Key, Expires: time.Now().Add(time.Hour)}}},
	}})
	if err := st.Close(); err != nil {
		log.Fatal(err)
	}
	if i, err = inspect.Open(ctx, path, ""); err != nil {
		log.Fatal(err)
	}
	return i, func() { _ = i.Close(); gone() }
}
