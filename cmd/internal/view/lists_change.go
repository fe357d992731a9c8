package view

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/platform"
)

// PausedRules is the list of the rules that stopped themselves.
const PausedRules = "paused"

// listedJSON is what became of a change of a list, for machines.
type listedJSON struct {
	Account event.Account   `json:"account"`
	List    string          `json:"list"`
	Key     string          `json:"key"`
	Peer    platform.UserID `json:"peer,omitempty"`
	Changed bool            `json:"changed"`
}

// AddToList puts a person on a list.
func (v *View) AddToList(ctx context.Context, list, person string) error {
	key, err := v.keyOfOutsider(ctx, person)
	if err != nil {
		return err
	}
	listed, err := v.Listed(ctx, key, list)
	if err != nil {
		return err
	}
	e := event.Entry{Account: key.Account, List: list, Key: strconv.FormatInt(int64(key.Peer), 10), Peer: key.Peer, Text: "added by a person"}
	if !listed {
		if _, err := v.AddEntry(ctx, e); err != nil {
			return err
		}
	}
	if v.JSON {
		return print.WriteLine(v.Out, listedJSON{e.Account, list, e.Key, e.Peer, !listed})
	}
	now := map[bool]string{true: "was", false: "is"}[listed]
	return print.SayLine(v.Out, "%s %s on the list %s", print.PlainText(person, 40), now, print.PlainText(list, 40))
}

// keyOfOutsider returns the conversation with a person, who need not have one when named by number.
func (v *View) keyOfOutsider(ctx context.Context, person string) (event.Key, error) {
	number, err := strconv.ParseInt(person, 10, 64)
	if err != nil {
		return v.Find(ctx, person)
	}
	switch {
	case number < 1:
		return event.Key{}, fmt.Errorf("%s is nobody's number", person)
	case len(v.Meant) == 0:
		return event.Key{}, errors.New("no account has been at work on this database yet: start the bot once")
	case len(v.Meant) > 1:
		return event.Key{}, fmt.Errorf("there are several accounts: say which one has the list, with --account %s", v.Meant[0])
	}
	return event.Key{Account: v.Meant[0], Peer: platform.UserID(number)}, nil
}

// RemoveFromList takes entries off a list: the one with a key, or those about a person.
func (v *View) RemoveFromList(ctx context.Context, list, what string) error {
	entries, err := v.listedEntries(ctx, list, what)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if list == PausedRules {
			// First the count, then the entry: a rule that goes on with what has stopped it would stop at once again.
			if err := v.ForgetUses(ctx, e.Account, rules.TooManyLimit(e.Key)); err != nil {
				return err
			}
		}
		gone, err := v.RemoveEntry(ctx, e.Account, list, e.Key)
		if err != nil {
			return err
		}
		if v.JSON {
			if err := print.WriteLine(v.Out, listedJSON{e.Account, list, e.Key, e.Peer, gone}); err != nil {
				return err
			}
		}
	}
	switch {
	case v.JSON:
		return nil
	case list == PausedRules:
		_, err = fmt.Fprintf(v.Out, "%s goes on\n", print.PlainText(what, 40))
	default:
		_, err = fmt.Fprintf(v.Out, "%s is off the list %s\n", print.PlainText(what, 40), print.PlainText(list, 40))
	}
	return err
}

// listedEntries returns the entries of a list with a key, or about a person.
func (v *View) listedEntries(ctx context.Context, list, what string) ([]event.Entry, error) {
	those, err := v.AmongMeant(ctx, record.Having{Thing: record.HasEntriesOn, List: list})
	if err != nil {
		return nil, err
	}
	var byKey, about []event.Entry
	for _, account := range those {
		var peers []platform.UserID
		keys, err := v.findKeys(ctx, []event.Account{account}, what)
		if err != nil {
			return nil, err
		}
		for _, k := range keys {
			peers = append(peers, k.Peer)
		}
		err = v.eachEntry(ctx, account, list, func(e event.Entry) {
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
	// A person before a key: an entry may by chance be called like somebody.
	case strings.HasPrefix(what, "@") && len(about) > 0:
		return about, nil
	case len(byKey) > 0:
		return byKey, nil
	case len(about) > 0:
		return about, nil
	}
	return nil, fmt.Errorf("%s is not on the list %s; nectar lists %s shows what is", print.PlainText(what, 80), print.PlainText(list, 40), print.PlainText(list, 40))
}
