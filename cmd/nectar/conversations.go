package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/store"
	"github.com/nectar-bot/nectar/platform"
	"github.com/spf13/cobra"
)

const conversationsHelp = `Conversations lists the people the bot dealt with last, and who has the
conversation: the bot, or a person of yours. It works while the bot runs.

Where a person of yours wrote, on the phone or anywhere else, the bot is silent
for a while by itself; here you take a conversation over and give it back.`

const takeOverHelp = `Take-over makes the bot silent in a conversation until you give it back, or for
some time. What it was going to send there is taken back. It goes on to note what
the person writes.

Without a running bot it is done when one starts.`

const giveBackHelp = `Give-back lets the bot speak again in a conversation that a person had, in
whatever way it came to that.

Without a running bot it is done when one starts.`

// defaultOwner is who takes a conversation over unless somebody is named. A name of its own: a takeover
// by writing in the chat ends by itself.
const defaultOwner = "team"

// conversationList is which conversations are wanted.
type conversationList struct {
	deskFlags
	takenOver bool
	owner     string
	limit     int
}

func newConversations(sh shell) *cobra.Command {
	var l conversationList
	cmd := &cobra.Command{
		Use:     "conversations",
		Short:   "List conversations, take them over, give them back",
		Long:    conversationsHelp,
		Example: "  nectar conversations --taken-over\n  nectar conversations show @ana\n  nectar conversations take-over @ana --for 2h",
		GroupID: groupCare,
		Args:    usage(knownConversation),
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
	f.BoolVar(&l.takenOver, "taken-over", false, "only those that a person has")
	f.StringVar(&l.owner, "owner", "", "only those that this `person` or team has")
	l.limit = defaultLimit
	f.Var((*number)(&l.limit), "limit", "at most this `number`")
	cmd.SuggestionsMinimumDistance = 2
	cmd.AddCommand(newShow(sh, &l.deskFlags), newTakeOver(sh, &l.deskFlags), newGiveBack(sh, &l.deskFlags))
	return cmd
}

// talk is a conversation in a list.
type talk struct {
	store.ConversationRow
	last  time.Time // when something was last seen in it, where the list is about that
	until time.Time // when the bot speaks again by itself; zero for never
}

// recently is how many of an account's last events are looked at for the people in them.
const recently = 1000

func (l *conversationList) read(ctx context.Context, d *desk) ([]talk, error) {
	var all []talk
	for _, account := range d.accounts {
		var talks []talk
		var err error
		if l.takenOver || l.owner != "" {
			talks, err = d.owned(ctx, account, l.owner, l.limit)
		} else {
			talks, err = d.recent(ctx, account, l.limit)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, talks...)
	}
	slices.SortStableFunc(all, func(a, b talk) int {
		return cmp.Or(b.last.Compare(a.last), b.OwnerSince.Compare(a.OwnerSince))
	})
	all = all[:min(len(all), l.limit)]
	for i := range all {
		if all[i].Owner == "" {
			continue
		}
		var err error
		if all[i].until, err = d.Timer(ctx, all[i].Key, bot.TakebackTimer); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// owned returns the conversations that somebody has.
func (d *desk) owned(ctx context.Context, account event.Account, owner string, limit int) ([]talk, error) {
	rows, err := d.Owned(ctx, account, owner, limit)
	talks := make([]talk, len(rows))
	for i := range rows {
		talks[i].ConversationRow = rows[i]
	}
	return talks, err
}

// recent returns the conversations in which something happened last.
func (d *desk) recent(ctx context.Context, account event.Account, limit int) ([]talk, error) {
	events, err := d.Events(ctx, store.EventQuery{Account: account, Limit: recently})
	if err != nil {
		return nil, err
	}
	var talks []talk
	places := map[platform.UserID]int{}
	for i := range events {
		e := &events[i]
		if _, ok := places[e.Peer]; ok || len(talks) == limit {
			continue
		}
		places[e.Peer] = len(talks)
		t := talk{last: e.SeenAt}
		t.Key, t.Name, t.User = e.Key(), e.Name, e.User
		talks = append(talks, t)
	}
	peers := make([]platform.UserID, len(talks))
	for i := range talks {
		peers[i] = talks[i].Key.Peer
	}
	rows, err := d.Conversations(ctx, account, peers)
	for i := range rows {
		talks[places[rows[i].Key.Peer]].ConversationRow = rows[i]
	}
	return talks, err
}

func (l *conversationList) print(ctx context.Context, d *desk) error {
	talks, err := l.read(ctx, d)
	if err != nil {
		return err
	}
	asked, err := d.waiting(ctx)
	if err != nil {
		return err
	}
	t := table{head: []string{"WHO", "NUMBER", "NAME", "ACCOUNT", "LAST SEEN", "OWNER", "SINCE", "UNTIL", "FLOW", "LABELS"}}
	for i := range talks {
		c := &talks[i]
		if d.json {
			if err := printLine(d.out, conversationForMachines(c)); err != nil {
				return err
			}
			continue
		}
		last := when(c.last)
		t.add(who(c.User, int64(c.Key.Peer)), strconv.FormatInt(int64(c.Key.Peer), 10), plain(c.Name, 24), string(c.Key.Account),
			last, and(has(c.Owner), asked.talk(c.Key)), when(c.OwnerSince), when(c.until), standsIn(c), strings.Join(c.Labels, ", "))
	}
	if d.json {
		return nil
	}
	none := "there is no conversation yet"
	switch {
	case l.owner != "":
		none = quoted(l.owner, 0) + " has no conversation"
	case l.takenOver:
		none = "the bot has all conversations"
	}
	return d.print(&t, none)
}

// has names the owner of a conversation.
func has(owner string) string { return plain(cmp.Or(owner, "bot"), 24) }

// standsIn says in which flow a conversation stands.
func standsIn(c *talk) string {
	if !c.Flow.Active() {
		return "–"
	}
	return plain(c.Flow.Flow+": "+c.Flow.State, 40)
}

// conversationJSON is a conversation for machines. An empty owner is the bot.
type conversationJSON struct {
	Account    event.Account   `json:"account"`
	Peer       platform.UserID `json:"peer"`
	User       string          `json:"user,omitempty"`
	Name       string          `json:"name,omitempty"`
	LastSeenAt time.Time       `json:"last_seen_at,omitzero"`
	Owner      string          `json:"owner"`
	OwnerSince time.Time       `json:"owner_since,omitzero"`
	OwnerUntil time.Time       `json:"owner_until,omitzero"`
	Flow       string          `json:"flow,omitempty"`
	FlowState  string          `json:"flow_state,omitempty"`
	Labels     []string        `json:"labels,omitempty"`
}

func conversationForMachines(c *talk) conversationJSON {
	return conversationJSON{
		c.Key.Account, c.Key.Peer, c.User, c.Name, c.last.UTC(), c.Owner, c.OwnerSince.UTC(), c.until.UTC(),
		c.Flow.Flow, c.Flow.State, c.Labels,
	}
}

// knownConversation refuses what is no command about conversations, and says what may be meant.
func knownConversation(cmd *cobra.Command, args []string) error {
	if len(args) == 1 && strings.HasPrefix(args[0], "@") {
		return fmt.Errorf("say what to do with the conversation, as in: nectar conversations show %s", args[0])
	}
	return knownCommand(cmd, args)
}

// onePerson checks that a command got one person.
func onePerson(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return badUsage(cmd, errors.New("name one person, like @ana or 90"))
	}
	return nil
}

func newTakeOver(sh shell, f *deskFlags) *cobra.Command {
	var wait, length time.Duration
	var owner string
	cmd := &cobra.Command{
		Use:     "take-over PERSON",
		Short:   "Make the bot silent in a conversation",
		Long:    takeOverHelp,
		Example: "  nectar conversations take-over @ana\n  nectar conversations take-over 90 --for 2h --as ines",
		Args:    onePerson,
		RunE: func(cmd *cobra.Command, args []string) error {
			if owner == "" || owner == bot.OwnedByPerson || owner == "bot" {
				return badUsage(cmd, errors.New("--as wants a name of a person or team; \"bot\" and \"person\" have a meaning of their own"))
			}
			q := event.Request{Wish: event.WishTakeOver, Owner: owner}
			if length > 0 {
				q.Until = time.Now().Add(length)
			}
			return sh.decideAbout(cmd, f, args[0], q, wait)
		},
	}
	cmd.Flags().Var((*span)(&length), "for", "give it back after this `time`, like 2h or 3d (default never)")
	cmd.Flags().StringVar(&owner, "as", defaultOwner, "`name` of who has it, a person or a team")
	waitFlag(cmd, &wait)
	return cmd
}

func newGiveBack(sh shell, f *deskFlags) *cobra.Command {
	var wait time.Duration
	cmd := &cobra.Command{
		Use:     "give-back PERSON",
		Short:   "Let the bot speak again in a conversation",
		Long:    giveBackHelp,
		Example: "  nectar conversations give-back @ana",
		Args:    onePerson,
		RunE: func(cmd *cobra.Command, args []string) error {
			return sh.decideAbout(cmd, f, args[0], event.Request{Wish: event.WishGiveBack}, wait)
		},
	}
	waitFlag(cmd, &wait)
	return cmd
}

// decideAbout decides about the conversation with a person.
func (sh shell) decideAbout(cmd *cobra.Command, f *deskFlags, person string, q event.Request, wait time.Duration) error {
	d, err := sh.desk(cmd, f)
	if err != nil {
		return err
	}
	defer d.close()
	if q.Key, err = d.find(cmd.Context(), person); err != nil {
		return err
	}
	return d.decide(cmd.Context(), wait, []decision{{q, person}})
}
