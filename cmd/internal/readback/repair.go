package readback

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/audit"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/nectar-bot/nectar/platform"
)

// Repair is what an audit has asked the bot to do about what is missing.
type Repair struct {
	Running bool       `json:"running"` // a bot runs, and does it at once
	Asked   []Repaired `json:"asked"`
}

// Repaired is what was asked for about one person.
type Repaired struct {
	Account event.Account   `json:"account"`
	Peer    platform.UserID `json:"peer"`
	Name    string          `json:"name"`
	Events  []string        `json:"events"`
	// Outcome is "handled" when they are read again, "obsolete" when none of them is missing any more, "waiting" while the
	// bot has not got to it, and "asked before" when an audit has asked for the same and that waits.
	Outcome string `json:"outcome"`
	Note    string `json:"note"`
}

// What a repair may come to, beside what the bot answers.
const (
	RepairAsked   = "asked before"
	repairWaiting = "waiting"
	maxRequests   = 1 << 16 // that are looked through for one that asks for the same
)

// AskRepairs asks the bot to read again what is missing. What was asked for already is not asked for again.
func AskRepairs(ctx context.Context, file string, key platform.Secret, reports []audit.Report) (r *Repair, err error) {
	d, err := inspect.Open(ctx, file, key)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	r = &Repair{Asked: []Repaired{}}
	if r.Running, err = d.Running(); err != nil {
		return nil, err
	}
	waiting, err := d.Requests(ctx, event.Request{}, maxRequests)
	if err != nil {
		return nil, err
	}
	var wanted []event.Request
	for i := range reports {
		found, err := missed(&reports[i])
		if err != nil {
			return nil, err
		}
		wanted = append(wanted, found...)
		for _, q := range found {
			c := conversationOf(&reports[i], q.Key.Peer)
			r.Asked = append(r.Asked, Repaired{Account: q.Key.Account, Peer: q.Key.Peer, Name: c.Name, Events: c.MissingEvents})
		}
	}
	var open []int
	var asked []event.Request
	for i, q := range wanted {
		if slices.ContainsFunc(waiting, func(x event.Request) bool { return sameWish(x, q) }) {
			r.Asked[i].Outcome, r.Asked[i].Note = RepairAsked, "it waits since an earlier audit"
			continue
		}
		// One request for each person, and none that is asked for already: the same events would be read again, and nothing come of it.
		open, asked = append(open, i), append(asked, q)
	}
	if asked, err = d.Ask(ctx, asked...); err != nil {
		return nil, err
	}
	return r, r.await(ctx, d, open, asked)
}

// await waits for what a running bot says.
func (r *Repair) await(ctx context.Context, d inspect.Inspector, places []int, asked []event.Request) error {
	enough := time.Now()
	if r.Running {
		enough = enough.Add(view.DefaultWait)
	}
	for i, q := range asked {
		answer, _, err := inspect.Await(ctx, d, q, enough)
		if err != nil {
			return err
		}
		x := &r.Asked[places[i]]
		if x.Outcome, x.Note = answer.Outcome, answer.Note; answer.Outcome == "" {
			x.Outcome, x.Note = repairWaiting, "asked for"
		}
	}
	return nil
}

// missed returns what to ask for about what a report misses, for each person.
func missed(r *audit.Report) ([]event.Request, error) {
	var wanted []event.Request
	for _, c := range r.Conversations {
		if len(c.MissingEvents) == 0 {
			continue
		}
		q := event.Request{Key: event.Key{Account: r.Account, Peer: c.Peer}, Wish: event.WishReread, AskedAt: time.Now()}
		for _, text := range c.MissingEvents {
			id, err := event.ParseID(text)
			if err != nil {
				return nil, err
			}
			q.Events = append(q.Events, id)
		}
		wanted = append(wanted, q)
	}
	return wanted, nil
}

func conversationOf(r *audit.Report, peer platform.UserID) *audit.Conversation {
	i := slices.IndexFunc(r.Conversations, func(c *audit.Conversation) bool { return c.Peer == peer })
	return r.Conversations[i]
}

// sameWish reports whether two requests ask for the same.
func sameWish(x, y event.Request) bool {
	return x.Wish == y.Wish && x.Key == y.Key && slices.Equal(x.Events, y.Events)
}

// Print says what was asked for, and what will happen.
func (r *Repair) Print(w io.Writer, file string) {
	say := print.SayTo(w)
	if len(r.Asked) == 0 {
		say("nothing is missing that could be read again: nothing was changed")
		return
	}
	later := false
	for _, x := range r.Asked {
		say("with %d %s: %s: %s", x.Peer, x.Name, shortenIDs(x.Events), x.Note)
		later = later || x.Outcome == repairWaiting || x.Outcome == RepairAsked
	}
	switch {
	case later && !r.Running:
		say("No bot runs on %s at the moment: it is done when one starts.", file)
	case later:
		say("The bot did not get to all of it within %v, and does it later.", view.DefaultWait)
	}
	say("What the bot comes to know so is handled once, however old it is; what it knows already is not handled again.")
}
