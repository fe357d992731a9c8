package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/spf13/cobra"
)

const approveHelp = `Approve lets actions leave that a rule on ask prepared, and does what else the rule
says: labels, lists, notices, a handoff. All that one rule prepared is one: approve any
of its numbers. The limits of the rule count now: what they do not allow any more is
taken back instead, and so is what is older than answer_within; that is said. What was
planned for a time leaves at that time.

Without a running bot it is done when one starts.`

const refuseHelp = `Refuse takes back all that a rule on ask prepared, also what waits beside it. It is
kept as withdrawn, and does not count for the limits of the rule.

Without a running bot it is done when one starts.`

const releaseHelp = `Release lets held actions leave, at the end of what their conversation is sending.

An action that does not wait for approval is held because nobody could find out
whether it had happened. One that is released is done again: a message that had
arrived all the same arrives a second time. Look at the conversation on the platform
first; what is there already you drop. Likes, reposts and follows are never done
twice: their state is read.

Without a running bot it is done when one starts.`

const dropHelp = `Drop takes back actions that are held, or due and have not left: the bot does not do
them any more, and they are kept as withdrawn. Nothing changes on the platform.

Without a running bot it is done when one starts.`

// heldCommand decides about actions that are held.
type heldCommand struct {
	name        string
	wish        event.Wish
	approval    bool // only about what needs approval; it takes --all
	short, long string
}

func heldCommands() []heldCommand {
	return []heldCommand{
		{"approve", event.WishRelease, true, "Let what waits for approval leave", approveHelp},
		{"refuse", event.WishDrop, true, "Take back what waits for approval", refuseHelp},
		{"release", event.WishRelease, false, "Let held actions leave after all", releaseHelp},
		{"drop", event.WishDrop, false, "Take held actions back", dropHelp},
	}
}

// heldChoice is about which of them.
type heldChoice struct {
	all        bool
	rule, peer string
	wait       time.Duration
}

func (c heldCommand) command(sh shell, f *deskFlags) *cobra.Command {
	var choice heldChoice
	cmd := &cobra.Command{
		Use:     c.name + " KEY…",
		Short:   c.short,
		Long:    c.long,
		Example: "  nectar outbox " + c.name + " 482913\n  nectar outbox " + c.name + " message:501/rules/0",
		Args:    func(cmd *cobra.Command, keys []string) error { return c.check(cmd, keys, &choice) },
		RunE: sh.atDesk(f, func(ctx context.Context, d *desk, keys []string) error {
			return c.decide(ctx, d, keys, &choice)
		}),
	}
	if c.approval {
		cmd.Use += " | --all"
		cmd.Example += "\n  nectar outbox " + c.name + " --all --rule welcome-followers"
		cmd.Flags().BoolVar(&choice.all, "all", false, "all that waits for approval")
		cmd.Flags().StringVar(&choice.rule, "rule", "", "with --all: only what the rule with this `id` decided")
		cmd.Flags().StringVar(&choice.rule, "campaign", "", "with --all: only slots of the campaign with this `id`")
		cmd.Flags().StringVar(&choice.peer, "peer", "", "with --all: only about this `person`: @name or number")
	}
	waitFlag(cmd, &choice.wait)
	asFlag(cmd, f)
	return cmd
}

func (c heldCommand) check(cmd *cobra.Command, keys []string, choice *heldChoice) error {
	switch {
	case !choice.all && (choice.rule != "" || choice.peer != ""):
		return badUsage(cmd, errors.New("--rule, --campaign and --peer go with --all"))
	case choice.all == (len(keys) > 0) && c.approval:
		return badUsage(cmd, errors.New("name actions by their numbers or keys, or all of them with --all; nectar outbox --needs-approval lists them"))
	case len(keys) == 0 && !choice.all:
		return badUsage(cmd, errors.New("name actions by their numbers or keys; nectar outbox --held lists them"))
	}
	return nil
}

func (c heldCommand) decide(ctx context.Context, d *desk, keys []string, choice *heldChoice) error {
	chosen, err := c.chosen(ctx, d, keys, choice)
	if err != nil {
		return err
	}
	if len(chosen) == 0 {
		if d.json {
			return nil
		}
		_, err := fmt.Fprintln(d.out, "nothing waits for approval")
		return err
	}
	if err := d.tellSlots(ctx, chosen); err != nil {
		return err
	}
	approvals, err := d.approvals(ctx, chosen)
	if err != nil {
		return err
	}
	var decisions []decision
	known := map[string]bool{}
	for i := range chosen {
		a := &chosen[i]
		if p := approvals[a.Account][a.Key]; p.Verdict.Ruling == "" && p.Group != "" { // what waits together is decided about once
			of := string(a.Account) + " " + p.Group
			if known[of] {
				continue
			}
			known[of] = true
		}
		wish := c.wish
		if a.State == event.StateDue {
			wish = event.WishRecall
		}
		decisions = append(decisions, decision{event.Request{Key: a.Conversation(), Wish: wish, Action: a.Key}, a.Key})
	}
	return d.decide(ctx, choice.wait, decisions)
}

