package bot

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/budget"
	"github.com/nectar-bot/nectar/bot/internal/leap"
	"github.com/nectar-bot/nectar/bot/internal/lifecycle"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/bot/internal/quiet"
	"github.com/nectar-bot/nectar/bot/internal/rival"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/session"
)

// account is an account for one term: from when it is taken up until it is given up.
type account struct {
	// Set by newAccount; what has parts that change locks them itself.
	name       event.Account
	cfg        *Account // as configured; what it leaves open, Bot.cfg says
	home       string   // its platform, in one spelling
	bot        *Bot
	broker     *session.Broker
	site       *site
	client     *platform.Client // with the account's session
	slots      *slots
	polls      *budget.Polls // nil: the host has no budget
	reader     reader
	outbox     *outbox.Account
	ingest     ingest
	doubts     quiet.Doubts[*track] // own messages that nobody knows
	delivered  delivered
	deliveries deliveries
	quiet      *quiet.Conversations
	due        *quiet.Timers // that wait until their conversation was heard
	careful    careful
	rivals     *rival.Watch
	pauses     pauses
	wishes     wishes
	forgetful  forgetful
	values     values
	warnings   warnings
	publishing atomic.Pointer[Publishing] // nil: there is no limit
	enrolled   atomic.Bool                // it is known who the account is; see skipOurselves
	begun      begun
	asksClock  atomic.Bool      // turns ask by how much the clock is off
	places     chan struct{}    // see takePlaces; it is full while somebody takes places
	turn       chan struct{}    // full while the term begins, or is given up: who has put something in has the turn
	atWork     atomic.Bool      // the term has begun
	leaving    atomic.Bool      // somebody gives it up
	workers    *lifecycle.Group // goroutines of lanes, and others that must not be at work when it ends

	// Set by who has the turn, while the term begins; nobody works on the account before atWork.
	term   context.Context //nolint:containedctx // of the term: what is decided and carried in it goes on until the end
	die    context.CancelFunc
	poller *poll.Poller
	tried  map[string]*atomic.Int32 // by id: triggers of which an earlier incarnation has stored that they were tried, and how often the process died of them
	// solos are those of them that have run alone, where workers share a database.
	solos map[string]store.Suspect

	lanes    lanes
	timers   ringing
	requests requests
	nudged   atomic.Int64 // the last number of a nudge

	pollRequested atomic.Int64 // when the account was last to be polled since somebody waits to hear of it, in Unix nanoseconds
}

// takePlaces lets a turn alone take places for what it decided, and hand them to the store, and returns what ends
// that. Rows that conversations share, as posts are, must be stored in the order of their places: in that
// order they leave, and are told apart when they are read back. Messages are in no such row.
func (a *account) takePlaces(out *computedTurn) (done func()) {
	//mutate:post-places
	if !slices.ContainsFunc(out.plain, func(x event.Action) bool { return x.Verb != event.VerbMessage }) {
		return func() {}
	}
	a.places <- struct{}{}
	return func() { <-a.places }
}

// newAccount makes an account of its configuration; client is without a session.
func (b *Bot) newAccount(as *Account, at *site) *account {
	cfg := as.withDefaults(b.cfg)
	a := &account{name: cfg.Name, cfg: as, site: at, home: canonicalBase(cfg.BaseURL), bot: b, slots: newSlots(cfg.Concurrency), places: make(chan struct{}, 1), workers: lifecycle.New(), turn: make(chan struct{}, 1)}
	if h := b.hostBudget(cfg.BaseURL); h != nil {
		a.polls = h.Polls()
	}
	acts := actSlots{a.slots, a.polls}
	a.lanes.count = &b.remembered
	a.delivered.account, a.delivered.began = a, time.Now()
	a.broker = session.New(session.Config{
		Account: string(cfg.Name), Client: at.client, Credentials: cfg.Credentials, Keeper: b.store.Keeper(cfg.Name), Log: b.log, Known: a.noteSelf, Refused: a.keepRefusal,
		Door: b.cfg.Entrance.At(a.home), PerMinute: b.cfg.SessionsPerMinute,
	})
	a.client = at.client.WithSession(a.broker).Observed(a.wakeAfterAnswer, a.noteCallFailure)
	a.reader = reader{account: a, store: b.store, client: a.client, slots: acts, ceiling: b.cfg.Ceiling, values: &a.values, publishing: &a.publishing, me: a.broker.Me, facts: func(ctx context.Context, key event.Key, trigger string) ([]event.Fact, error) {
		facts, err := b.store.Facts(ctx, key.Account, trigger)
		if err != nil {
			return nil, storeError{err}
		}
		return facts, nil
	}}
	a.outbox = b.dispatcher.Open(outbox.AccountConfig{
		Account: a.name, Platform: dispatcherPlatform{outbox.Client{Client: a.client}, a}, Me: a.broker.Me, Slots: acts, Concurrency: cfg.Concurrency, Pace: *cfg.Pace,
		People: a, Chats: a,
	})
	a.watchRival(&cfg)
	a.listenForPeople(&cfg)
	a.limitPublishing(cfg.Publishing)
	return a
}

