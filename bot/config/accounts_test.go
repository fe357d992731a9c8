package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
)

// accountsIn returns the world of an accounts file with that text.
func accountsIn(text string, environ ...string) world {
	return world{
		environ: append([]string{"NECTAR_ACCOUNTS=accounts.yaml"}, environ...),
		files:   map[string]string{"accounts.yaml": text},
	}
}

func TestAccountsFile(t *testing.T) {
	cfg, wrong := load(t, accountsIn(`
accounts:
  shop:
    email: shop@social.example
    password: ${SHOP_PASSWORD}
    pace: 20/s
    concurrency: 8
  news_2:
    base_url: https://news.example/mobile_api
    oauth_type: google
    oauth_token: 'a$b-$${X}-${SHOP_PASSWORD}'
    poll_interval: 1s
    backlog: unread
    device_type: ios
`, "NECTAR_BASE_URL=https://social.example/mobile_api", "NECTAR_PACE=7/s", "SHOP_PASSWORD="+hunter2), withAccounts)
	if wrong != "" {
		t.Fatal(wrong)
	}
	shop := defaultAccount()
	shop.Name, shop.Email, shop.Pace, shop.Concurrency = "shop", "shop@social.example", 20, 8
	want := []config.Account{shop, {
		Name: "news_2", BaseURL: "https://news.example/mobile_api", OAuthType: "google", OAuthToken: "a$b-${X}-hunter2",
		DeviceType: "ios", PollInterval: time.Second, Backlog: "unread", Pace: 7, Concurrency: 2, Rules: "rules", State: "on",
	}}
	if diff := cmp.Diff(want, cfg.Accounts); diff != "" {
		t.Error(diff)
	}
}

func TestAccountsFileIsReadWhenNeeded(t *testing.T) {
	cfg, wrong := load(t, world{environ: []string{"NECTAR_ACCOUNTS=nowhere.yaml"}}, withoutAccounts)
	if wrong != "" || cfg.Accounts != nil {
		t.Errorf("accounts %v: %s", cfg.Accounts, wrong)
	}
}

func TestWrongAccountsFiles(t *testing.T) {
	const url = "NECTAR_BASE_URL=https://social.example/mobile_api"
	const one = "accounts:\n  shop:\n    email: shop@social.example\n    password: hunter2\n"
	for name, tc := range map[string]struct {
		world
		want []string // without "NECTAR_ACCOUNTS: accounts.yaml:"
	}{
		"empty":        {accountsIn("# nothing yet\n"), []string{" the file is empty"}},
		"no accounts":  {accountsIn("accounts:\n"), []string{"1: has something else here than keys with values; an account is a name with settings below it"}},
		"null":         {accountsIn("accounts: {}\n"), []string{"1: names no account; accounts stand below the key accounts"}},
		"a list":       {accountsIn("- shop\n- news\n"), []string{"1: has something else here than keys with values; accounts stand below the key accounts"}},
		"another key":  {accountsIn(one+"acounts: {}\n", url), []string{`5: "acounts" is not known here; accounts stand below the key accounts`}},
		"two files":    {accountsIn(one+"---\n"+one, url), []string{"5: --- begins another document: a file holds one. Delete the line, or make two files"}},
		"bad name":     {accountsIn("accounts:\n  My Shop: {}\n"), []string{`2: an account's name has at most 32 lower-case letters, digits, - and _; "My Shop" has not`}},
		"twice":        {accountsIn(one+"  shop: {}\n", url), []string{"5: this stands here twice: on line 2 too. Keep one"}},
		"setting list": {accountsIn(one+"    pace: [1/s]\n", url), []string{"5: shop: pace: is not a single value (example: pace: 20/s)"}},
		"misspelt setting": {
			accountsIn(one+"    pasword: x\n", url),
			[]string{`5: shop: "pasword": there is no such setting; did you mean password?`},
		},
		"wrong values": {
			accountsIn(one+"    pace: fast\n    concurrency: 0\n    allow_plain_http: 1.5\n", url),
			[]string{
				`7: shop: allow_plain_http: "1.5" is not true or false (example: allow_plain_http: true)`,
				"5: shop: pace: is not a pace like 1/s, 30/m, 500/h or unlimited (example: pace: 20/s)",
				`6: shop: concurrency: "0" is not a whole number from 1 to 256 (example: concurrency: 2)`,
			},
		},
		"one person under two names": {
			accountsIn(one+"  news:\n    base_url: https://Social.example/mobile_api/\n    email: Shop@social.example\n    password: x\n", url),
			[]string{"5: news: signs in as the same person as shop; remove one of them"},
		},
		"unset variable": {
			accountsIn("accounts:\n  shop:\n    email: shop@social.example\n    password: ${SHOP}\n", url),
			[]string{"4: shop: password: names the variable SHOP, which is not set (example: password: 'correct horse')"},
		},
		"missing": {
			accountsIn("accounts:\n  shop:\n    email: shop@social.example\n    password:\n  news:\n    oauth_type: google\n"),
			[]string{
				"2: shop: base_url: is missing (example: base_url: https://social.example/mobile_api)",
				"4: shop: password: is missing (example: password: 'correct horse')",
				"5: news: base_url: is missing (example: base_url: https://social.example/mobile_api)",
				"5: news: oauth_token: is missing (example: oauth_token: 'token of the provider')",
			},
		},
		"plain http": {
			accountsIn(one + "    base_url: http://social.example/mobile_api\n"),
			[]string{"5: shop: base_url: would send the password unencrypted; use https, or set allow_plain_http to true (example: base_url: https://social.example/mobile_api)"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, wrong := load(t, tc.world, withAccounts)
			var want strings.Builder
			for _, line := range tc.want {
				want.WriteString("NECTAR_ACCOUNTS: accounts.yaml:" + line + "\n")
			}
			if diff := cmp.Diff(want.String(), wrong); diff != "" {
				t.Error(diff)
			}
			if strings.Contains(wrong, hunter2) {
				t.Error("the secret is repeated")
			}
		})
	}
}

