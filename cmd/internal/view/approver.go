package view

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

// The books of campaigns name who has approved their slots, for good: in entries of their own, which go when that person is forgotten. It
// may be a person of the platform, or somebody of whom nothing else is kept.

// findKept returns all that is kept of a person, with the approvals under that name, which it returns alone, too. Of somebody who is
// nobody of the platform, and has approved something, there is nothing else.
func (v *View) findKept(ctx context.Context, text string, outsiders bool) (*record.Person, []event.Entry, error) {
	p, unknown := v.FindPerson(ctx, text, outsiders)
	names := []string{text}
	if p != nil {
		_, user := p.Names()
		names = append(names, user, strconv.FormatInt(int64(p.Key.Peer), 10))
	}
	approvals, err := v.approvalsBy(ctx, names)
	if err != nil || len(approvals) == 0 {
		return p, nil, cmp.Or(err, unknown)
	}
	if p == nil {
		p = &record.Person{}
	}
	p.Entries = append(p.Entries, approvals...)
	return p, approvals, nil
}

// approvalsBy returns the entries of books that have one of some names.
func (v *View) approvalsBy(ctx context.Context, names []string) (found []event.Entry, err error) {
	same := func(by string) bool {
		return slices.ContainsFunc(names, func(n string) bool {
			return n != "" && strings.EqualFold(strings.TrimPrefix(n, "@"), strings.TrimPrefix(by, "@"))
		})
	}
	those, err := v.AmongMeant(ctx, plugin.Having())
	for _, account := range those {
		kept, err := plugin.Read(ctx, v.Inspector, account)
		if err != nil {
			return nil, err
		}
		for _, id := range slices.Sorted(maps.Keys(kept.Memories)) {
			for after := ""; ; {
				some, err := plugin.ReadBook(ctx, v.Inspector, account, id, after, entriesAtOnce)
				if err != nil {
					return nil, err
				}
				if len(some) == 0 {
					break
				}
				for i := range some {
					if after = some[i].Slot.String(); some[i].By.Key != "" && same(some[i].By.Text) { //mutate:book-nameless
						found = append(found, some[i].By)
					}
				}
			}
		}
	}
	return found, err
}

// forgetApprovals takes a name out of the books: the slots stay, and so does when they were approved.
func (v *View) forgetApprovals(ctx context.Context, text string, approvals []event.Entry) error {
	for i := range approvals {
		e := &approvals[i]
		gone, err := v.RemoveEntry(ctx, e.Account, e.List, e.Key)
		if err != nil {
			return err
		}
		if v.JSON {
			if err := print.WriteLine(v.Out, listedJSON{e.Account, e.List, e.Key, e.Peer, gone}); err != nil {
				return err
			}
		}
	}
	if len(approvals) == 0 || v.JSON {
		return nil
	}
	_, err := fmt.Fprintf(v.Out, "%s: the books of campaigns do not say any more who has approved %s\n", print.PlainText(text, 40), print.CountText(len(approvals), "slot", "slots"))
	return err
}

// ExportPerson writes all that is kept of a person.
func (v *View) ExportPerson(ctx context.Context, text string) error {
	p, _, err := v.findKept(ctx, text, false)
	if err != nil {
		return err
	}
	v.Private = true
	return print.WriteJSON(v.Out, v.PersonForMachines(p))
}
