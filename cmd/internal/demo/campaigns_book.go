package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/platform"
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
		said := map[string]event.Entry{}
		for after := ""; ; {
			entries, err := inspector.Entries(ctx, c.Account, "campaigns/"+c.ID, after, 1000)
			if err != nil {
				return b, err
			}
			for _, e := range entries {
				said[e.Key], after = e, e.Key
			}
			if len(entries) < 1000 {
				break
			}
		}
		for _, at := range c.slotTimes() {
			if err := b.add(c.name(at), at, said); err != nil {
				return b, err
			}
		}
	}
	return b, nil
}

// add adds what became of a slot.
func (b *shopBooks) add(name string, at time.Time, said map[string]event.Entry) error {
	decided, known := said[name]
	end, ended := said[name+"#end"]
	var what struct{ Post int64 }
	switch {
	case known && !strings.HasPrefix(decided.Text, "go"):
		b.empty[emptyBecause(decided.Text)]++
		if strings.Contains(decided.Text, "by hand") {
			b.hand = append(b.hand, fmt.Sprintf("%s: %s", name, decided.Text))
		}
	case !ended:
		b.open++
	case end.Text != "done":
		b.empty[emptyBecause(end.Text)]++
	default:
		if err := json.Unmarshal(decided.Data, &what); err != nil {
			return fmt.Errorf("read the book: %w", err)
		}
		post := platform.PostID(what.Post)
		b.slot[post] = append(b.slot[post], at)
	}
	return nil
}

// emptyBecause is why a slot stayed empty, without what is the slot's alone.
func emptyBecause(text string) string {
	for _, cut := range []string{": 2", " on ", " until ", " by ", " at ", ";"} {
		text, _, _ = strings.Cut(text, cut)
	}
	return text
}
