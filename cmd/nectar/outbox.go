package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/store"
	"github.com/nectar-bot/nectar/platform"
	"github.com/spf13/cobra"
)

const outboxHelp = `Outbox lists what the bot is to do on the platform and has not done yet: what waits
for a person first, then what nobody knows about, what is on its way, and what is
due. With --peer alone it lists all that was done with one person, newest first.
It works while the bot runs.

  held     waits for a person: look at the platform, then release or drop it
  unsure   left, and no answer came; the bot finds out by reading the platform
  sending  on its way
  due      waits for its time or its place`

const releaseHelp = `Release lets held actions leave, at the end of what their conversation is sending.

An action is held because nobody could find out whether it had happened. One that
is released is done again: a message that had arrived all the same arrives a
second time. Look at the conversation on the platform first; what is there already
you drop. Likes, reposts and follows are never done twice: their state is read.

Without a running bot it is done when one starts.`

const dropHelp = `Drop takes held actions back: the bot does not do them any more, and they are kept
as withdrawn. Nothing changes on the platform.

Without a running bot it is done when one starts.`

// actionList is which actions are wanted.
type actionList struct {
	deskFlags
	held, unsure, due bool
	peer              string
	limit             int
}

func newOutbox(sh shell) *cobra.Command {
	var l actionList
	cmd := &cobra.Command{
		Use:     "outbox",
		Short:   "List what is to be done, and release or drop what is held",
		Long:    outboxHelp,
		Example: "  nectar outbox --held\n  nectar outbox --peer @ana\n  nectar outbox release message:501/hello/0",
		GroupID: groupCare,
		Args:    usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			d, err := sh.desk(cmd, &l.deskFlags)
			if err != nil {
				return err
			}
			defer d.close()
			return l.print(cmd.Context(), d)
		},
	}
	l.add(cmd)
	f := cmd.Flags()
	f.BoolVar(&l.held, "held", false, "what waits for a person")
	f.BoolVar(&l.unsure, "unsure", false, "what left without an answer")
	f.BoolVar(&l.due, "due", false, "what waits for its time or its place")
	f.StringVar(&l.peer, "peer", "", "only of this `person`: @name or number")
	l.limit = defaultLimit
	f.Var((*number)(&l.limit), "limit", "at most this `number` of each state")
	cmd.AddCommand(
		newHeldCommand(sh, &l.deskFlags, event.WishRelease, "Let held actions leave after all", releaseHelp),
		newHeldCommand(sh, &l.deskFlags, event.WishDrop, "Take held actions back", dropHelp),
	)
	return cmd
}

// states returns the states that are wanted, in the order that matters; none for any.
func (l *actionList) states() []event.State {
	var states []event.State
	for _, s := range []struct {
		on    bool
		state event.State
	}{{l.held, event.StateHeld}, {l.unsure, event.StateUnsure}, {l.due, event.StateDue}} {
		if s.on {
			states = append(states, s.state)
		}
	}
	if len(states) == 0 && l.peer == "" {
		return []event.State{event.StateHeld, event.StateUnsure, event.StateSending, event.StateDue}
	}
	return states
}

func (l *actionList) read(ctx context.Context, d *desk) ([]event.Action, error) {
	key, err := d.peer(ctx, l.peer)
	if err != nil {
		return nil, err
	}
	states := l.states()
	if len(states) == 0 {
		return d.Actions(ctx, store.ActionQuery{Account: key.Account, Peer: key.Peer, Limit: l.limit})
	}
	var all []event.Action
	for _, state := range states {
		for _, account := range d.accounts {
			if key.Peer != 0 && account != key.Account {
				continue
			}
			actions, err := d.Actions(ctx, store.ActionQuery{Account: account, Peer: key.Peer, State: state, Limit: l.limit})
			if err != nil {
				return nil, err
			}
			all = append(all, actions...)
		}
	}
	return all, nil
}

func (l *actionList) print(ctx context.Context, d *desk) error {
	actions, err := l.read(ctx, d)
	if err != nil {
		return err
	}
	names, err := d.names(ctx, actions)
	if err != nil {
		return err
	}
	asked, err := d.waiting(ctx)
	if err != nil {
		return err
	}
	t := table{head: []string{"STATE", "DECIDED", "DUE", "ACCOUNT", "WHO", "WHAT", "KEY", "WHY"}}
	for i := range actions {
		a := &actions[i]
		if d.json {
			if err := printLine(d.out, actionForMachines(a)); err != nil {
				return err
			}
			continue
		}
		t.add(string(a.State), when(a.DecidedAt), when(a.Due), string(a.Account), who(names[a.Conversation()], int64(a.Peer)),
			does(a, 40), plain(a.Key, 0), and(plain(a.Reason, 160), asked.action(a)))
	}
	if d.json {
		return nil
	}
	none := "nothing is to be done"
	switch {
	case l.held && !l.unsure && !l.due:
		none = "nothing is held"
	case l.peer != "" && len(l.states()) == 0:
		none = "nothing was done"
	}
	return d.print(&t, none)
}

