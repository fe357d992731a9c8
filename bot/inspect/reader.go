package inspect

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/session"
)

// Reader reads what bots keep, also while they run: it holds nobody up. All methods may be called at the same time. What is
// encrypted with another key than its own reads as "(sealed)".
type Reader interface {
	// Accounts, and which of many have something.

	// Accounts returns the accounts that the store knows, in the order of its keys.
	Accounts(ctx context.Context) ([]event.Account, error)
	// Knows reports whether the store knows an account.
	Knows(ctx context.Context, account event.Account) (known bool, err error)
	// Among returns those of the given accounts that have at least one of the things, in the order of accounts.
	Among(ctx context.Context, accounts []event.Account, things ...record.Having) ([]event.Account, error)
	// Numbered returns those of accounts that have a held action with a number, see event.Action.Number. It reads the keys of all
	// actions, so use it for what a person asks, not for what a program does often.
	Numbered(ctx context.Context, accounts []event.Account, number string) ([]event.Account, error)
	// Knowledge reads what is known of accounts.
	Knowledge(ctx context.Context, accounts []event.Account) (record.Knowledge, error)
	// Known returns what is known of an account by a name, as its bot has stored it; false when nothing is.
	Known(ctx context.Context, account event.Account, name string) (event.Fact, bool, error)
	// Polled returns when accounts were last polled with success, from any list; accounts that never were are left out.
	Polled(ctx context.Context, accounts []event.Account) (map[event.Account]time.Time, error)
	// Session returns the session that the account's bot has stored, the zero one if there is none; an error when it
	// does not open with the reader's key.
	Session(ctx context.Context, account event.Account) (session.Kept, error)
	// AccountValue returns what a plugin keeps for an account under a name; its Version is 0 when nothing is kept.
	AccountValue(ctx context.Context, account event.Account, plugin, name string) (record.AccountValue, error)
	// AccountValues returns what a plugin keeps for an account, at most limit values, in the order of their names. They begin behind
	// the name after; "" begins with the first one.
	AccountValues(ctx context.Context, account event.Account, plugin, after string, limit int) ([]record.AccountValue, error)
	// StoredAccounts returns accounts that stand in the database, by their names, in one statement. An account is Broken when its
	// credentials cannot be decrypted. The error is record.ErrNoAccounts where the database is a file.
	StoredAccounts(ctx context.Context, q record.StoredAccountQuery) (all []record.StoredAccount, err error)
	// AccountChanges returns the number of the last change of accounts: a caller that has seen this number has nothing new to read. It goes back
	// only where a copy of the database has taken its place.
	AccountChanges(ctx context.Context) (number int64, err error)
	// WorkersHaving returns the names of the workers that have an ability, such as that of record.HasAccount, by ability.
	WorkersHaving(ctx context.Context) (map[string][]string, error)
	// Gone returns, for accounts that were moved out of the database, where they are now. Under the account "" stands that the whole database was moved.
	Gone(ctx context.Context) (map[event.Account]*record.MovedError, error)
	// WentBack returns when, and how, the database last went back to an older state, since a copy was put back; false when it never has. What an
	// account did about it says bot.CarefulStartOf.
	WentBack(ctx context.Context) (record.Restored, bool, error)
	// Arriving returns a *record.ArrivingError while accounts are being moved into the database; else nil.
	Arriving(ctx context.Context) error

	// What has happened, and how far it was read.

	// Newest returns events of a source, those with the highest numbers first, in any state.
	Newest(ctx context.Context, account event.Account, source event.Source, limit int) ([]event.Event, error)
	// Whose returns, for events of a source by their numbers, the person and the post they are about. Events that are not stored are absent.
	Whose(ctx context.Context, account event.Account, source event.Source, numbers []int64) (map[int64]event.Event, error)
	// States returns what has become of events: "pending", "handled" or "quarantined". Those that are not
	// stored are absent.
	States(ctx context.Context, account event.Account, source event.Source, numbers []int64) (map[int64]string, error)
	// Before returns the highest number of the events of a source that were seen before a time, without numbers that are far above
	// all others; 0 when there is none. Numbers grow with time, so events with higher ones were seen later.
	Before(ctx context.Context, account event.Account, source event.Source, at time.Time) (int64, error)
	// Cursors returns the stored cursors of a source for peers; missing ones are absent.
	Cursors(ctx context.Context, account event.Account, source event.Source, peers []platform.UserID) ([]record.Cursor, error)
	// CursorsAfter returns the stored cursors of a source for peers above after, by peer, at most limit of them.
	CursorsAfter(ctx context.Context, account event.Account, source event.Source, after platform.UserID, limit int) ([]record.Cursor, error)

	// What is done about it.

	// Action returns an action by its key; false when there is none.
	Action(ctx context.Context, account event.Account, key string) (event.Action, bool, error)
	// Open returns the actions in state sending or in doubt, by position: those that may be on the platform, and nobody knows.
	Open(ctx context.Context, account event.Account) ([]event.Action, error)
	// Sent returns messages that the bot has sent and that arrived, with ids above after, by id.
	Sent(ctx context.Context, account event.Account, after platform.MessageID, limit int) ([]event.Action, error)
	// Results returns which of ids were made by the account's actions of this verb: messages or posts of the bot itself.
	Results(ctx context.Context, account event.Account, verb event.Verb, ids []int64) (map[int64]bool, error)
	// Deleted returns which of messages the account's bot has deleted, or may have. It looks at all that the
	// account ever did.
	Deleted(ctx context.Context, account event.Account, messages []int64) (map[int64]bool, error)
	// Published returns what an account has published since a time, or is to publish, by time: own posts, reposts and renewals,
	// by rules, campaigns and people alike. What waits for an approval is left out, and so is what failed or was withdrawn. What turns
	// have decided a moment ago may be missing. Of what is older than NECTAR_RETENTION there is the time alone, as long as a limit counts it.
	Published(ctx context.Context, account event.Account, since time.Time) ([]event.Publication, error)
	// Approval returns what a held action waits for, or waited for; false when it has never waited for an approval.
	Approval(ctx context.Context, account event.Account, key string) (event.Approval, bool, error)
	// Approvals returns what held actions wait for, or waited for, by the keys of the actions. Actions that have never waited for
	// an approval are missing.
	Approvals(ctx context.Context, account event.Account, keys []string) (map[string]event.Approval, error)

	// Conversations and people.

	// Conversation returns a conversation; a fresh one when none is stored.
	Conversation(ctx context.Context, key event.Key) (conversation.State, error)
	// Person returns all that is kept of a person. It reads whole tables: for what is asked now and then.
	Person(ctx context.Context, key event.Key) (*record.Person, error)
	// PeersSeen returns the people with a user name, in upper or lower case, who are found in events alone. It reads all events of
	// the account.
	PeersSeen(ctx context.Context, account event.Account, user string) ([]event.Peer, error)
	// Ignored returns the people whom an account leaves alone, those first who have been ignored for longest.
	Ignored(ctx context.Context, account event.Account) ([]record.Ignored, error)

	// Turns: what was read for them, and what they left.

	// Facts returns what was recorded for a trigger, by name.
	Facts(ctx context.Context, account event.Account, trigger string) ([]event.Fact, error)
	// TimerNames calls f with each name of a timer, by account, and with how many are set. It looks at all timers that are set.
	TimerNames(ctx context.Context, f func(record.TimerCount)) error
	// QuarantinedTimers returns the quarantined timers of a conversation, by the time they were due.
	QuarantinedTimers(ctx context.Context, key event.Key) ([]event.Timer, error)
	// Entries returns entries of a list, at most limit, in the order of their keys. They begin behind the key after; "" begins with
	// the first one.
	Entries(ctx context.Context, account event.Account, list, after string, limit int) ([]event.Entry, error)
	// HasEntry reports whether a list has an entry of a key.
	HasEntry(ctx context.Context, account event.Account, list, key string) (bool, error)
	// Listed reports whether a list has an entry about the peer.
	Listed(ctx context.Context, key event.Key, list string) (bool, error)
	// Lists returns the account's lists by name. It counts all their entries.
	Lists(ctx context.Context, account event.Account) ([]record.ListCount, error)
	// Notices returns notices, the newest first.
	Notices(ctx context.Context, q record.NoticeQuery) ([]event.Notice, error)
	// Unsent returns notices that were not sent yet, oldest first; of a worker's store, those of the shards that it serves. Notices of the
	// whole bot belong to the shard of the account "".
	Unsent(ctx context.Context, limit int) ([]event.Notice, error)
	// Requests returns what people ask for, by account, in the order in which they asked; of a worker's store, in the shards that it serves.
	// A request that cannot be read as a whole has an unknown wish: so it comes to nothing, and does not stop the others.
	Requests(ctx context.Context, after event.Request, limit int) ([]event.Request, error)

	// Rules.

	// Rules returns the content of rules by its hash; false when it is not stored.
	Rules(ctx context.Context, hash string) (string, bool, error)
	// RulesLoaded returns when rules were stored by their hash, the last time; false when they are not stored.
	// They are stored before they decide, and again with every start.
	RulesLoaded(ctx context.Context, hash string) (time.Time, bool, error)
	// RulesInForce returns the rules that an account acts by, or did last; for the account "" those that were stored last for
	// any account. False when there are none.
	RulesInForce(ctx context.Context, account event.Account) (record.InForce, bool, error)
	// RulesOf returns the rules that each of some accounts acts by, or did last, as RulesInForce does; those that have none are left
	// out.
	RulesOf(ctx context.Context, accounts []event.Account) (map[event.Account]record.InForce, error)
	// Sets returns the sets, by name, as they are in force. It is one cheap statement, however many editions they have had.
	Sets(ctx context.Context) ([]record.Set, error)
	// Editions returns the editions of a set, the newest first.
	Editions(ctx context.Context, name string, limit int) ([]record.Edition, error)
	// Edition returns an edition of a set; false when there is none of that number.
	Edition(ctx context.Context, name string, number int64) (record.Edition, bool, error)

	// The database.

	// Sealing returns how much of the database is sealed with its newest key.
	Sealing(ctx context.Context) (record.Sealing, error)
	// Rows returns how many rows of a file have something that is to be sealed.
	Rows(ctx context.Context) (all int64, err error)
	// Close closes the reader, and the database with it.
	Close() error
}
