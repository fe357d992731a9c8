package why

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/nectar-bot/nectar/handlers/rules/replay"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// whyID is what somebody asks about.
type whyID struct {
	text   string
	event  event.ID // the zero ID: something else
	number bool     // of something that is held, as nectar outbox shows it
}

// ParseWhyID reads an id of an event, of a turn or of an action.
func ParseWhyID(id string) (whyID, error) {
	if strings.Trim(id, "0123456789") == "" && id != "" {
		return whyID{text: id, number: true}, nil
	}
	kind, rest, ok := strings.Cut(id, ":")
	kinds := []string{"message", "notif", "mention", "chat", "delivery", "timer", "decision", "nudge", "name"}
	if near := textfile.NearestWord(kind, kinds); !ok || rest == "" || near == "" {
		return whyID{}, fmt.Errorf("%q is no id: write an event like message:501, notif:77 or mention:88, or an action like message:501/rules/0", print.PlainText(id, 80))
	} else if near != kind {
		return whyID{}, fmt.Errorf("%q is no id. Did you mean %s:%s?", print.PlainText(id, 80), near, print.PlainText(rest, 80))
	}
	if kind == "timer" || kind == "decision" || kind == "nudge" || kind == "name" {
		return whyID{text: id}, nil
	}
	before, _, _ := strings.Cut(id, "/")
	e, err := event.ParseID(before)
	return whyID{text: id, event: e}, err
}

// isAction reports whether an event's action is asked about.
func (id whyID) isAction() bool { return id.text != id.event.String() }

// findWhy returns the turn that an id means, and the key of the action when it means one.
func findWhy(ctx context.Context, d *view.View, id whyID) (r record.Recorded, asked string, err error) {
	having := record.Having{Thing: record.HasTurn, Text: id.text}
	if id.event != (event.ID{}) {
		having = record.Having{Thing: record.HasEvent, Event: id.event}
	}
	those, err := d.AmongMeant(ctx, having)
	if err != nil {
		return r, "", err
	}
	var found []record.Recorded
	for _, account := range those {
		of, ok, err := findWhyIn(ctx, d, account, id)
		if err != nil {
			return r, "", err
		}
		if ok {
			found = append(found, of)
		}
	}
	switch len(found) {
	case 0:
		return r, "", nothingFor(ctx, d, id)
	case 1:
	default:
		// Ids are the platform's, and two accounts may be on two platforms: to choose one would explain somebody else's turn.
		return r, "", fmt.Errorf("several accounts have %s: say which one, with --account %s", id.text, accountOf(&found[0]))
	}
	r = found[0]
	if id.text != r.Trigger() {
		asked = id.text
	}
	err = completeID(ctx, d, &r)
	return r, asked, err
}

// namedID returns the id of what is held and has a number.
func namedID(ctx context.Context, d *view.View, id whyID) (whyID, error) {
	held, err := d.NumberedOfMeant(ctx, id.text)
	switch {
	case err != nil:
		return id, err
	case len(held) == 0:
		return id, fmt.Errorf("nothing that is held has the number %s; an event is named like message:%s", id.text, id.text)
	case len(held) > 1:
		return id, fmt.Errorf("%s is the number of several actions: write the key instead, like %s", id.text, held[0].Key)
	}
	return ParseWhyID(held[0].Key)
}

// completeID reads what was recorded for a turn, and what it did.
func completeID(ctx context.Context, d *view.View, r *record.Recorded) (err error) {
	if r.Facts, err = d.Facts(ctx, accountOf(r), r.Trigger()); err != nil {
		return err
	}
	r.Actions, err = d.ActionsOf(ctx, accountOf(r), r.Trigger())
	return err
}

func accountOf(r *record.Recorded) event.Account {
	if r.Event != nil {
		return r.Event.Account
	}
	return r.Turn.Account
}

