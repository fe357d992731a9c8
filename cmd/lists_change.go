package cmd

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/platform"
	"github.com/spf13/cobra"
)

// pausedRules is the list of the rules that stopped themselves.
const pausedRules = "paused"

const listAddHelp = `Add puts a person on a list that rules ask for, as in not_in_list: [do-not-touch].
Somebody the bot has not met is named by number. It takes effect at once.`

const listRemoveHelp = `Remove takes something off a list: by its key as nectar lists NAME shows it, or all
entries about a person. It takes effect at once.

  nectar lists remove paused RULE   lets a rule go on that stopped itself; its
                                    if_too_many begins to count anew`

func newListAdd(sh shell, f *deskFlags) *cobra.Command {
	yes := false
	cmd := &cobra.Command{
		Use:     "add NAME PERSON",
		Short:   "Put a person on a list",
		Long:    listAddHelp,
		Example: "  nectar lists add do-not-touch @ana\n  nectar lists add do-not-touch 90",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) != 2 || args[0] == "":
				return badUsage(cmd, errors.New("name a list and a person, like @ana or 90"))
			case args[0] == pausedRules:
				return badUsage(cmd, errors.New("on this list stand rules that stopped themselves; to stop one, write status: paused into its file"))
			}
			return nil
		},
		RunE: sh.atDesk(f, func(ctx context.Context, d *desk, args []string) error {
			if near, err := d.nearList(ctx, args[0]); err != nil {
				return err
			} else if near != "" && !yes {
				question := fmt.Sprintf("Nothing stands on a list %s, and no rule asks for it. Did you mean %s? Begin a new list %[1]s all the same?", quoted(args[0], 40), quoted(near, 40))
				if err := confirm(d.out, sh.stdin, question); err != nil {
					return err
				}
			}
			return d.enlist(ctx, args[0], args[1])
		}),
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask when the name of the list looks like a slip")
	return cmd
}

func newListRemove(sh shell, f *deskFlags) *cobra.Command {
	return &cobra.Command{
		Use:     "remove NAME KEY|PERSON",
		Short:   "Take something off a list",
		Long:    listRemoveHelp,
		Example: "  nectar lists remove do-not-touch @ana\n  nectar lists remove paused welcome-followers",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return badUsage(cmd, errors.New("name a list, and a key or a person, like @ana or 90"))
			}
			return nil
		},
		RunE: sh.atDesk(f, func(ctx context.Context, d *desk, args []string) error { return d.delist(ctx, args[0], args[1]) }),
	}
}

// listedJSON is what became of a change of a list, for machines.
type listedJSON struct {
	Account event.Account   `json:"account"`
	List    string          `json:"list"`
	Key     string          `json:"key"`
	Peer    platform.UserID `json:"peer,omitempty"`
	Changed bool            `json:"changed"`
}

// enlist puts a person on a list.
func (d *desk) enlist(ctx context.Context, list, person string) error {
	key, err := d.stranger(ctx, person)
	if err != nil {
		return err
	}
	listed, err := d.Listed(ctx, key, list)
	if err != nil {
		return err
	}
	e := event.Entry{Account: key.Account, List: list, Key: strconv.FormatInt(int64(key.Peer), 10), Peer: key.Peer, Text: "added by a person"}
	if !listed {
		if _, err := d.AddEntry(ctx, e); err != nil {
			return err
		}
	}
	if d.json {
		return printLine(d.out, listedJSON{e.Account, list, e.Key, e.Peer, !listed})
	}
	now := map[bool]string{true: "was", false: "is"}[listed]
	_, err = fmt.Fprintf(d.out, "%s %s on the list %s\n", plain(person, 40), now, plain(list, 40))
	return err
}

// stranger returns the conversation with a person, who need not have one when named by number.
func (d *desk) stranger(ctx context.Context, person string) (event.Key, error) {
	number, err := strconv.ParseInt(person, 10, 64)
	if err != nil {
		return d.find(ctx, person)
	}
	switch {
	case number < 1:
		return event.Key{}, fmt.Errorf("%s is nobody's number", person)
	case len(d.accounts) == 0:
		return event.Key{}, errors.New("no account has been at work on this database yet: start the bot once")
	case len(d.accounts) > 1:
		return event.Key{}, fmt.Errorf("there are several accounts: say which one has the list, with --account %s", d.accounts[0])
	}
	return event.Key{Account: d.accounts[0], Peer: platform.UserID(number)}, nil
}

// delist takes entries off a list: the one with a key, or those about a person.
func (d *desk) delist(ctx context.Context, list, what string) error {
	entries, err := d.listed(ctx, list, what)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if list == pausedRules {
			if err := d.ForgetUses(ctx, e.Account, rules.TooManyLimit(e.Key)); err != nil {
				return err
			}
		}
		gone, err := d.RemoveEntry(ctx, e.Account, list, e.Key)
		if err != nil {
			return err
		}
		if d.json {
			if err := printLine(d.out, listedJSON{e.Account, list, e.Key, e.Peer, gone}); err != nil {
				return err
			}
		}
	}
	switch {
	case d.json:
		return nil
	case list == pausedRules:
		_, err = fmt.Fprintf(d.out, "%s goes on\n", plain(what, 40))
	default:
		_, err = fmt.Fprintf(d.out, "%s is off the list %s\n", plain(what, 40), plain(list, 40))
	}
	return err
}

// listed returns the entries of a list with a key, or about a person.
func (d *desk) listed(ctx context.Context, list, what string) ([]event.Entry, error) {
	those, err := d.among(ctx, record.Having{Thing: record.HasEntriesOn, List: list})
	if err != nil {
		return nil, err
	}
	var byKey, about []event.Entry
	for _, account := range those {
		var peers []platform.UserID
		keys, err := d.findIn(ctx, account, what)
		if err != nil {
			return nil, err
		}
		for _, k := range keys {
			peers = append(peers, k.Peer)
		}
		err = d.entries(ctx, account, list, func(e event.Entry) {
			if e.Key == what {
				byKey = append(byKey, e)
			}
			for _, p := range peers {
				if e.Peer == p {
					about = append(about, e)
				}
			}
		})
		if err != nil {
			return nil, err
		}
	}
	switch {
	case strings.HasPrefix(what, "@") && len(about) > 0:
		return about, nil
	case len(byKey) > 0:
		return byKey, nil
	case len(about) > 0:
		return about, nil
	}
	return nil, fmt.Errorf("%s is not on the list %s; nectar lists %s shows what is", plain(what, 80), plain(list, 40), plain(list, 40))
}
