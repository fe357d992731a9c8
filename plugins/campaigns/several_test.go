package campaigns_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// A campaign of two accounts comes on both, one after the other, and each of them is stopped by itself.
func TestCampaignOfTwoAccounts(t *testing.T) {
	t.Parallel()
	inFiles(t, []event.Account{"bot", "cafe"}, func(f *filed) {
		f.write("50-menu.yaml", strings.Replace(f.menuFile(), "do: repost", "do: repost\n    account: [bot, cafe]", 1))
	}, func(f *filed) {
		f.until("03-13 11:00")
		f.asks("skip", "spring-menu@bot@2027-03-13T12:45", "spring-menu@bot@2027-03-13T12:45 stays empty; nothing else shifts")
		f.until("03-13 14:00")
		if a, b := f.by("bot"), f.by("cafe"); !slices.Equal(a, f.posts[:1]) || !slices.Equal(b, f.posts[:2]) {
			t.Errorf("the bot has reposted %v, the cafe %v", a, b)
		}
		var when []string
		entries := f.Platform().Ledger().Since(0)
		for _, e := range entries {
			if e.Kind == emulator.Reposted && e.ByAPI {
				when = append(when, e.At.UTC().Format("15:04"))
			}
		}
		if want := []string{"14:30", "14:32", "17:47"}; !slices.Equal(when, want) {
			t.Errorf("it comes at %v, and not at %v", when, want)
		}
	})
}