func TestAccountsFileThatIsNotThere(t *testing.T) {
	_, wrong := load(t, world{environ: []string{"NECTAR_ACCOUNTS=nowhere.yaml"}}, withAccounts)
	if !strings.HasPrefix(wrong, "NECTAR_ACCOUNTS: nowhere.yaml: cannot be read: ") {
		t.Error(wrong)
	}
}

func TestAccountsFileBesideAnAccount(t *testing.T) {
	_, wrong := load(t, accountsIn("accounts:\n  shop:\n    oauth_type: google\n    oauth_token: x\n", signIn...), withAccounts)
	want := "NECTAR_EMAIL: stands beside NECTAR_ACCOUNTS; move it into that file (example: NECTAR_EMAIL=bot@social.example)\n" +
		"NECTAR_PASSWORD: stands beside NECTAR_ACCOUNTS; move it into that file (example: NECTAR_PASSWORD='correct horse')\n"
	if diff := cmp.Diff(want, wrong); diff != "" {
		t.Error(diff)
	}
}

func TestWrongVariableIsReportedOnceForAllAccounts(t *testing.T) {
	_, wrong := load(t, accountsIn(`
accounts:
  shop: {email: shop@social.example, password: x}
  news: {email: news@social.example, password: x}
`, "NECTAR_BASE_URL=https://social.example/mobile_api", "NECTAR_PACE=fast"), withAccounts)
	want := "NECTAR_PACE: is not a pace like 1/s, 30/m, 500/h or unlimited (example: NECTAR_PACE=20/s)\n"
	if diff := cmp.Diff(want, wrong); diff != "" {
		t.Error(diff)
	}
}

