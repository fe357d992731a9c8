package config_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// inStore are the settings of a bot whose accounts stand in the database.
func inStore(environ ...string) world {
	return world{environ: append([]string{
		"NECTAR_ACCOUNTS=store", "NECTAR_STORE=postgres://db.example/nectar", "NECTAR_SECRET_KEY=" + strings.Repeat("0f", 32),
	}, environ...)}
}

func TestAccountsInStore(t *testing.T) {
	cfg, wrong := load(t, inStore("NECTAR_PACE=7/s", "NECTAR_RULES=elsewhere"), withAccounts)
	if wrong != "" || !cfg.AccountsInStore() || len(cfg.Accounts) != 0 {
		t.Errorf("accounts %v: %s", cfg.Accounts, wrong)
	}
	folders, err := cfg.RuleFolders()
	if err != nil || len(folders) != 1 || folders[0].Path != "elsewhere" || len(folders[0].Accounts) != 0 {
		t.Errorf("rules %v: %v", folders, err)
	}
	if paused, err := cfg.PausedAccounts(); len(paused) > 0 || err != nil {
		t.Errorf("paused %v: %v", paused, err)
	}
	for name, c := range map[string]struct {
		world
		want string
	}{
		"a file": {
			world{environ: []string{"NECTAR_ACCOUNTS=store"}},
			"NECTAR_ACCOUNTS: says that the accounts stand in the database, which is for PostgreSQL, and NECTAR_STORE names a file; name the file of accounts (example: NECTAR_ACCOUNTS=accounts.yaml)\n",
		},
		"a sign-in beside it": {
			inStore("NECTAR_EMAIL=shop@social.example"),
			"NECTAR_EMAIL: stands beside NECTAR_ACCOUNTS; nectar accounts add brings it into the database (example: NECTAR_EMAIL=bot@social.example)\n",
		},
	} {
		if _, wrong := load(t, c.world, withAccounts); wrong != c.want {
			t.Errorf("%s: %s", name, wrong)
		}
	}
}

// TestStoredAsInTheFile: an account that goes into the database comes out of it as the file had it, with the variables of whoever
// reads it in what it does not say, but for where it signs in.
func TestStoredAsInTheFile(t *testing.T) {
	importing, wrong := load(t, accountsIn(`
accounts:
  shop:
    email: Shop@social.example
    password: ${SHOP_PASSWORD}
    pace: 20/s
    state: paused
  news:
    base_url: https://news.example/mobile_api/
    oauth_type: google
    oauth_token: hunter3
    poll_interval: 1s
`, "NECTAR_BASE_URL=https://social.example/mobile_api", "NECTAR_CONCURRENCY=8", "SHOP_PASSWORD="+hunter2), withAccounts)
	if wrong != "" {
		t.Fatal(wrong)
	}
	entries, err := importing.ReadEntries("accounts.yaml")
	if err != nil || len(entries) != 2 {
		t.Fatal(entries, err)
	}
	reading, wrong := load(t, inStore("NECTAR_BASE_URL=https://other.example/mobile_api", "NECTAR_CONCURRENCY=3", "NECTAR_STATE=paused"), withAccounts)
	if wrong != "" {
		t.Fatal(wrong)
	}
	var rows []record.StoredAccount
	for i := range entries {
		row := entries[i].Row()
		for _, secret := range []string{hunter2, "hunter3", "Shop@"} {
			if strings.Contains(row.Settings, secret) {
				t.Errorf("%s is in the clear: %s", secret, row.Settings)
			}
		}
		rows = append(rows, row)
	}
	cfg, err := reading.WithStored(rows)
	if err != nil {
		t.Fatal(err)
	}
	want := importing.Accounts
	want[0].Concurrency, want[1].Concurrency = 3, 3
	if d := cmp.Diff(want, cfg.Accounts); d != "" {
		t.Error(d)
	}
	if want[0].State != config.StatePaused || want[1].PollInterval != time.Second {
		t.Error("the file was not read as it stands there")
	}
}

