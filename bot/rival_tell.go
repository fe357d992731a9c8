package bot

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/store"
)

const rivalChoice = "rival/" // the decisions about a rival, with what is decided and when

// told is what people are told about a rival.
type told struct {
	level  slog.Level
	what   string // %s is the account
	advice string // %s is the account
	notice bool
}

// goesOn is what is told of an account that goes on.
var goesOn = told{
	slog.LevelWarn, "another bot answers on the account %s: this one goes on, the other one should stop by itself",
	"end the other one; if that one is to stay, end this one and let it go on there: nectar accounts resume %s", true,
}

var rivalNews = map[news]told{
	stops: {
		slog.LevelError, "another bot answers on the account %s: this one has stopped by itself, and nothing of the account leaves here",
		"end one of the two; if this one is to stay: nectar accounts resume %s", true,
	},
	warns: goesOn,
	leads: goesOn,
	insists: {
		slog.LevelWarn, "another bot answers on the account %s: this one goes on, since it was told to or nobody else had answered",
		"end the other one", true,
	},
	proves: {
		slog.LevelWarn, "another bot answers on the account %s what this one holds, since it has stopped",
		"end one of the two; if this one is to stay: nectar accounts resume %s", false,
	},
	returns: {
		slog.LevelWarn, "nobody else answers on the account %s any more: this one goes on",
		"make sure that no other bot signs in as this account", true,
	},
}

// tell does what follows from news, stores it, and tells people. a.rivals.mu is held.
func (a *account) tell(lanes context.Context, what news, now time.Time) {
	t, ok := rivalNews[what]
	if !ok {
		return
	}
	switch what {
	case stops:
		a.box.Halt() //mutate:rival-halt
	case leads, returns:
		a.goOn(lanes)
	default:
	}
	say, advice := fmt.Sprintf(t.what, a.name), t.advice
	if what != insists && what != returns {
		advice = fmt.Sprintf(t.advice, a.name)
	}
	a.bot.log.Log(lanes, t.level, say, "account", a.name, "do", advice)
	trigger := event.Trigger{
		Kind: event.ByDecision, Key: event.Key{Account: a.name}, Choice: fmt.Sprintf("%s%d/%d", rivalChoice, what, now.UnixMicro()),
	}
	turn := &store.Turn{Trigger: trigger, Known: a.rivals.known(now), Trace: store.Trace{Outcome: OutcomeHandled, Note: say}, At: now}
	if t.notice {
		host, _ := os.Hostname() // it only helps to find the bot
		turn.Notices = []store.Notice{{
			Account: a.name, ID: trigger.ID() + "/0", Who: store.Everybody, At: now,
			Text: fmt.Sprintf("From the bot on %s: %s. Please %s.", host, say, advice),
		}}
	}
	a.save(turn)
}

// goOn lets actions leave again, unless something else keeps them. a.rivals.mu is held.
func (a *account) goOn(lanes context.Context) {
	if a.rivals.Stopped.IsZero() && a.rivals.twin == "" {
		a.box.Resume(lanes)
	}
}

// stopped tells whether nothing of the account leaves.
func (a *account) stopped() bool {
	a.rivals.mu.Lock()
	defer a.rivals.mu.Unlock()
	return !a.rivals.Stopped.IsZero() || a.rivals.twin != ""
}

// known returns how the account stands, as it is stored.
func (r *rivalry) known(now time.Time) []event.Fact {
	value, err := json.Marshal(r.Rivalry)
	if err != nil {
		panic(err) // times and truths always encode
	}
	return []event.Fact{{Name: rivalryFact, Value: value, ReadAt: now}}
}

// save stores a turn about the account itself. What the store refuses is tried again.
func (a *account) save(turn *store.Turn) {
	a.bot.store.Commit(store.Write{Turn: turn, Done: func(r store.Receipt) {
		if r.Err != nil {
			a.rivals.mu.Lock()
			defer a.rivals.mu.Unlock()
			a.rivals.unsaved = append(a.rivals.unsaved, turn)
		}
	}})
}

// recallRivalry takes up how the account stood in an earlier life.
func (a *account) recallRivalry(ctx context.Context) error {
	was, err := RivalryOf(ctx, a.bot.store, a.name)
	if err != nil {
		return err
	}
	a.rivals.mu.Lock()
	defer a.rivals.mu.Unlock()
	a.rivals.Rivalry, a.rivals.began = was, time.Now().Round(0)
	if !was.Stopped.IsZero() { //mutate:rival-recall
		a.box.Halt()
		a.bot.log.Warn("the account is still stopped, since another bot answers on it: nothing of it leaves here", "account", a.name,
			"since", was.Stopped, "do", "make sure that the other one has ended, then: nectar accounts resume "+string(a.name))
	}
	return nil
}

// resume lets an account go on because a person wants that.
func (b *Bot) resume(lanes context.Context, a *account, q *event.Request) {
	now := time.Now()
	a.rivals.mu.Lock()
	defer a.rivals.mu.Unlock()
	then := rivalry{Rivalry: a.rivals.Rivalry}
	note := fmt.Sprintf("%s was not stopped", a.name)
	if then.resume(now) {
		note = fmt.Sprintf("%s goes on", a.name)
	}
	note += fmt.Sprintf("; whatever other bots do, it does not stop by itself until %s", then.Spared.UTC().Format(time.RFC3339))
	turn := &store.Turn{Trigger: q.Trigger(), Known: then.known(now), Trace: store.Trace{Outcome: OutcomeHandled, Note: note}, At: now}
	b.store.Commit(store.Write{Turn: turn, Done: func(r store.Receipt) {
		a.rivals.mu.Lock()
		defer a.rivals.mu.Unlock()
		if r.Err == nil && !r.Dropped {
			b.log.Info(note, "account", a.name)
			a.rivals.resume(now)
			a.goOn(lanes) //mutate:rival-resume
		}
		b.requests.done(q)
	}})
}
