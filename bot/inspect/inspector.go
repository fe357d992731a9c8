package inspect

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// Inspector is where people look at what bots keep, and ask them to do something about it, also while they run. What it writes
// are requests, in short transactions of their own: everything else belongs to the bot.
type Inspector interface {
	Reader

	// What has happened.

	// Events returns events, newest first.
	Events(ctx context.Context, q record.EventQuery) ([]record.EventRow, error)
	// Event returns an event by its id; false when there is none.
	Event(ctx context.Context, account event.Account, id event.ID) (record.EventRow, bool, error)
	// EventCounts counts the events that were seen since a time, by kind, the most frequent first.
	EventCounts(ctx context.Context, account event.Account, since time.Time) ([]record.EventCount, error)
	// Heads returns, for each account, a time at or shortly after its newest event of a query; the newest comes first. Accounts without
	// such an event are left out. The query's Account, Peer and Limit do not count.
	Heads(ctx context.Context, accounts []event.Account, q record.EventQuery) ([]record.Head, error)
	// OldestOf returns when the oldest event was seen that is still kept of the accounts; zero for none.
	OldestOf(ctx context.Context, accounts []event.Account) (time.Time, error)

	// Turns, and why they decided what they decided.

	// Why returns the turn for an id, which may be that of an event, of a trigger, or of an action that a turn decided; false
	// when there is none. An event that had no turn yet is found, too.
	Why(ctx context.Context, account event.Account, id string) (record.Recorded, bool, error)
	// Turn returns a turn that no event started, by the id of its trigger; false when there is none. A timer that has had
	// no turn yet is found, too.
	Turn(ctx context.Context, account event.Account, id string) (record.TurnRow, bool, error)
	// Turns returns turns of timers, newest first.
	Turns(ctx context.Context, q record.TurnQuery) (turns []record.TurnRow, err error)
	// OwnTurns returns the turns of the account's own conversation, the newest first, with what was recorded for them and what
	// they did: those of timers, of nudges, of deliveries and of what people asked of the account.
	OwnTurns(ctx context.Context, account event.Account, limit int) ([]record.Recorded, error)
	// Recorded calls f with each turn of an account that is stored as handled since a time, in the order in which
	// they were handled. An error of f ends it, and is returned as it is.
	Recorded(ctx context.Context, account event.Account, since time.Time, f func(record.Recorded) error) (err error)
	// Takeovers returns the turns in which a person of ours took over a conversation by writing there, each with its facts,
	// newest first. It reads those of all conversations.
	Takeovers(ctx context.Context, key event.Key, limit int) (all []record.Recorded, err error)
	// Decisions returns what people decided by commands about a conversation, as far as it is kept, the newest first.
	Decisions(ctx context.Context, key event.Key, limit int) ([]record.TurnRow, error)
	// EditedActions returns the keys of the actions that people let leave with another text, as far as what they decided is kept.
	EditedActions(ctx context.Context, account event.Account) (map[string]bool, error)
	// Tallies counts the turns of events and timers that an account has handled since a time, by rule, outcome and hour. What
	// rules on watch would have done is counted for them, as watched.
	Tallies(ctx context.Context, account event.Account, since time.Time) ([]record.Tally, error)
	// TalliesOf is Tallies of several accounts together; a tally may come in parts.
	TalliesOf(ctx context.Context, accounts []event.Account, since time.Time) ([]record.Tally, error)

	// What is done about it.

	// Actions returns actions: those that are due in the order in which they leave, others newest first.
	Actions(ctx context.Context, q record.ActionQuery) ([]event.Action, error)
	// ActionsOf returns the actions that a trigger led to, by key.
	ActionsOf(ctx context.Context, account event.Account, trigger string) ([]event.Action, error)
	// ActionCounts counts the actions that have ended, or were held, since a time, by verb and state, the most frequent first,
	// but for what was only recorded, since its rule is on watch, or paused.
	ActionCounts(ctx context.Context, account event.Account, since time.Time) ([]record.ActionCount, error)
	// TriggerOf returns the id of what started the turn of an action that has a name; "" for any other action.
	TriggerOf(ctx context.Context, account event.Account, key string) (string, error)

	// Timers.

	// Timers returns timers in a state, those that were due last first.
	Timers(ctx context.Context, q record.TimerQuery) ([]record.TimerRow, error)
	// Timer returns when a timer of a conversation is due; zero when it is not set.
	Timer(ctx context.Context, key event.Key, name string) (time.Time, error)
	// Alarm returns a timer of a conversation by its name; false when it is not set.
	Alarm(ctx context.Context, key event.Key, name string) (record.TimerRow, bool, error)
	// DueLatest returns the accounts of the timers that wait and were due last, at most limit timers, between since and until. Of timers that
	// were due at the same time, those of the account that is given first count.
	DueLatest(ctx context.Context, accounts []event.Account, since, until time.Time, limit int) (_ []event.Account, err error)

	// Conversations and people.

	// Conversations returns the conversations with these peers, those that are stored, in no order.
	Conversations(ctx context.Context, account event.Account, peers []platform.UserID) ([]record.ConversationRow, error)
	// Owned returns the conversations that a person or team has, the latest first, also when the query does not say Owned.
	Owned(ctx context.Context, q record.ConversationQuery) ([]record.ConversationRow, error)
	// Waiting counts who waits on accounts at a time for a person of ours, with what is held, and what is quarantined: those without anybody are left
	// out. Of each it returns so many who have waited longest, but for what is held and quarantined: see WhoWaits. It is kept with each turn, and
	// counted in milliseconds, however much else is stored.
	Waiting(ctx context.Context, accounts []event.Account, at time.Time, limit int) ([]record.Waiting, map[event.Account]int, error)
	// PeersNamed returns the people with a user name, in upper or lower case: one, unless names have changed hands.
	PeersNamed(ctx context.Context, account event.Account, user string) ([]event.Peer, error)

	// What people ask for, and change.

	// Ask stores requests, all or none, and returns them with their numbers. A bot that runs takes them up
	// within about a second; otherwise they wait for one. When it is not known whether they are stored, the error says so, as with
	// each change that is made here.
	Ask(ctx context.Context, requests ...event.Request) ([]event.Request, error)
	// Answer returns what became of a request; false while it waits.
	Answer(ctx context.Context, q event.Request) (record.Answer, bool, error)
	// Running reports whether a bot runs on the database at the moment; with accounts, whether each of these is served by a worker that has a lease.
	Running(accounts ...event.Account) (bool, error)
	// Judgement returns how the processes that run on the database stand, and their accounts.
	Judgement(ctx context.Context) (record.Judgement, error)
	// AddEntry puts an entry into its list; false when the list has one of that key, which stays as it is. It
	// takes effect at once, whether a bot runs or not.
	AddEntry(ctx context.Context, e event.Entry) (bool, error)
	// RemoveEntry takes an entry out of its list; false when there is none of that key. It takes effect at once,
	// whether a bot runs or not.
	RemoveEntry(ctx context.Context, account event.Account, list, key string) (bool, error)
	// ForgetUses deletes all uses of a limit, so that it counts from zero again for everybody. It takes effect at
	// once, whether a bot runs or not.
	ForgetUses(ctx context.Context, account event.Account, limit string) error
	// Publish puts an edition with this content in force, and returns it with its number, which is given here. seen is the number of the
	// edition that the caller saw in force, 0 for none: when another one is in force by now, the error is a record.OvertakenError.
	Publish(ctx context.Context, e record.Edition, content string, seen int64) (record.Edition, error)
	// PutAccounts stores accounts as they are, all or none, and returns the number of the change. The Version of each is the one that the
	// caller has read: when it was changed since, the error is a record.AccountChangedError. Other errors are that two accounts sign in as
	// one person, a record.MovedError, record.ErrNoAccounts, and that it is not known whether they are stored. Workers notice within some seconds.
	PutAccounts(ctx context.Context, accounts ...record.StoredAccount) (number int64, err error)
	// Closed reports whether something is sealed in the database and the key opens nothing of it: all of that reads as "(sealed)".
	Closed() bool
}