func TestStoredThatIsWrong(t *testing.T) {
	cfg, wrong := load(t, inStore(), withAccounts)
	if wrong != "" {
		t.Fatal(wrong)
	}
	shop := record.StoredAccount{
		Account: "shop", Settings: `{"base_url":"https://social.example/mobile_api"}`, SignIn: `{"email":"shop@social.example","password":"hunter2"}`, State: "on",
	}
	but := func(change func(*record.StoredAccount)) record.StoredAccount {
		row := shop
		change(&row)
		return row
	}
	broken := errors.New("it does not open")
	cfg, err := cfg.WithStored([]record.StoredAccount{
		shop,
		but(func(a *record.StoredAccount) { a.Account, a.State = "gone", record.AccountRemoved }),
		but(func(a *record.StoredAccount) {
			a.Account, a.Settings = "later", `{"base_url":"https://social.example/mobile_api","of_a_later_version":"x"}`
		}),
		but(func(a *record.StoredAccount) { a.Account, a.State, a.SignIn = "lost", "parked", "" }),
		but(func(a *record.StoredAccount) { a.Account, a.SignIn = "empty", "" }),
		but(func(a *record.StoredAccount) {
			a.Account, a.Settings = "fast", `{"base_url":"https://social.example/mobile_api","pace":"often"}`
		}),
		but(func(a *record.StoredAccount) { a.Account, a.Settings = "odd", "{" }),
		but(func(a *record.StoredAccount) { a.Account, a.Broken = "shut", broken }),
	})
	want := `empty: email: is missing (example: email: bot@social.example)
empty: password: is missing (example: password: 'correct horse')
fast: pace: is not a pace like 1/s, 30/m, 500/h or unlimited (example: pace: 20/s)
odd: what it says in the database is no JSON
it does not open`
	if err == nil || err.Error() != want {
		t.Errorf("it says %v", err)
	}
	var names []string
	for i := range cfg.Serving() {
		names = append(names, string(cfg.Serving()[i].Name))
	}
	if d := cmp.Diff([]string{"shop", "later"}, names); d != "" || len(cfg.Accounts) != 3 {
		t.Errorf("of %v are served %v", cfg.Accounts, names)
	}
}

// TestNamed: what is said of an account elsewhere than in a file is checked alike, and problems name what was written.
func TestNamed(t *testing.T) {
	cfg, wrong := load(t, inStore("NECTAR_BASE_URL=https://social.example/mobile_api"), withAccounts)
	if wrong != "" {
		t.Fatal(wrong)
	}
	flag := func(name string) string { return "--" + strings.ReplaceAll(name, "_", "-") }
	says := map[string]platform.Secret{"email": "shop@social.example", "password": hunter2, "pace": ""}
	shop, err := cfg.Named("shop", says, "", flag)
	if err != nil || shop.BaseURL != "https://social.example/mobile_api" || shop.Pace != 1 {
		t.Errorf("got %v: %v", shop.Name, err)
	}
	changed := shop.But(map[string]platform.Secret{"pace": "20/s"})
	if shop, err = cfg.Named("shop", changed, "parked", flag); err != nil || shop.Pace != 20 || shop.Email == "" || shop.State != "parked" {
		t.Errorf("changed: got %v: %v", shop.Pace, err)
	}
	if d := cmp.Diff([]string{"email", "pace", "password"}, shop.Says()); d != "" {
		t.Error(d)
	}
	if _, err := cfg.Named("shop", says, "of", flag); err == nil || err.Error() != `--state: "of" is not on, paused or parked` {
		t.Errorf("a state that there is not: %v", err)
	}
	for _, c := range []struct {
		name string
		says map[string]platform.Secret
		want string
	}{
		{"My Shop", says, `an account's name has at most 32 lower-case letters, digits, - and _; "My Shop" has not`},
		{"shop", map[string]platform.Secret{"state": "parked"}, `--state: "parked" is not on or paused`},
		{"shop", map[string]platform.Secret{"poll_interval": "5", "email": "a@b.example"}, "--password: is missing\n" + `--poll-interval: "5" is not a duration from 50ms to 1h`},
	} {
		if _, err := cfg.Named(c.name, c.says, "", flag); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
