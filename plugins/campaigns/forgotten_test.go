package campaigns_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
)

// A campaign that is forgotten leaves nothing but when its posts came last: another one of its name keeps the gap, and begins anew.
func TestForgetCampaign(t *testing.T) {
	t.Parallel()
	inMarket(t, 2, menu, func(d *market) {
		d.until("03-13 11:00")
		d.asks("forget", "spring-menu", "spring-menu is in force: take it out of its file, then nectar campaigns apply")
		d.asks("forget", "autumn-menu", "nothing is remembered of a campaign autumn-menu")
		if err := d.plugin.Use("bot", nil); err != nil {
			t.Fatal(err)
		}
		d.Advance(time.Minute)
		d.asks("forget", "spring-menu", "spring-menu is forgotten, with its book; when its posts came last is still known, for the gaps of other campaigns")
		d.asks("forget", "spring-menu", "nothing is remembered of a campaign spring-menu")
		if left := d.book(); left != "" {
			t.Errorf("the book still says\n%s", left)
		}
		for name, value := range d.kept() {
			if strings.Contains(name, "spring-menu") || name == "known" && strings.Contains(value, "spring-menu") {
				t.Errorf("%s is kept: %s", name, value)
			}
		}
		d.Restart()
		d.uses(menu(d))
		d.until("03-13 17:00")
		d.same("03-13 14:36 repost 202", "03-13 17:56 repost 204")
		if u := d.stored().Uses.Posts[campaigns.PostKey(d.posts[0])]; u.Last.IsZero() || !u.Reposted {
			t.Errorf("of its post is known %+v", u)
		}
	}, promptly)
}

// What is on its way is not forgotten: it would stand in no book.
func TestForgetNothingOnItsWay(t *testing.T) {
	t.Parallel()
	inMarket(t, 2, menu, func(d *market) {
		d.before(d.planned()[0], 30*time.Second)
		if err := d.plugin.Use("bot", nil); err != nil {
			t.Fatal(err)
		}
		d.asks("forget", "spring-menu", "something of spring-menu is on its way, or is being taken back: ask again in a minute")
	}, promptly)
}