// names returns the user names of those whom actions are about.
func (d *desk) names(ctx context.Context, actions []event.Action) (map[event.Key]string, error) {
	peers := map[event.Account][]platform.UserID{}
	for i := range actions {
		a := &actions[i]
		peers[a.Account] = append(peers[a.Account], a.Peer)
	}
	names := map[event.Key]string{}
	for account, ids := range peers {
		rows, err := d.Conversations(ctx, account, ids)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			names[rows[i].Key] = rows[i].User
		}
	}
	return names, nil
}

// does says what an action is to do, or has done.
func does(a *event.Action, n int) string {
	verb := string(a.Verb)
	switch {
	case a.Verb == event.VerbMessage:
		return verb + " " + quoted(a.Text, n)
	case a.Verb == event.VerbPost && a.Post != 0:
		return fmt.Sprintf("reply to post %d %s", a.Post, quoted(a.Text, n))
	case a.Verb == event.VerbPost:
		return verb + " " + quoted(a.Text, n)
	case a.Verb.Toggle() && !a.Want:
		verb = "un" + verb
	}
	switch a.Verb {
	case event.VerbFollow:
		return fmt.Sprintf("%s %d", verb, a.User)
	case event.VerbDeleteMessage:
		return fmt.Sprintf("delete message %d", a.Message)
	case event.VerbDeletePost:
		return fmt.Sprintf("delete post %d", a.Post)
	default:
		return fmt.Sprintf("%s post %d", verb, a.Post)
	}
}

// actionJSON is an action for machines.
type actionJSON struct {
	Account   event.Account   `json:"account"`
	Key       string          `json:"key"`
	Peer      platform.UserID `json:"peer"`
	Verb      event.Verb      `json:"verb"`
	Text      string          `json:"text,omitempty"`
	Post      platform.PostID `json:"post,omitempty"`
	Target    int64           `json:"target,omitempty"`
	Want      bool            `json:"want,omitempty"`
	State     event.State     `json:"state"`
	Reason    string          `json:"reason,omitempty"`
	Result    int64           `json:"result,omitempty"`
	Tries     int             `json:"tries,omitempty"`
	DecidedAt time.Time       `json:"decided_at"`
	DueAt     time.Time       `json:"due_at"`
	LeftAt    time.Time       `json:"left_at,omitzero"`
	EndedAt   time.Time       `json:"ended_at,omitzero"`
}

func actionForMachines(a *event.Action) actionJSON {
	return actionJSON{
		a.Account, a.Key, a.Peer, a.Verb, a.Text, a.Post, a.Target(), a.Want, a.State, a.Reason, a.Result, a.Tries,
		a.DecidedAt.UTC(), a.Due.UTC(), a.LeftAt.UTC(), a.EndedAt.UTC(),
	}
}

// newHeldCommand is "outbox release" or "outbox drop".
func newHeldCommand(sh shell, f *deskFlags, wish event.Wish, short, long string) *cobra.Command {
	var wait time.Duration
	cmd := &cobra.Command{
		Use:     string(wish) + " KEY…",
		Short:   short,
		Long:    long,
		Example: "  nectar outbox " + string(wish) + " message:501/hello/0",
		RunE: func(cmd *cobra.Command, keys []string) error {
			if len(keys) == 0 {
				return badUsage(cmd, errors.New("name actions by their keys; nectar outbox --held lists them"))
			}
			d, err := sh.desk(cmd, f)
			if err != nil {
				return err
			}
			defer d.close()
			decisions := make([]decision, len(keys))
			for i, key := range keys {
				a, err := d.heldAction(cmd.Context(), key)
				if err != nil {
					return err
				}
				decisions[i] = decision{event.Request{Key: a.Conversation(), Wish: wish, Action: key}, key}
			}
			return d.decide(cmd.Context(), wait, decisions)
		},
	}
	waitFlag(cmd, &wait)
	return cmd
}

// heldAction returns an action by its key, which has to be held.
func (d *desk) heldAction(ctx context.Context, key string) (event.Action, error) {
	var held []event.Action
	state := event.State("")
	for _, account := range d.accounts {
		a, ok, err := d.Action(ctx, account, key)
		if err != nil {
			return event.Action{}, err
		}
		if ok && a.State == event.StateHeld {
			held = append(held, a)
		} else if ok {
			state = a.State
		}
	}
	const list = "nectar outbox --held lists what is held"
	switch {
	case len(held) == 1:
		return held[0], nil
	case len(held) > 1:
		return event.Action{}, fmt.Errorf("several accounts have an action %s: say which one, with --account %s", key, held[0].Account)
	case state != "":
		return event.Action{}, fmt.Errorf("%s is %s, not held; %s", key, state, list)
	}
	return event.Action{}, fmt.Errorf("there is no action %q; %s", key, list)
}