// wakeAfterAnswer tells those who wait for the platform to come back that it answered a call of the account.
func (a *account) wakeAfterAnswer() {
	a.site.clock.noteAnswer()
	a.quiet.NoteAnswer(time.Now())
	a.outbox.WakeAfterAnswer()                      //mutate:wake-dispatcher
	if at, wakes := a.poller.WakeSources(); wakes { //mutate:wake-poller
		a.bot.schedule.KickAt(a.poller, at)
	}
}

// BelievedMessageID tells the dispatcher which message ids the platform may have given out; see outbox.Chats.
func (a *account) BelievedMessageID(id platform.MessageID) (platform.MessageID, bool) {
	var top platform.MessageID
	ok := true
	if a.poller != nil {
		top, ok = a.poller.BelievedMessageID(id)
	}
	if top != 0 {
		return top, ok
	}
	last := a.delivered.last[event.Messages] // nothing was read yet in this incarnation
	return platform.MessageID(last), !leap.IsLeap(last, int64(id))
}

// IsPlatformDown reports whether the poller gets no answer of the platform, from any source.
func (a *account) IsPlatformDown() bool {
	if a.poller == nil {
		return false
	}
	sources := a.poller.Health()
	for i := range sources {
		if sources[i].Failures == 0 {
			return false
		}
	}
	return len(sources) > 0
}

// recoverEarlier takes up what an earlier incarnation left behind: actions, and events that were not handled.
func (a *account) recoverEarlier(ctx context.Context) error {
	// What is known of the account comes first, then what stops it, then what it has to do. In another order something would leave, or be
	// decided, that what is known keeps back.
	for _, s := range restoredSources {
		if err := a.delivered.restore(ctx, s); err != nil {
			return err
		}
	}
	if err := a.restoreIgnored(ctx); err != nil {
		return err
	}
	spent, err := a.lastSpent(ctx)
	if err != nil {
		return err
	}
	// Before inherit notes that this term has begun: what the last one was doing when it ended is counted once.
	if err := a.recoverTried(ctx, spent != nil && spent.Open); err != nil {
		return err
	}
	if err := a.rivals.Restore(ctx); err != nil {
		return err
	}
	// Read once, for all that follows: a request that came in between would be missing for the one and there for the other.
	asked, err := a.bot.store.RequestsOf(ctx, a.name)
	if err != nil {
		return err
	}
	if err := a.restorePauses(ctx, asked); err != nil {
		return err
	}
	a.restoreWishes(asked)
	// Before the outbox has anything: with a fresh pace, each change of hands would be a burst on top of the last one.
	a.inheritPace(spent)
	// Pauses and what people asked for are known by now. What was due would leave, although somebody has stopped it while no bot ran.
	if err := a.outbox.Recover(ctx); err != nil {
		return err
	}
	if err := a.restoreLate(ctx); err != nil { //mutate:restore-late
		return err
	}
	// Into the lanes before the events that wait: what people decided goes before what the time has made due.
	a.takeWaiting(asked)             //mutate:requests-first
	return a.queuePendingEvents(ctx) //mutate:pend
}

// open makes the account's poller. What it reads goes to the lanes.
func (a *account) open(ctx context.Context) error {
	b := a.bot
	cfg := a.cfg.withDefaults(b.cfg)
	p, err := poll.New(poll.Config{
		Account: a.name, Me: a.broker.Me, Client: a.client, Cursors: b.store, Slots: a.slots, Backlog: *cfg.Backlog,
		NoMessages: b.cfg.NoMessages, Interval: cfg.PollInterval, Log: b.log, Yield: b.cfg.Yield,
		Room: b.room, Budget: a.pollBudget(), Delivered: &a.delivered, Keep: b.store.KeptFor(), Bot: a, Sink: a,
	})
	if err != nil {
		return fmt.Errorf("account %s: %w", a.name, err)
	}
	a.poller, a.quiet.Poller = p, p
	return a.findPolledBefore(ctx)
}

