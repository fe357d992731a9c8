package bot

import (
	"fmt"
	"os"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// watchCareful tells people of a copy that was put back, once it is known whose the conversations are.
func (a *account) watchCareful(now time.Time) {
	a.noteTakeoverSurvived(a.term)
	k := &a.careful
	if !k.on.Load() {
		return
	}
	if a.poller.ReadAll() && !k.read.Load() && a.unattributed.some.Load() == 0 {
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