// What a password could mean besides itself is refused, in a line that does not show it.
func TestPasswordsThatMeanSomethingElse(t *testing.T) {
	const hash = "shop: password: is cut by a comment, since there is a # behind a space; put single quotes around the value, or a space behind the # (example: password: 'correct horse')"
	for written, want := range map[string]string{
		"!tag hunter2":        "a text that starts with ! needs quotes",
		"!!str hunter2":       "a text that starts with ! needs quotes",
		"!hunter2":            "a text that starts with ! needs quotes",
		"!!binary aHVudGVyMg": "a text that starts with ! needs quotes",
		"&x hunter2":          "a text that starts with & needs quotes",
		"&hunter2":            "this would mark this place to be copied elsewhere, which is not known here: write it out, or put quotes around the text",
		"*hunter2":            "this would copy what stands elsewhere, which is not known here: write it out, or put quotes around the text",
		"%hunter2":            "a text that starts with % needs quotes",
		"@hunter2":            "a text that starts with @ needs quotes",
		"`hunter2":            "a text that starts with ` needs quotes",
		"'hunter2":            `a text that starts with ' needs " around it, or a ' at its end`,
		`"hunter2`:            `the quote that opens here is never closed: put " at the end of the text`,
		"'hunter2'2":          "the text goes on behind its closing quote: put other quotes around all of it",
		`"\hunter2"`:          "between double quotes \\ begins a special character, and \\… is none: put single quotes around the text, or write \\\\",
		"hunter2: hunter2":    `a text with ": " needs quotes`,
		"hunter2:":            "a text that ends with a colon needs quotes",
		"[hunter2":            "the bracket that opens here is never closed: put ] at the end",
		"[hunter2] hunter2":   "a text that starts with [ needs quotes",
		"{hunter2":            "between { and } stand keys with values, such as { …: … }; a list is written between [ and ]",
		"{{hunter2}}":         "a text that starts with { needs quotes",
		">hunter2":            "a text that starts with > needs quotes",
		"- hunter2":           "a list begins on the line below its key, and a text that starts with - needs quotes",
		"hunter2 #hunter2":    hash,
		"#hunter2":            hash,
		"hunter2\n      x: y": "this line is indented more than line 4, so it would go on with its text: indent it like line 4, or put quotes around the whole text",
		"hunter2\t\x01":       "there is an invisible character here (U+0001): delete it",
		"hunter2\xff":         "the file is not UTF-8 from here on: save it as UTF-8",
		"[hunter2, x]":        "shop: password: is not a single value (example: password: 'correct horse')",
	} {
		_, wrong := load(t, accountsIn("accounts:\n  shop:\n    email: shop@social.example\n    password: "+written+"\n",
			"NECTAR_BASE_URL=https://social.example/mobile_api"), withAccounts)
		if strings.Contains(wrong, hunter2) {
			t.Errorf("%q: the secret is repeated: %s", written, wrong)
		}
		line, rest, _ := strings.Cut(wrong, "\n")
		_, said, _ := strings.Cut(strings.TrimPrefix(line, "NECTAR_ACCOUNTS: accounts.yaml:"), ": ")
		if said != want || rest != "" {
			t.Errorf("%q:\ngot  %s\nwant %s", written, wrong, want)
		}
	}
}

func TestPasswordsThatMeanThemselves(t *testing.T) {
	for written, want := range map[string]string{
		"yes": "yes", "0123": "0123", "1e3": "1e3", "'~'": "~", "'null'": "null", "a#b": "a#b", "'a #b'": "a #b", "a # b": "a", `"a\tb"`: "a\tb", "'it''s'": "it's",
		"?x": "?x", "a:b": "a:b", "-a": "-a", "a!b&c*d": "a!b&c*d", "2026-01-01": "2026-01-01",
	} {
		cfg, wrong := load(t, accountsIn("accounts:\n  shop:\n    email: shop@social.example\n    password: "+written+"\n",
			"NECTAR_BASE_URL=https://social.example/mobile_api"), withAccounts)
		if wrong != "" {
			t.Errorf("%s: %s", written, wrong)
		} else if got := cfg.Accounts[0].Password.Reveal(); got != want {
			t.Errorf("%s: got %q, want %q", written, got, want)
		}
	}
}

// FuzzAccountsFile looks for files that crash the reader, or whose problems break a line.
func FuzzAccountsFile(f *testing.F) {
	f.Add("accounts:\n  shop:\n    email: shop@social.example\n    password: ${HOME}\n")
	f.Add("accounts: {a: {password: &x y, email: *x}, b: *c}")
	f.Add("a: !!binary |\n  x\n---\n? [1]\n: 2")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		file := filepath.Join(dir, "accounts.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		cfg, err := config.Load(config.Source{Environ: []string{"HOME=/root", "NECTAR_ACCOUNTS=" + file}, Accounts: true})
		if err == nil {
			if len(cfg.Accounts) == 0 {
				t.Error("neither accounts nor problems")
			}
			return
		}
		for _, line := range err.(config.Problems) { //nolint:errorlint // it is documented to be of this very type
			if strings.ContainsAny(line, "\r\n") {
				t.Errorf("problem %q", line)
			}
		}
	})
}