// dispatcherPlatform is the platform as the dispatcher calls it: what it reads of a chat, the poller has to
// read too, since reading may mark messages as seen.
type dispatcherPlatform struct {
	outbox.Client
	account *account
}

// SendMessage sends a message. The poller knows beforehand: the chat list may be faster than the answer.
func (p dispatcherPlatform) SendMessage(ctx context.Context, params platform.SendMessageParams) (platform.Message, error) {
	p.account.poller.NoteSent(params.To, 0, params.Text)
	p.account.rivals.NoteDeparture()
	return p.Client.SendMessage(ctx, params)
}

// Messages reads messages, and lets the poller know.
func (p dispatcherPlatform) Messages(ctx context.Context, params platform.MessagesParams) ([]platform.Message, error) {
	defer p.account.poller.NoteTouched(params.Peer)
	page, err := p.Client.Messages(ctx, params)
	if err == nil {
		err = p.account.read(ctx, params.Peer, page)
	}
	return page, err
}

// AllMessages reads messages, and lets the poller know.
func (p dispatcherPlatform) AllMessages(ctx context.Context, params platform.MessagesParams) iter.Seq2[platform.Message, error] {
	return func(yield func(platform.Message, error) bool) {
		defer p.account.poller.NoteTouched(params.Peer)
		p.Client.AllMessages(ctx, params)(func(m platform.Message, err error) bool {
			if err == nil {
				err = p.account.read(ctx, params.Peer, []platform.Message{m})
			}
			return yield(m, err)
		})
	}
}

// accounts are those that a bot has, in the order in which they came: also those whose term has not begun, or is about to end.
type accounts struct {
	mu     sync.RWMutex // guards the fields below
	named  map[event.Account]*account
	people map[person]*account
	list   []*account // it grows behind what others read, and is never changed otherwise
}

// person is who an account signs in as: a platform, see canonicalBase, and the e-mail address, or the social sign-in.
type person [2]string

func (a *Account) person() person {
	return person{canonicalBase(a.BaseURL), cmp.Or(strings.ToLower(a.Email), a.OAuthType+" "+a.OAuthToken.Reveal())}
}

func newAccounts() *accounts {
	return &accounts{named: map[event.Account]*account{}, people: map[person]*account{}}
}

// byName returns the account of a name; nil when the bot does not have it.
func (as *accounts) byName(name event.Account) *account {
	as.mu.RLock()
	defer as.mu.RUnlock()
	return as.named[name]
}

// all returns the accounts, not to be changed.
func (as *accounts) all() []*account {
	as.mu.RLock()
	defer as.mu.RUnlock()
	return as.list
}

// add puts an account behind the others, unless there is one of its name, or one that signs in as the same person: then it
// returns that one.
func (as *accounts) add(a *account) (other *account) {
	as.mu.Lock()
	defer as.mu.Unlock()
	who := a.cfg.person()
	if other = cmp.Or(as.named[a.name], as.people[who]); other == nil {
		as.named[a.name], as.people[who] = a, a
		as.list = append(as.list, a)
	}
	return other
}

// replace puts an account in the place of another one of the same configuration; false when that has gone.
func (as *accounts) replace(old, fresh *account) bool {
	as.mu.Lock()
	defer as.mu.Unlock()
	if as.named[old.name] != old || old.leaving.Load() {
		return false
	}
	as.named[old.name], as.people[old.cfg.person()] = fresh, fresh
	as.list = slices.Clone(as.list)
	as.list[slices.Index(as.list, old)] = fresh
	return true
}

// remove takes an account out.
func (as *accounts) remove(a *account) {
	as.mu.Lock()
	defer as.mu.Unlock()
	if as.named[a.name] == a {
		delete(as.named, a.name)
		delete(as.people, a.cfg.person())
		as.list = slices.DeleteFunc(slices.Clone(as.list), func(x *account) bool { return x == a })
	}
}

// markLeaving notes that an account is given up, and returns it; nil when there is none, or somebody gives it up already. Nothing takes
// its place then.
func (as *accounts) markLeaving(name event.Account) *account {
	as.mu.Lock()
	defer as.mu.Unlock()
	a := as.named[name]
	if a == nil || a.leaving.Swap(true) {
		return nil
	}
	return a
}
