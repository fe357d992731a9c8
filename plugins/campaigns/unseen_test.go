package campaigns_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/handlers/campaigns"
)

// A post that is deleted between the decision of its slot and the repost: people read what happened in their words, and it is not planned again.
func TestPostIsDeletedInTheLastSeconds(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	inMarket(t, 3, menu, func(d *market) {
		d.before(d.planned()[0], 20*time.Second)
		d.Platform().DeletePost(d.author, d.posts[0])
		d.until("03-13 11:00")
		if told := d.told(); !strings.Contains(told, "spring-menu: "+d.name(0)+" is out: it was deleted, or is hidden") {
			t.Errorf("nobody is told: %s", told)
		}
		d.says("03-13T09:30", "not done: post "+d.name(0)+" was deleted, or is hidden: ")
		kept := d.stored()
		kept.AccountFacts.Budget = campaigns.DefaultBudget
		if all := strings.Join(comes(&kept.Account), "\n"); strings.Contains(all, d.name(0)) {
			t.Errorf("it is planned again:\n%s", all)
		}
	})
}

// stop_if: post: deleted holds for what is deleted then, too.
func TestStopByAPostThatIsDeletedInTheLastSeconds(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	stops := func(d *market) campaigns.Campaign {
		c := menu(d)
		c.Stop.Deleted = true
		return c
	}
	inMarket(t, 3, stops, func(d *market) {
		d.before(d.planned()[0], 20*time.Second)
		d.Platform().DeletePost(d.author, d.posts[0])
		d.until("03-13 17:00")
		d.same()
		d.ended(1, d.name(0)+" was deleted, or is hidden")
	})
}
