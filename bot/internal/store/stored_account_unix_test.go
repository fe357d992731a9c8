//go:build unix

package store_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// accountRow is an account as somebody stores it.
func accountRow(name event.Account) record.StoredAccount {
	return record.StoredAccount{
		Account: name, Settings: `{"pace":"20/s"}`, SignIn: platform.Secret(`{"email":"` + name + `@social.example","password":"hunter2"}`),
		Person: platform.Secret(name) + "@social.example", State: "on", Why: "she asked for it", By: "ines",
	}
}

// accountBook is a database with accounts, and an inspector.
type accountBook struct {
	*testing.T
	url       string
	inspector *store.Inspector
}

func newAccountBook(t *testing.T) accountBook {
	t.Helper()
	url := pgServer(t).schema(t)
	return accountBook{t, url, openServerInspector(t, url)}
}

// puts stores accounts, which has to work.
func (b accountBook) puts(accounts ...record.StoredAccount) int64 {
	b.Helper()
	number, err := b.inspector.PutAccounts(b.Context(), accounts...)
	if err != nil {
		b.Fatal(err)
	}
	return number
}

// has reads accounts and compares them, but for when.
func (b accountBook) has(q record.StoredAccountQuery, want ...record.StoredAccount) {
	b.Helper()
	got, err := b.inspector.StoredAccounts(b.Context(), q)
	if err != nil {
		b.Fatal(err)
	}
	for i := range want {
		want[i].Person = "" // it is not read back
	}
	if d := cmp.Diff(want, got, cmpopts.IgnoreFields(record.StoredAccount{}, "At"), cmpopts.EquateEmpty()); d != "" {
		b.Errorf("accounts (-want +got):\n%s", d)
	}
	for i := range got {
		if since := time.Since(got[i].At); since < 0 || since > time.Hour {
			b.Errorf("%s was changed %s ago", got[i].Account, since)
		}
	}
}

// version is what an account is after the change of a number.
func version(number int64, a record.StoredAccount) record.StoredAccount {
	a.Version = number
	return a
}

func TestStoredAccounts(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	b := newAccountBook(t)
	if n, err := b.inspector.AccountChanges(t.Context()); n != 0 || err != nil {
		t.Errorf("of no accounts: change %d: %v", n, err)
	}
	b.has(record.StoredAccountQuery{})
	shop, cafe := accountRow("shop"), accountRow("cafe")
	first := b.puts(shop, cafe)
	shop, cafe = version(first, shop), version(first, cafe)
	b.has(record.StoredAccountQuery{}, cafe, shop)
	b.has(record.StoredAccountQuery{Shards: []int{event.Account("shop").Shard()}}, shop)
	b.has(record.StoredAccountQuery{Shards: []int{}})
	b.has(record.StoredAccountQuery{Accounts: []event.Account{"cafe", "bar"}}, cafe)

	cafe.State, cafe.Why, cafe.By = "parked", "no password yet", "leo"
	second := b.puts(record.StoredAccount{Account: "cafe", State: cafe.State, Why: cafe.Why, By: cafe.By, Version: cafe.Version, StateOnly: true})
	cafe = version(second, cafe)
	b.has(record.StoredAccountQuery{Since: first, Bare: true}, record.StoredAccount{Account: "cafe", Settings: cafe.Settings, State: cafe.State, By: "leo", Version: second})
	b.has(record.StoredAccountQuery{Since: first}, cafe)
	if n, err := b.inspector.AccountChanges(t.Context()); n != second || second <= first || err != nil {
		t.Errorf("after the changes %d and %d: change %d: %v", first, second, n, err)
	}

	gone := version(second, record.StoredAccount{Account: "cafe", Settings: "{}", State: record.AccountRemoved, By: "ines"})
	third := b.puts(gone)
	b.has(record.StoredAccountQuery{}, shop)
	b.has(record.StoredAccountQuery{Since: second, Removed: true}, version(third, gone))
	b.puts(accountRow("cafe")) // whoever sees none may add one
}

// TestStoredAccountsAreSealed: what an account signs in with stands nowhere in the clear, and neither does the person.
func TestStoredAccountsAreSealed(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	b := newAccountBook(t)
	b.puts(accountRow("shop"))
	for _, row := range sqlOn(t, b.url, `SELECT a::text || encode(sealed, 'escape') || encode(person, 'escape') || encode(why, 'escape') FROM account AS a`) {
		for _, secret := range []string{"hunter2", "social.example", "asked"} {
			if strings.Contains(fmt.Sprint(row[0]), secret) {
				t.Errorf("%q is readable: %s", secret, row[0])
			}
		}
	}
	sqlOn(t, b.url, `INSERT INTO account SELECT `+fmt.Sprint(event.Account("cafe").Shard())+`, 'cafe', settings, sealed, NULL, state, '', changed_at, changed_by, change FROM account`)
	all, err := b.inspector.StoredAccounts(t.Context(), record.StoredAccountQuery{})
	if err != nil || len(all) != 2 || all[0].Broken == nil || all[1].Broken != nil {
		t.Errorf("one account has the credentials of another one: %v: %v", all, err)
	}
}