// Accounts may have folders of rules of their own, whichever way they are read.
func TestRuleFolders(t *testing.T) {
	const file = `
accounts:
  shop: {email: shop@social.example, password: '${SHOP_PASSWORD}'}
  cafe: {email: cafe@social.example, password: x, rules: '${WHERE}/cafe'}
  news: {email: news@social.example, password: x, rules: ./house}
  bar: {email: bar@social.example, password: x, rules: rules/cafe/}
`
	settings := []string{"NECTAR_BASE_URL=https://social.example/mobile_api", "NECTAR_RULES=house", "WHERE=rules"}
	want := []config.RuleFolder{
		{Path: "house", Accounts: []event.Account{"shop", "news"}}, {Path: "rules/cafe", Accounts: []event.Account{"cafe", "bar"}},
	}
	for name, tc := range map[string]struct {
		environ  []string
		accounts bool
	}{
		"to sign in": {append(settings, "SHOP_PASSWORD="+hunter2), withAccounts},
		"only those": {settings, withoutAccounts},
	} {
		cfg, wrong := load(t, accountsIn(file, tc.environ...), tc.accounts)
		if wrong != "" {
			t.Fatal(name, wrong)
		}
		got, err := cfg.RuleFolders()
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Error(name, diff, err)
		}
	}
	cfg, _ := load(t, world{environ: []string{"NECTAR_RULES=house"}}, withoutAccounts)
	if got, err := cfg.RuleFolders(); err != nil || len(got) != 1 || got[0].Path != "house" || len(got[0].Accounts) != 1 || got[0].Accounts[0] != "main" {
		t.Error(got, err)
	}
	for file, want := range map[string]string{
		"accounts:\n  shop:\n    rules: [a]\n":                  "NECTAR_ACCOUNTS: accounts.yaml:3: shop: rules: is not a single value",
		"accounts:\n  shop:\n    rules: ${NOWHERE}\n":           "NECTAR_ACCOUNTS: accounts.yaml:3: shop: rules: names the variable NOWHERE, which is not set",
		"accounts:\n  shop:\n    rules: https://social.example": `NECTAR_ACCOUNTS: accounts.yaml:3: shop: rules: "https://social.example" is not a file or folder`,
		"accounts:\n- shop\n":                                   "NECTAR_ACCOUNTS: accounts.yaml:2: has something else here than keys with values; an account is a name with settings below it",
	} {
		cfg, _ := load(t, accountsIn(file), withoutAccounts)
		if _, err := cfg.RuleFolders(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", file, err)
		}
	}
}

// Accounts may act by sets that are published, where the store has any.
func TestPublishedRules(t *testing.T) {
	const file = "accounts:\n  shop: {email: a@social.example, password: x}\n  cafe: {email: b@social.example, password: x, rules: 'store:cafe'}\n" +
		"  bar: {email: c@social.example, password: x, rules: 'store:cafe'}\n"
	server := []string{
		"NECTAR_BASE_URL=https://social.example/mobile_api", "NECTAR_RULES=store:house", "NECTAR_STORE=postgres://bot@db.example/nectar", "NECTAR_SECRET_KEY=" + strings.Repeat("0f", 32),
	}
	want := []config.RuleFolder{{Path: "store:house", Accounts: []event.Account{"shop"}}, {Path: "store:cafe", Accounts: []event.Account{"cafe", "bar"}}}
	for _, accounts := range []bool{withAccounts, withoutAccounts} {
		cfg, wrong := load(t, accountsIn(file, server...), accounts)
		if wrong != "" {
			t.Fatal(wrong)
		}
		got, err := cfg.RuleFolders()
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Error(diff, err)
		}
		onFile, _ := load(t, accountsIn(file, server[0]), accounts)
		const says = `NECTAR_ACCOUNTS: accounts.yaml: %s: rules: "store:cafe" is published in a database of PostgreSQL, and NECTAR_STORE names a file: name a folder`
		if _, err := onFile.RuleFolders(); err == nil || err.Error() != fmt.Sprintf(says+"\n"+says, "cafe", "bar") {
			t.Error(err)
		}
	}
	cfg, _ := load(t, world{environ: []string{"NECTAR_RULES=store:house"}}, withoutAccounts)
	if _, err := cfg.RuleFolders(); err == nil || err.Error() != `NECTAR_RULES: "store:house" is published in a database of PostgreSQL, and NECTAR_STORE names a file: name a folder` {
		t.Error(err)
	}
	cfg, _ = load(t, accountsIn("accounts:\n  shop:\n    rules: 'store:My Shop'\n"), withoutAccounts)
	if _, err := cfg.RuleFolders(); err == nil || !strings.HasPrefix(err.Error(), "NECTAR_ACCOUNTS: accounts.yaml:3: shop: rules: names no published set: a name has at most 32 lower-case letters") {
		t.Error(err)
	}
}
