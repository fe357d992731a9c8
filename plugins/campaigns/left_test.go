package campaigns_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

// texts is the menu as texts of our own, each approved by a person.
func texts(d *market) campaigns.Campaign {
	c := menu(d)
	c.Do, c.Status, c.Items = campaigns.Publish, campaigns.Ask, nil
	for _, text := range []string{"Asparagus is here.", "Strawberries, too."} {
		c.Items = append(c.Items, campaigns.Item{Key: campaigns.TextKey(text), Text: text})
	}
	return c
}

// approveAs lets what waits leave, in other words where there are some.
func (d *market) approveAs(by, words string) {
	for _, a := range d.held() {
		q := event.Request{Key: a.Conversation(), Wish: event.WishRelease, Action: a.Key, By: by}
		if words != "" {
			q.Wish, q.Text = event.WishEdit, words
		}
		d.Ask(q)
	}
}

// firstBooked is what the book says of the first slot.
func (d *market) firstBooked() plugin.Booked {
	d.t.Helper()
	all := d.slots("spring-menu")
	if len(all) == 0 {
		d.t.Fatalf("the book has no slot:\n%s", d.book())
	}
	return all[0]
}

// address is where a post stands.
func address(post platform.PostID) string {
	return fmt.Sprintf("http://emulator.localhost/thread/%d", post)
}

// The book has the words as they left, the address, the time on the platform and who approved it, whatever becomes of the file and of
// everything that is deleted after a while.
func TestBookStandsByItself(t *testing.T) {
	t.Parallel()
	inMarket(t, 0, texts, func(d *market) {
		d.until("03-13 07:30")
		d.approveAs("ines", "Asparagus is here, and it is green.")
		d.until("03-13 11:00")
		was := d.firstBooked()
		made := d.Platform().Ledger().Since(0)
		var post emulator.Entry
		for _, e := range made {
			if e.Kind == emulator.Published && e.ByAPI {
				post = e
			}
		}
		if was.Words != "Asparagus is here, and it is green." || was.Made != post.Post || was.Address != address(post.Post) || was.Left.Sub(post.At).Abs() > time.Second ||
			was.By.Text != "ines" || was.Approved.IsZero() || !was.Done {
			t.Errorf("%+v\nthe platform has %+v", was, post)
		}
		c := *d.force[0]
		c.Items = []campaigns.Item{{Key: campaigns.TextKey("Other."), Text: "Other."}}
		d.uses(c)
		d.Advance(time.Minute)
		d.Stop()
		d.Advance(8 * 24 * time.Hour)
		d.Start()
		for range 10 { // what is old is deleted beside turns
			d.asks("pause", "spring-menu", "spring-menu is paused: its slots pass, and nothing is caught up on")
			d.Advance(time.Minute)
			d.asks("resume", "spring-menu", "spring-menu goes on")
			d.Advance(time.Minute)
		}
		for _, a := range d.actions() {
			if strings.Contains(a.Key, "03-13T09:30") {
				t.Errorf("its action is still there: %+v", a)
			}
		}
		if is := d.firstBooked(); is.Words != was.Words || is.Address != was.Address || !is.Left.Equal(was.Left) || is.By.Text != "ines" || !is.Approved.Equal(was.Approved) {
			t.Errorf("when the rest is deleted, the book says %+v", is)
		}
	}, func(c *bottest.Config) { c.Keep = 7 * 24 * time.Hour })
}

// Of somebody else's post the book has the id and the address, and nothing of its words.
func TestBookOfAnothersPost(t *testing.T) {
	t.Parallel()
	inMarket(t, 1, menu, func(d *market) {
		d.until("03-13 11:00")
		b := d.firstBooked()
		if b.Post != d.posts[0] || b.Address != address(d.posts[0]) || b.Words != "" || b.Left.IsZero() || !b.Approved.IsZero() {
			t.Errorf("%+v", b)
		}
		if strings.Contains(d.book(), "springmenu") {
			t.Errorf("it has words of somebody else:\n%s", d.book())
		}
	})
}

// Where the own page cannot be read right after a text has left, its address is looked for again; what is never shown is left out.
func TestAddressIsLookedForAgain(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for name, away := range map[string]int{"once": 1, "for good": 1000} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			inMarket(t, 0, func(d *market) campaigns.Campaign {
				c := texts(d)
				c.Status = campaigns.Live
				return c
			}, func(d *market) {
				d.until("03-13 09:25")
				d.Advance(time.Until(d.leaves()) + 2*time.Second)
				d.Disturb("profile_posts", slices.Repeat([]emulator.Fault{emulator.Err500Before}, away)...)
				d.Advance(6 * time.Minute)
				if b := d.firstBooked(); !b.Done || b.Words == "" || b.Made == 0 || (b.Address != "") != (away == 1) {
					t.Errorf("%+v", b)
				}
			}, promptly)
		})
	}
}

// actions are those that are kept of slots.
func (d *market) actions() (all []event.Action) {
	d.Inspect(func(market inspect.Inspector) {
		var err error
		if all, err = market.Actions(context.Background(), record.ActionQuery{Account: "bot", Limit: 100}); err != nil {
			d.t.Fatal(err)
		}
	})
	return all
}

// leaves is when what is decided leaves, or the first slot of the plan.
func (d *market) leaves() time.Time {
	for v := range campaigns.Plan(&campaigns.Account{Campaigns: d.force, AccountFacts: campaigns.AccountFacts{Budget: campaigns.DefaultBudget}}, time.Now(), time.Now(), time.Now().AddDate(0, 1, 0)) {
		return v.At
	}
	return time.Time{}
}
