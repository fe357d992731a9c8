package demo

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

// shopBooks is what the bot's books say.
type shopBooks struct {
	slot  map[platform.PostID][]time.Time // for which the bot has published a post
	empty map[string]int                  // reasons
	open  int                             // slots that are not over
	hand  []string                        // slots that stayed empty for what somebody did by hand
}

// readBooks reads them.
func (sh *shopping) readBooks(ctx context.Context, inspector inspect.Inspector) (shopBooks, error) {
	b := shopBooks{slot: map[platform.PostID][]time.Time{}, empty: map[string]int{}}
	for i := range sh.st.campaigns {
		c := &sh.st.campaigns[i]
		all, err := plugin.ReadBook(ctx, inspector, c.Account, c.ID, "", mostBooked)
		if err != nil {
			return b, err
		}
		booked := map[string]*plugin.Booked{}
		for i := range all {
			booked[all[i].Slot.String()] = &all[i]
		}
		for _, at := range c.slotTimes() {
			b.add(c.name(at), at, booked[c.name(at)])
		}
	}
	return b, nil
}

// mostBooked is more slots than a campaign of a demo has.
const mostBooked = 1 << 16

// add adds what became of a slot; nil: nobody knows.
func (b *shopBooks) add(name string, at time.Time, slot *plugin.Booked) {
	switch {
	case slot == nil || slot.Open():
		b.open++
	case slot.Kind != campaigns.Go:
		text := string(slot.Kind) + ": " + slot.Said
		b.empty[emptyBecause(text)]++
		if strings.Contains(text, "by hand") {
			b.hand = append(b.hand, fmt.Sprintf("%s: %s", name, text))
		}
	case !slot.Done:
		b.empty[emptyBecause("not done: "+slot.Failed)]++
	default:
		b.slot[slot.Post] = append(b.slot[slot.Post], at)
	}
}

// emptyBecause is why a slot stayed empty, without what is the slot's alone.
func emptyBecause(text string) string {
	for _, cut := range []string{": 2", " on ", " until ", " by ", " at ", ";"} {
		text, _, _ = strings.Cut(text, cut)
	}
	return text
}
