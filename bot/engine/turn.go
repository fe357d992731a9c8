package engine

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/hook"
	"github.com/nectar-bot/nectar/platform"
)

// Turn is what an engine does with a turn, beside what every handler does.
type Turn interface {
	// Explain leaves in the turn's decision record which rule decided, "" for none, by which version of the rules, by its
	// hash, and what the conversation was before, in JSON.
	Explain(rule, version string, before []byte)
	// Keep records a value on which the decision itself depended. Another try of the turn decides anew: what an earlier try recorded stays,
	// and this value stands beside it as "name:2", and so on; the last one counts. With nothing true the value is only recorded
	// when an earlier try has recorded one.
	Keep(ctx context.Context, name string, v any, nothing bool) error
	// Pauses returns what is paused at the moment, by the ids of rules, and under "" the whole account, with the reason as
	// people read it; nil when nothing is.
	Pauses() map[string]string
	// Room returns how many more messages may be said to the peer until the Ceiling is reached; those of earlier turns of the conversation
	// count, also while these are on their way into the store. It is math.MaxInt when there is no ceiling, and for the account's own
	// conversation. Only the turn's commit counts exactly: a message that is one too many is withdrawn there.
	Room(ctx context.Context) (int, error)
	// Leave lets those have the turn, too, who come after its route, once the handler has returned: the route has found nothing to answer. What it has
	// collected stays; where somebody else takes the turn, the decision record is theirs.
	Leave()
	// Withdraw takes back what the conversation's earlier turns decided and what has not left yet; actions that
	// are held stay so.
	Withdraw(reason string)
	// Concerns says which words the turn decides about: those up to the event last, the first of which was said at since, and the last at said; the
	// zero ID for none. needed names the rule that leaves them to a person of ours, even if the bot answers; "" for none. Without a call of
	// Concerns, an event's turn is about what the event says.
	Concerns(last event.ID, since, said time.Time, needed string)
	// Mask replaces the stored text of the turn's own event, or of earlier events, by another one. The handler still
	// sees what was said.
	Mask(text string, events ...event.ID)
	// EnterFlow puts the conversation into a state that the turn's route keeps, see Ways.Keeps; the zero
	// Instance ends it.
	EnterFlow(in conversation.Instance)
	// Silence notes that the person wants to be told nothing automatic; the zero Silence ends that.
	Silence(s conversation.Silence)
	// Books adds an action that does nothing on the platform, for effects that wait for an approval when nothing else does.
	// Its options have to let it wait, with Awaits.
	Books(options ...bot.Option)
	// Ruling returns what was decided about an action that waits for an approval, or did: the zero Verdict while nobody has decided;
	// false when nobody was asked.
	Ruling(ctx context.Context, key string) (event.Verdict, bool, error)
	// DropList lets nothing of a list of the account stay, with the turn's commit; what the turn records in it stands there then.
	DropList(list string)
	// TakenBack returns when the bot has last taken back the account's repost of a post, by any rule or person; zero when it never has, or when that
	// is not kept any more. It is read anew with each try of the turn.
	TakenBack(ctx context.Context, post platform.PostID) (time.Time, error)
	// Clock returns by how much the clock of this machine is ahead of the platform's, below 0 behind, to some seconds: as two answers say, and 0 where
	// the platform does not say what time it is. It is false as long as that is open: no answer has come since the start, or none since the clock was
	// set, or what was heard is odd and not confirmed. The turn of a route with Ways.Clocked comes again when it is known, and when it has changed.
	Clock() (ahead time.Duration, known bool)
}

// Of returns a turn of a bot as engines have it.
func Of(t *bot.Turn) Turn { return hook.GetBehind(t).(Turn) } //nolint:forcetypeassert // a bot puts nothing else there