// chosen returns the actions that are to be decided about, those that have waited longest first.
func (c heldCommand) chosen(ctx context.Context, d *desk, keys []string, choice *heldChoice) ([]event.Action, error) {
	var chosen []event.Action
	if choice.all {
		l := actionList{approval: true, rule: choice.rule, peer: choice.peer, limit: sifted}
		deeds, err := l.read(ctx, d)
		for i := range slices.Backward(deeds) {
			chosen = append(chosen, deeds[i].Action)
		}
		return chosen, err
	}
	for _, key := range keys {
		a, err := d.openAction(ctx, key, c.wish == event.WishDrop && !c.approval)
		if err != nil {
			return nil, err
		}
		if c.approval && a.Reason != needsApproval {
			return nil, fmt.Errorf("%s does not wait for approval: %s. Look at the platform, then nectar outbox release or drop it", a.Key, plain(a.Reason, 160))
		}
		chosen = append(chosen, a)
	}
	return chosen, nil
}

// heldAction returns an action by its key or its number, which has to be held.
func (d *desk) heldAction(ctx context.Context, key string) (event.Action, error) {
	return d.openAction(ctx, key, false)
}

// openAction returns an action by its key or its number, which has to be held, or due when that will do, too.
func (d *desk) openAction(ctx context.Context, key string, due bool) (event.Action, error) {
	fits := func(a *event.Action) bool { return a.State == event.StateHeld || due && a.State == event.StateDue }
	those, err := d.among(ctx, record.Having{Thing: record.HasAction, Text: key})
	if err != nil {
		return event.Action{}, err
	}
	var held []event.Action
	state := event.State("")
	for _, account := range those {
		a, ok, err := d.Action(ctx, account, key)
		if err != nil {
			return event.Action{}, err
		}
		if ok && fits(&a) {
			held = append(held, a)
		} else if ok {
			state = a.State
		}
	}
	if len(held) == 0 && state == "" {
		var err error
		if held, err = d.numbered(ctx, key); err != nil {
			return event.Action{}, err
		}
		if len(held) == 1 && !fits(&held[0]) { // somebody has decided about it
			held, state, key = nil, held[0].State, held[0].Key
		}
	}
	list := "nectar outbox --held lists what is held"
	if due {
		list = "nectar outbox lists what is held or due"
	}
	switch {
	case len(held) == 1:
		return held[0], nil
	case len(held) > 1 && held[0].Key == held[1].Key:
		return event.Action{}, fmt.Errorf("several accounts have an action %s: say which one, with --account %s", key, held[0].Account)
	case len(held) > 1:
		return event.Action{}, fmt.Errorf("%s is the number of several actions: write the key instead, like %s", key, held[0].Key)
	case state != "":
		return event.Action{}, fmt.Errorf("%s is %s, not held; %s", key, state, list)
	}
	return event.Action{}, fmt.Errorf("there is no action %q; %s", key, list)
}

// numbering returns the accounts that may have an action with a number, in a state.
func (d *desk) numbering(ctx context.Context, state event.State, number string) ([]event.Account, error) {
	if state == "" {
		return d.Numbered(ctx, d.accounts, number)
	}
	return d.among(ctx, record.Having{Thing: record.HasActions, State: string(state)})
}

// numbered returns the held actions with a number; when there are none, those that were held, as far as they are
// among the last ones.
func (d *desk) numbered(ctx context.Context, number string) ([]event.Action, error) {
	for _, state := range []event.State{event.StateHeld, event.StateDue, ""} {
		those, err := d.numbering(ctx, state, number)
		if err != nil {
			return nil, err
		}
		var found []event.Action
		for _, account := range those {
			actions, err := d.Actions(ctx, record.ActionQuery{Account: account, State: state, Limit: sifted})
			if err != nil {
				return nil, err
			}
			found = append(found, slices.DeleteFunc(actions, func(a event.Action) bool { return shortNumber(&a) != number })...)
		}
		if len(found) > 0 {
			return found, nil
		}
	}
	return nil, nil
}