// findWhyIn looks in one account.
func findWhyIn(ctx context.Context, d *view.View, account event.Account, id whyID) (r record.Recorded, ok bool, err error) {
	if id.event != (event.ID{}) {
		e, ok, err := d.Event(ctx, account, id.event)
		if err != nil || !ok {
			return r, false, err
		}
		if id.isAction() {
			_, ok, err = d.Action(ctx, account, id.text)
		}
		return record.Recorded{Event: &e}, ok, err
	}
	// The name of a timer may have slashes in it, and so may that of a route: an action begins with its turn.
	_, action, err := d.Action(ctx, account, id.text)
	if err != nil {
		return r, false, err
	}
	named, err := d.TriggerOf(ctx, account, id.text)
	if err != nil {
		return r, false, err
	}
	if e, no := event.ParseID(named); no == nil {
		return findWhyIn(ctx, d, account, whyID{text: named, event: e})
	}
	for name := cmp.Or(named, id.text); ; {
		t, ok, err := d.Turn(ctx, account, name)
		if ok || err != nil {
			return record.Recorded{Turn: &t}, ok && (action || name == id.text), err
		}
		last := strings.LastIndexByte(name, '/')
		if last < 0 {
			return r, false, nil
		}
		name = name[:last]
	}
}

// nothingFor says that there is nothing of an id, and what there is.
func nothingFor(ctx context.Context, d *view.View, id whyID) error {
	if id.event == (event.ID{}) || id.isAction() {
		trigger, _, _ := strings.Cut(id.text, "/")
		if id.event == (event.ID{}) {
			trigger = "message:501"
		}
		return fmt.Errorf("there is nothing of the id %s: nectar outbox --peer @NAME lists what was done with somebody, and nectar why %s tells about an event",
			print.PlainText(id.text, 120), trigger)
	}
	those, err := d.AmongMeant(ctx, record.Having{Thing: record.HasEventsOf, Source: id.event.Source})
	if err != nil {
		return err
	}
	for _, account := range those {
		events, err := d.Events(ctx, record.EventQuery{Account: account, Limit: 200})
		if err != nil {
			return err
		}
		for i := range events {
			if events[i].ID.Source != id.event.Source {
				continue
			}
			// Newer ones are there, so it is not that nothing of the kind has come yet.
			if events[i].ID.Number > id.event.Number {
				return fmt.Errorf("there is no event %s: it never came, or is older than what is kept (NECTAR_RETENTION); the last one of its kind is %s", id.event, events[i].ID)
			}
			return fmt.Errorf("there is no event %s; the last one of its kind is %s, and nectar events lists them", id.event, events[i].ID)
		}
	}
	return fmt.Errorf("there is no event %s, and none of its kind; nectar events lists what there is", id.event)
}

// burstOf returns the turn that answered an event together with others, or that found a person at work
// there; false when there was none.
func burstOf(ctx context.Context, d *view.View, e *record.EventRow) (burst record.Recorded, ok bool, err error) {
	turns, err := d.Turns(ctx, record.TurnQuery{Account: e.Account, Peer: e.Peer, Timer: view.TimerBurst, Since: e.HandledAt, Limit: view.MostBursts})
	if err != nil {
		return burst, false, err
	}
	var found *record.TurnRow
	for i := len(turns) - 1; i >= 0 && found == nil; i-- {
		if replay.Gathers(&record.Recorded{Turn: &turns[i]}, e.ID) {
			found = &turns[i]
		}
	}
	for i := len(turns) - 1; i >= 0 && found == nil; i-- {
		if turns[i].Record.Outcome == bot.OutcomeOwned { // it is looked at again later
			found = &turns[i]
		}
	}
	if found == nil {
		return burst, false, nil
	}
	burst.Turn = found
	return burst, true, completeID(ctx, d, &burst)
}

// HandledAt returns when a turn was handled.
func HandledAt(r *record.Recorded) time.Time {
	if r.Event != nil {
		return r.Event.HandledAt
	}
	return r.Turn.HandledAt
}