func TestStoredAccountsRefuse(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	b := newAccountBook(t)
	shop := accountRow("shop")
	first := b.puts(shop)
	refuse := func(what string, want error, accounts ...record.StoredAccount) {
		t.Helper()
		if _, err := b.inspector.PutAccounts(t.Context(), accounts...); err == nil || err.Error() != want.Error() && !errors.Is(err, want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	twin := accountRow("twin")
	twin.Person = shop.Person
	double := accountRow("double")
	double.Person = accountRow("new").Person
	var changed *record.AccountChangedError
	for _, late := range []record.StoredAccount{shop, version(first+7, shop)} {
		if _, err := b.inspector.PutAccounts(t.Context(), accountRow("new"), late); !errors.As(err, &changed) || changed.Account != "shop" {
			t.Errorf("changed meanwhile: %v", err)
		}
	}
	refuse("the same person", &store.SamePersonError{Account: "twin", Other: "shop"}, accountRow("new"), twin)
	refuse("the same person in one change", &store.SamePersonError{Account: "double", Other: "new"}, accountRow("new"), double)
	other, err := store.OpenInspector(t.Context(), b.url, "another key")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	if _, err := other.PutAccounts(t.Context(), accountRow("new")); !errors.Is(err, seal.ErrSealed) {
		t.Errorf("with another key: %v", err)
	}
	if all, err := other.StoredAccounts(t.Context(), record.StoredAccountQuery{}); err != nil || len(all) != 1 || !errors.Is(all[0].Broken, seal.ErrSealed) || all[0].Why != "(sealed)" {
		t.Errorf("with another key: %v: %v", all, err)
	}
	b.has(record.StoredAccountQuery{}, version(first, shop))
	sqlOn(t, b.url, `INSERT INTO meta VALUES ('gone/new', '{"to":"the database other","move":"m"}')`)
	if _, err := b.inspector.PutAccounts(t.Context(), accountRow("old"), accountRow("new")); !errors.As(err, new(*record.MovedError)) {
		t.Errorf("that has moved: %v", err)
	}

	file := filepath.Join(t.TempDir(), "store.db")
	if err := openFile(t, store.Options{Path: file}).Close(); err != nil {
		t.Fatal(err)
	}
	d := openInspector(t, file)
	_, err = d.PutAccounts(t.Context(), shop)
	_, read := d.StoredAccounts(t.Context(), record.StoredAccountQuery{})
	_, counted := d.AccountChanges(t.Context())
	for _, err := range []error{err, read, counted} {
		if !errors.Is(err, record.ErrNoAccounts) {
			t.Errorf("on a file: %v", err)
		}
	}
}

// TestStoredAccountsAtOnce: of many inspectors that add the same accounts, each account is added by one of them.
func TestStoredAccountsAtOnce(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	b := newAccountBook(t)
	const inspectors, accounts = 4, 20
	added := make([]int, inspectors)
	var all sync.WaitGroup
	for n := range inspectors {
		d := openServerInspector(t, b.url)
		all.Go(func() {
			for i := range accounts {
				_, err := d.PutAccounts(t.Context(), accountRow(event.Account(fmt.Sprint("a", i))))
				switch {
				case err == nil:
					added[n]++
				case !errors.As(err, new(*record.AccountChangedError)):
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	sum := 0
	for _, n := range added {
		sum += n
	}
	if number, err := b.inspector.AccountChanges(t.Context()); sum != accounts || number != accounts || err != nil {
		t.Errorf("%d of %d were added, in %d changes: %v", sum, accounts, number, err)
	}
}

// TestStoredAccountsForgotten: with a key that is lost, nobody signs in any more, and that is said.
func TestStoredAccountsForgotten(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	s := ownServer(t)
	url := s.bare(t)
	sealAll(t, url)
	b := accountBook{t, url, openServerInspector(t, url)}
	first := b.puts(accountRow("shop"))
	st := openServer(t, store.Options{Path: url, Key: "another key", ForgetSealed: true})
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	d, err := store.OpenInspector(t.Context(), url, "another key")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	b.inspector = d
	parked := version(first+1, record.StoredAccount{
		Account: "shop", Settings: `{"pace":"20/s"}`, State: "parked", Why: "what it signs in with was encrypted with a key that is lost",
	})
	b.has(record.StoredAccountQuery{}, parked)
	parked.SignIn, parked.Person = "{}", accountRow("shop").Person
	b.puts(parked)
}
