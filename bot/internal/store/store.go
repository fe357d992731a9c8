package store

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/bot/internal/recorder"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/session"
)

// Store is the memory of the runtime. All methods may be called at the same time.
type Store interface {
	outbox.Ledger
	poll.Cursors

	// Commit queues a write; its Done is called when it is durable or is known to have failed. What was queued
	// first is stored first.
	Commit(w Write)
	// QueueCursors queues cursors to be stored with any later commit, or soon without one. A number does not
	// go back, unless the cursor says so.
	QueueCursors(cursors ...record.Cursor)

	// Conversation returns a conversation; a fresh one with version 0 when none is stored.
	Conversation(ctx context.Context, key event.Key) (conversation.State, error)
	// StoredEvents returns which of ids are stored: true for those that have been handled.
	StoredEvents(ctx context.Context, account event.Account, ids []event.ID) (map[event.ID]bool, error)
	// Newest returns events of a source, those with the highest numbers first, in any state.
	Newest(ctx context.Context, account event.Account, source event.Source, limit int) ([]event.Event, error)
	// RecentEvents returns events of a conversation that the platform has told of, those seen last first, in any state.
	RecentEvents(ctx context.Context, key event.Key, limit int) ([]event.Event, error)
	// Sources returns the sources of the last events of a conversation, some hundred, each once.
	Sources(ctx context.Context, key event.Key) ([]event.Source, error)
	// HasDone reports whether the person of a conversation has done anything that is kept, and not forgotten.
	HasDone(ctx context.Context, key event.Key) (bool, error)
	// PendingEvents returns events that wait for their turn, with the tries they have had: by conversation,
	// within one in the order in which they have to be handled. peer 0 means all conversations.
	PendingEvents(ctx context.Context, account event.Account, peer int64, limit int) ([]PendingEvent, error)
	// QuarantinedEvents returns the quarantined events of a conversation, in the order in which they would
	// have been handled.
	QuarantinedEvents(ctx context.Context, key event.Key) ([]PendingEvent, error)
	// Action returns an action by its key; false when there is none.
	Action(ctx context.Context, account event.Account, key string) (event.Action, bool, error)
	// Approval returns what an action that was held waits for, or waited; false when that was never said.
	Approval(ctx context.Context, account event.Account, key string) (event.Approval, bool, error)
	// HeldGroup returns the actions that wait for an approval with the leader of a group, in their order, and itself.
	HeldGroup(ctx context.Context, account event.Account, leader string) ([]record.Held, error)
	// SaidSince returns the messages of a conversation, in any state, that answer events seen since then, or that its
	// timers led to since then.
	SaidSince(ctx context.Context, key event.Key, since time.Time) ([]Said, error)
	// TimesAround returns what the account's own messages tell of when another message came into being; zero where they do
	// not.
	TimesAround(ctx context.Context, account event.Account, id platform.MessageID) (from, to time.Time, err error)
	// AccountValue returns what a plugin keeps for an account under a name; with Version 0 when that is nothing.
	AccountValue(ctx context.Context, account event.Account, plugin, name string) (record.AccountValue, error)
	// TakenBack returns when the account has last taken back its repost of a post by an action of its own; zero for never.
	TakenBack(ctx context.Context, account event.Account, post platform.PostID) (time.Time, error)
	// Known returns what turns have stored of an account by a name, in Turn.Known; false when none has.
	Known(ctx context.Context, account event.Account, name string) (event.Fact, bool, error)
	// StoreFact stores that, in the place of what was by the same name, and returns when it is durable; with as it is kept apart, and Facts
	// tells it.
	StoreFact(ctx context.Context, account event.Account, as string, fact event.Fact) error
	// LastRestored returns that the database has gone back, false when it never has. NoteRestored notes it.
	LastRestored() (record.Restored, bool)
	NoteRestored(ctx context.Context, r record.Restored) error
	// CheckServer finds out whether the database has come to another server since, which Restored tells then. It is looked at every now and then,
	// and has to be before accounts are taken over. The error is record.ErrOtherServer, with which nothing is stored any more, or that of the database.
	CheckServer(ctx context.Context) error
	// Whose returns, for events of a source by their numbers, the person and the post they are about; events that are not kept are absent.
	Whose(ctx context.Context, account event.Account, source event.Source, numbers []int64) (map[int64]event.Event, error)
	// LastResult returns the highest id of what an account's actions of a verb have made; 0 for nothing.
	LastResult(ctx context.Context, account event.Account, verb event.Verb) (int64, error)
	// StoreSelf stores who an account is on its platform, for later starts and for the other workers of a database; SelvesSince returns that of
	// all accounts, as far as it was enrolled at a time or later, with the time of the last one. ReadSelves returns it account by account: the file
	// of one process has no index of it.
	StoreSelf(s Self)
	ReadSelves(ctx context.Context) ([]Self, error)
	SelvesSince(ctx context.Context, since time.Time) (all []Self, newest time.Time, err error)
	// Sent returns messages that arrived, with ids above after, by id.
	Sent(ctx context.Context, account event.Account, after platform.MessageID, limit int) ([]event.Action, error)
	// Requests returns what people ask for, by account, in the order in which they asked: those behind
	// after, from the first on when after is zero.
	Requests(ctx context.Context, after event.Request, limit int) ([]event.Request, error)
	// RequestsOf returns what people ask of an account, in the order in which they asked.
	RequestsOf(ctx context.Context, account event.Account) ([]event.Request, error)
	// Standings returns how the accounts stand that have actions that are in doubt or held, or something that is quarantined.
	Standings(ctx context.Context) (map[event.Account]Standing, error)
	// IsDecided reports whether the turn of a trigger is stored.
	IsDecided(ctx context.Context, account event.Account, trigger string) (bool, error)
	// KeepSuspect stores what is known of a trigger that may have ended its process, and returns when that is durable; see SuspectOf.
	KeepSuspect(ctx context.Context, s Suspect) error
	// Facts returns what was recorded for a trigger, by name.
	Facts(ctx context.Context, account event.Account, trigger string) ([]event.Fact, error)
	// DueTimers returns timers that wait and are due at now, oldest first, and when the next one is due;
	// zero when there is none.
	DueTimers(ctx context.Context, now time.Time, limit int) ([]record.DueTimer, time.Time, error)
	// QuarantinedTimers returns the quarantined timers of a conversation, by the time they were due.
	QuarantinedTimers(ctx context.Context, key event.Key) ([]event.Timer, error)
	// TimerNames calls f with each name of timers, by account. It looks at all timers that are set.
	TimerNames(ctx context.Context, f func(record.TimerCount)) error
	// AdoptTimers lets orphaned timers of these names wait for their time, or their turn, again, and returns when
	// that is stored.
	AdoptTimers(ctx context.Context, account event.Account, names []string) error
	// PullIn lets what a later clock has set to wait for a while wait for that while from now on, and returns how many timers and actions of the
	// account that were. What waits for a time of day stays.
	PullIn(ctx context.Context, account event.Account, now time.Time) (int, error)
	// Begin makes ready for a term of an account, where another process may have had it before.
	Begin(ctx context.Context, account event.Account) error
	// BeginAll does the same for many at once, and reads ahead what reads asks about an account for all of them; Begin follows for each,
	// with the context of Ahead.WithAnswers. nil where there is nothing to gain.
	BeginAll(ctx context.Context, accounts []event.Account, reads func(ctx context.Context, account event.Account)) (*Ahead, error)
	// Serve says which shards this process serves, where several share a database. Serves reports whether an account is among them, "" for
	// the whole bot, and Handed how often that has changed.
	Serve(shards []int)
	Serves(account event.Account) bool
	Handed() int64
	// OrphanedTimers returns the names of an account's timers that wait for a program with a route for them.
	OrphanedTimers(ctx context.Context, account event.Account) ([]string, error)
	// CountUses returns how many uses of a limit use's limit count at a time: those that are stored, without those
	// of except, which are keys of actions and ids of triggers.
	CountUses(ctx context.Context, account event.Account, c event.LimitUse, at time.Time, except ...string) (int, error)
	// WantedUses returns the limit uses that an action needs when it is released; an action has some when it was held
	// from the beginning.
	WantedUses(ctx context.Context, account event.Account, key string) ([]event.LimitUse, error)
	// WaitOf returns since when, and why, the peer of a conversation waits for a person of ours; false when the peer does not.
	WaitOf(ctx context.Context, key event.Key) (record.Waiting, bool, error)
	// CalledAbout returns what people were called for about the other one of a conversation since a time, without what has ended.
	CalledAbout(ctx context.Context, key event.Key, since time.Time) ([]event.Notice, error)
	// Listed reports whether a list has an entry about the peer.
	Listed(ctx context.Context, key event.Key, list string) (bool, error)
	// HasEntry reports whether a list has an entry of a key.
	HasEntry(ctx context.Context, account event.Account, list, key string) (bool, error)
	// Entries returns entries of a list by key, those behind after; "" for the first ones.
	Entries(ctx context.Context, account event.Account, list, after string, limit int) ([]event.Entry, error)
	// Unsent returns notices that were not sent yet, of all accounts, oldest first.
	Unsent(ctx context.Context, limit int) ([]event.Notice, error)
	record.Calls
	// SaveRules stores that rules are in force, with their content, and returns when it is stored. Rules returns it by its
	// hash.
	SaveRules(ctx context.Context, r record.Rules) error
	Rules(ctx context.Context, hash string) (string, bool, error)
	// RulesInForce returns the rules that an account acts by, or did last; of "" those that were stored last.
	RulesInForce(ctx context.Context, account event.Account) (record.InForce, bool, error)
	// ForgottenUpTo returns the number up to which the account's own messages may have been deleted from the
	// ledger, since they are older than what is kept; 0 when none was.
	ForgottenUpTo(ctx context.Context, account event.Account) (platform.MessageID, error)
	// KeptFor returns how long rows are kept after their end; 0 for ever.
	KeptFor() time.Duration
	// WithdrawDue withdraws what is due of a conversation, for a reason, and returns how many of its actions are on their way
	// or in doubt.
	WithdrawDue(ctx context.Context, key event.Key, why event.Reason) (open int, err error)
	// ForgetPerson does the next step of deleting what is kept of a person, and reports whether that was the last one. Nothing of
	// this person may be on its way, and nobody else may decide about the conversation meanwhile.
	ForgetPerson(ctx context.Context, f *Forgetting) (done bool, err error)
	// Ignored returns whom an account leaves alone.
	Ignored(ctx context.Context, account event.Account) ([]record.Ignored, error)
	// FlowStates counts the conversations in each state of each flow: those of accounts, or all.
	FlowStates(ctx context.Context, accounts ...event.Account) ([]conversation.Count, error)

	// CheckAway returns a MovedError when an account has gone from the database to another one, nil otherwise.
	CheckAway(account event.Account) error

	// Keeper keeps the account's session.
	Keeper(account event.Account) session.Keeper

	// Recorder is the file that tells what was under way when a process dies, and Last what the last incarnation has left in it; both are nil
	// where there is none.
	Recorder() *recorder.Recorder
	// Machine is what the process runs on.
	Machine() recorder.Machine
	LastReport() *recorder.Report
	// FolderPath is where the file of the database lies; "" for one on a server.
	FolderPath() string

	// Done is closed when nothing is stored any more until the store is opened anew, and Why says why: another process has taken over,
	// what was stored is lost, or the file was taken away.
	Done() <-chan struct{}
	Err() error

	// Close stores what is queued and closes the store. It does not wait for what the database does not tell: that
	// gets an unclear.Error, and the next incarnation sees what is there.
	Close() error
}

// PendingEvent is an event that waits for its turn.
type PendingEvent struct {
	event.Event
	Tries int
	Late  bool // it was quarantined, and a person let it have its turn again
}
