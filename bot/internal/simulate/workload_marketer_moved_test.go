package simulate_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

// edits lets people edit what a shop has. A slot that has happened, and has another clock now, must not come again.
func (g *marketer) edits(ctx context.Context, inspector inspect.Inspector, s *shop, d *draw) error {
	before := slices.Clone(s.force)
	s.edit(d)
	stored, err := plugin.Read(ctx, inspector, s.name)
	if err != nil {
		return err
	}
	for i := range before {
		old := &before[i]
		at := slices.IndexFunc(s.force, func(c campaigns.Campaign) bool { return c.ID == old.ID })
		if at < 0 {
			continue
		}
		m := stored.Memories[old.ID]
		from, to, is := moved(old, &s.force[at])
		if _, known := m.Book[to]; is && !known && m.Book[from].State == campaigns.Done && sees(&m, old) {
			s.barred[to] = from
		}
	}
	return nil
}

// moved returns the one slot of a day that is another one now.
func moved(old, c *campaigns.Campaign) (from, to campaigns.SlotID, is bool) {
	without := func(all, others []campaigns.Line) []campaigns.Line {
		return slices.DeleteFunc(slices.Clone(all), func(l campaigns.Line) bool { return slices.Contains(others, l) })
	}
	gone, come := without(old.Lines, c.Lines), without(c.Lines, old.Lines)
	if len(gone) != 1 || len(come) != 1 || gone[0].When.Day != come[0].When.Day {
		return from, to, false
	}
	of := func(l campaigns.Line) campaigns.SlotID {
		return campaigns.SlotID{Campaign: c.ID, Day: l.When.Day, Clock: l.When.Clock}
	}
	return of(gone[0]), of(come[0]), true
}

// sees reports whether the bot has seen the campaign as it is written.
func sees(m *campaigns.Memory, c *campaigns.Campaign) bool {
	return slices.EqualFunc(m.Force.Lines, c.Lines, func(line string, l campaigns.Line) bool { return line == l.When.String() })
}

// again returns the slots that came, although they stand for others that had happened.
func (s *shop) again(a *campaigns.Account) (wrong []string) {
	for to, from := range s.barred {
		if e := a.Memories[to.Campaign].Book[to]; e.State == campaigns.Done || e.State == campaigns.Going {
			wrong = append(wrong, fmt.Sprintf("%s has happened as %s before", to, from))
		}
	}
	return wrong
}
