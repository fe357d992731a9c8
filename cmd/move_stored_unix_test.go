//go:build unix

package cmd

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// TestMoveStoredAccounts: accounts that stand in a database go along to another server with what they sign in with, and rest there as they
// did; into a file they cannot, and that is said.
func TestMoveStoredAccounts(t *testing.T) {
	t.Parallel()
	onlyWithAll(t)
	p := newStoredPractice(t).migrated()
	p.tells("", 0, "", "accounts", "import", p.file("accounts:\n  shop: { email: shop@social.example, password: "+hunter2+" }\n  cafe: { email: cafe@social.example, password: "+hunter2+" }\n"))
	p.tells("", 0, "", "accounts", "pause", "cafe", "--why", "closed until May")
	st, err := bot.OpenStore(t.Context(), bot.StoreOptions{Path: p.url(), Key: platform.Secret(strings.Repeat("0f", 32))})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []event.Account{"shop", "cafe"} {
		if err := st.RememberTrait(t.Context(), a, "something"); err != nil {
			t.Fatal(err)
		}
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	there := newSchema(t).URL("")
	on := func(url string) *practice {
		q := *p
		q.environ = append(slices.Clip(p.environ), "NECTAR_STORE="+url)
		return &q
	}
	on(there).does(0, "was made", "migrate")

	p.does(0, "1 account that stands in the database would go along, with what it signs in with: cafe", "move", p.url(), there, "--account", "cafe", "--dry-run")
	p.does(0, "1 account that stands in the database went along, with what it signs in with: cafe", "move", p.url(), there, "--account", "cafe")
	on(there).tells("", 0, `cafe +paused +\S+ \S+ +ines +closed until May`, "accounts")
	p.tells("", 0, "^ACCOUNT[^\n]*\nshop[^\n]*\n$", "accounts")
	p.does(0, "went along, with what it signs in with: shop", "move", p.url(), there)
	p.does(0, "all of it is in", "move", p.url(), there) // it is asked for again
	on(there).tells("", 0, "(?s)cafe.*shop", "accounts")

	file := "sqlite:" + filepath.Join(t.TempDir(), "all.db")
	p.does(0, "2 accounts that stand in the database cannot stand in a file", "move", there, file)
	on(there).does(0, "", "accounts", "--json")
}
