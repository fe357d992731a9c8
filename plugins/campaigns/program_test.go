package campaigns_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform"
)

// What a program of ours has taken back through the bot was taken back by nobody's hand: the post comes at its next slot, as one that is
// not reposted. What a hand takes back after that is out.
func TestTakenBackByAProgram(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	inMarket(t, 0, func(d *market) campaigns.Campaign {
		c := twice(d)
		c.Lines = append(c.Lines, line(t, "Sat 13:30"))
		return c
	}, func(d *market) {
		d.Account("bot").Tell("campaigns/lifts", "yes")
		d.until("03-13 10:00")
		d.Account("bot").Tell("tidy", strconv.FormatInt(int64(d.posts[0]), 10))
		d.until("03-13 12:00")
		if got := d.happened(); len(got) != 3 || !strings.Contains(got[1], " undo ") || !strings.HasPrefix(got[2], "03-13 16:30 repost ") {
			t.Errorf("%q\n%s", got, d.book())
		}
		if strings.Contains(d.told(), "by hand") {
			t.Errorf("%s", d.told())
		}
		d.Platform().Unrepost(d.Account("bot").ID(), d.posts[0])
		d.until("03-13 14:00")
		if got := d.happened(); len(got) != 3 {
			t.Errorf("%q\n%s", got, d.book())
		}
		d.says("03-13T13:30", "somebody took the repost back by hand")
	}, func(cfg *bottest.Config) {
		cfg.Routes = []bot.Route{bot.On("tidy", bot.Asked("tidy"), func(_ context.Context, t *bot.Turn, a event.Told) error {
			id, err := strconv.ParseInt(a.Text, 10, 64)
			t.Unrepost(platform.PostID(id))
			return err
		})}
	})
}
