package bot

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/internal/language/match"
	"github.com/nectar-bot/nectar/internal/reason"
)

// A person who asks for silence, with a stop word, is told nothing automatic until they write a start word. It is heard before flows and routes: by the
// route that hears such words of the account (see engine.Ways), or else by the bot itself. What they do meanwhile is given to that route alone, and
// what timers of theirs want to say is withheld. A person of ours may say what they like.

const (
	// mostStopText is how many bytes a message may have that asks for silence, or ends it.
	mostStopText = 200
)

// stopWords are those of a program without rules, and what ends the silence there.
type stopWords struct{ stop, start match.Phrases }

func newStopWords(stop []string) *stopWords {
	return &stopWords{stop: match.NewPhrases(stop...), start: match.AllStartWords()}
}

func (w *stopWords) stops(said string) bool {
	return len(w.stop) > 0 && len(said) <= mostStopText && w.stop.SilenceAsked(match.Read(said))
}

func (w *stopWords) restarts(said string) bool {
	return len(said) <= mostStopText && w.start.AreAsked(match.Read(said))
}

// validateStopWords names one that no message can be.
func validateStopWords(all []string) error {
	for _, w := range all {
		if len(match.NewPhrases(w)) == 0 || len(w) > mostStopText {
			return fmt.Errorf("bot.Config.StopWords: %q is nothing that asks for silence: write a word, such as \"stop\"", w)
		}
	}
	return nil
}

// isSilent reports whether a conversation's person has asked for silence.
func isSilent(c *conversation.State) bool { return !c.Silence.Since.IsZero() }

// hearSilence takes note of what a message says of silence. A turn of somebody who asks for it, or has asked, is handled by the route that hears of it, if any,
// unless a person of ours has the conversation.
func (b *Bot) hearSilence(_ context.Context, t *Turn) (bool, error) {
	if t.Trigger.Kind != event.ByEvent || t.isDelivery() {
		return false, nil
	}
	c, said := &t.Conversation, strings.TrimSpace(t.Event.Text)
	if t.Event.Kind != event.KindMessage {
		said = ""
	}
	rt, asks := b.router.silenceRoute(t.Trigger.Key.Account, said)
	untold := c.Silence.Untold && t.Event.Kind == event.KindMessage
	if untold { // any message ends it; this one may ask for it anew
		c.Silence, t.changed = conversation.Silence{}, true
	}
	switch {
	case asks:
	case said != "" && b.stopWords.stops(said):
		t.silenced()
		return false, nil
	case !isSilent(c):
		return false, nil
	case said != "" && rt == nil && b.stopWords.restarts(said):
		c.Silence, t.changed = conversation.Silence{}, true
		t.concluded("the silence is over")
		return false, nil
	}
	if rt == nil {
		t.concluded(reason.SentenceOf(event.Because(reason.Silent)))
		return false, nil
	}
	t.handler = func(ctx context.Context, t *Turn) error { //mutate:silence-first
		_, err := b.router.offerTurn(ctx, t, rt)
		return err
	}
	return false, nil
}

// onlyHeard handles a turn that is for nobody.
func onlyHeard(context.Context, *Turn) error { return nil }

// concluded ends the turn of somebody who is left alone, for whom no route hears. It asks nobody for an answer.
func (t *Turn) concluded(note string) {
	t.handler, t.unanswered = onlyHeard, true
	t.rec.Outcome, t.rec.Why, t.concern = OutcomeLeftAlone, t.whySilent(), &concern{}
	t.Note("%s", note)
}

func (t *Turn) whySilent() event.Reason {
	if !isSilent(&t.Conversation) {
		return ""
	}
	return event.Because(reason.Silent, "since", t.Conversation.Silence.Since.UTC().Format(time.RFC3339))
}

// silenced notes that the person asks for silence by a word of the program: what waits to be said to them does not leave any more.
func (t *Turn) silenced() {
	if !isSilent(&t.Conversation) {
		t.Conversation.Silence, t.changed = conversation.Silence{Since: t.Now}, true
	}
	t.endFlow()
	t.withdraw = "the person wants to be left alone" //mutate:stop-withdraws
	t.concluded(reason.SentenceOf(event.Because(reason.Silent)))
}

// leavesAlone withholds what a turn would say to somebody who had asked for silence before it, and ends the flow of a program for who has asked in it.
func (t *Turn) leavesAlone(r *Router, wasSilent bool) {
	switch {
	case !isSilent(&t.Conversation):
	case !wasSilent:
		if r.keeperOf(t.Conversation.Flow.Flow) == nil {
			t.endFlow() //mutate:stop-ends-flow
		}
	default:
		for i := range t.actions {
			if a := &t.actions[i]; saysTo(&a.Action) && !a.State.Final() { //mutate:silent-withheld
				t.recordOnly(a, t.whySilent())
				a.LimitUses = nil
			}
		}
	}
}

// saysTo reports whether an action says something to the person of its conversation.
func saysTo(a *event.Action) bool {
	return a.Verb == event.VerbMessage || a.Verb == event.VerbPost && a.Post != 0
}

// isUnwanted reports whether what is held says something to somebody who has asked for silence, other than what was decided when they did: the answer to
// that.
func (t *Turn) isUnwanted(held []record.Held) bool {
	since := t.Conversation.Silence.Since
	return !since.IsZero() && slices.ContainsFunc(held, func(h record.Held) bool {
		return saysTo(&h.Action) && h.DecidedAt.UnixMicro() != since.UnixMicro()
	})
}
