//go:build unix

package cmd

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/accounts"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
)

// newStoredPractice is a practice whose accounts stand in the database, where there are none yet.
func newStoredPractice(t *testing.T) *practice {
	t.Helper()
	p := newPractice(t)
	p.environ = slices.DeleteFunc(p.environ, func(v string) bool {
		return strings.HasPrefix(v, "NECTAR_EMAIL=") || strings.HasPrefix(v, "NECTAR_PASSWORD=")
	})
	p.environ = append(p.environ, "NECTAR_ACCOUNTS=store")
	writeEnv(t, p.dir, p.environ)
	return p
}

// migrated makes the database.
func (p *practice) migrated() *practice {
	p.Helper()
	p.does(0, "was made", "migrate")
	return p
}

// tells runs a command with something on standard input, and checks its status, and what it prints, where ines is who decides.
func (p *practice) tells(stdin string, status int, want string, args ...string) {
	p.Helper()
	var out, err bytes.Buffer
	sh := cli.Shell{Args: append(args, "--as", "ines"), Environ: p.environ, Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &err}
	if len(args) == 1 || args[len(args)-1] == "--json" && len(args) == 2 {
		sh.Args = args
	}
	got := execute(p.Context(), sh)
	p.printed = append(p.printed, &out, &err)
	if text := err.String() + out.String(); got != status || !regexp.MustCompile(want).MatchString(text) {
		p.Errorf("%s: status %d, and it was to say %s:\n%s", strings.Join(args, " "), got, want, text)
	}
}

// file writes a file of accounts.
func (p *practice) file(text string) string {
	p.Helper()
	path := filepath.Join(p.dir, "accounts.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.Fatal(err)
	}
	return path
}

// inDatabase reads what stands in the database.
func (p *practice) inDatabase() map[event.Account]record.StoredAccount {
	p.Helper()
	url, _ := strings.CutPrefix(p.environ[slices.IndexFunc(p.environ, func(v string) bool { return strings.HasPrefix(v, "NECTAR_STORE=") })], "NECTAR_STORE=")
	r, err := inspect.OpenReader(p.Context(), url, hexKey)
	if err != nil {
		p.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	rows, err := r.StoredAccounts(p.Context(), record.StoredAccountQuery{})
	if err != nil {
		p.Fatal(err)
	}
	all := map[event.Account]record.StoredAccount{}
	for _, row := range rows {
		all[row.Account] = row
	}
	return all
}

const hexKey = "0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f"

// TestAccountsOfTheDatabase: accounts come into the database and change there, and each decision says who, when and why.
func TestAccountsOfTheDatabase(t *testing.T) {
	t.Parallel()
	p := newStoredPractice(t).migrated()
	p.tells("", 0, `^no account has been at work`, "accounts")
	p.tells(hunter2+"\n", 0, `^shop: added\n$`, "accounts", "add", "shop", "--email", "shop@social.example", "--pace", "20/s", "--password-stdin")
	p.tells("", 0, `^cafe: added, and parked\n$`, "accounts", "add", "cafe", "--email", "cafe@social.example", "--state", "parked", "--why", "no password yet")
	p.tells("", 0, `(?m)^ACCOUNT +STATE +SINCE +BY +WHY\ncafe +parked +\S+ \S+ +ines +no password yet; given up for now; nectar accounts on cafe lets it go on; no worker runs\nshop +new +\S+ \S+ +ines +it has not been at work yet\n$`, "accounts")
	p.tells("", 0, `"account":"cafe","state":"parked",.*"stored":\{"state":"parked","why":"no password yet","since":"[^"]+","by":"ines"\}`, "accounts", "--json")
	p.tells("", 2, `^nectar: cafe: the password \(asked for on a terminal; --password-stdin reads it\): is missing\n$`, "accounts", "on", "cafe")
	p.tells(hunter2, 0, `^cafe: changed, and on\n$`, "accounts", "set", "cafe", "--state", "on", "--password-stdin")
	p.tells("", 0, `^cafe: paused: closed until May\nshop: paused: closed until May\n$`, "accounts", "pause", "cafe", "shop", "cafe", "--why", "closed until May")
	p.tells("", 0, `^cafe: paused already: closed until May\n$`, "accounts", "set", "cafe", "--state", "paused")
	p.tells("", 0, `^\{"account":"shop","did":"on","state":"on","by":"ines"\}\n$`, "accounts", "on", "shop", "--json")
	p.tells("", 0, `^shop: changed, and on\n$`, "accounts", "set", "shop", "--pace", "", "--concurrency", "4")
	if shop := p.inDatabase()["shop"]; !strings.Contains(shop.Settings, `"concurrency":"4"`) || strings.Contains(shop.Settings, "pace") || !strings.Contains(shop.SignIn.Reveal(), hunter2) {
		t.Errorf("it says %s", shop.Settings)
	}
	p.tells("n\n", 1, `Remove cafe\? \[y/N\]`, "accounts", "remove", "cafe")
	p.tells("y\n", 0, `cafe: removed; what is kept of it stays, and nectar accounts add cafe lets it go on with that\n$`, "accounts", "remove", "cafe")
	p.tells("", 0, `^ACCOUNT +STATE +SINCE +BY +WHY\nshop +new [^\n]*\n$`, "accounts")
	p.tells(hunter2, 0, `^cafe: added\n$`, "accounts", "add", "cafe", "--email", "cafe@social.example", "--password-stdin")
}

// TestAccountsOfTheDatabaseRefuse: what cannot be is one clear line, and changes nothing.
func TestAccountsOfTheDatabaseRefuse(t *testing.T) {
	t.Parallel()
	p := newStoredPractice(t)
	p.tells("", 1, `there is none yet: start the bot once, or name another database; nectar migrate makes it\n$`, "accounts", "add", "shop")
	p.migrated()
	p.tells(hunter2, 0, `added`, "accounts", "add", "shop", "--email", "shop@social.example", "--password-stdin")
	before := p.inDatabase()
	for want, args := range map[string][]string{
		`there is an account "shop" already: nectar accounts set changes it`:                      {"add", "shop", "--email", "b@social.example", "--password-stdin"},
		`signs in as the same person as shop; remove one of them`:                                 {"add", "twin", "--email", "SHOP@social.example", "--password-stdin"},
		`an account's name has at most 32 lower-case letters, digits, - and _; "My Shop" has not`: {"add", "My Shop", "--email", "b@social.example", "--password-stdin"},
		`--email: is missing`:                                   {"add", "cafe", "--password-stdin"},
		`--pace: is not a pace like 1/s`:                        {"add", "cafe", "--email", "b@social.example", "--pace", "often", "--password-stdin"},
		`--poll-interval: "1ms" is not a duration from 50ms`:    {"set", "shop", "--poll-interval", "1ms"},
		`--state: "of" is not on, paused or parked`:             {"set", "shop", "--state", "of"},
		`--state parked wants to know --why`:                    {"set", "shop", "--state", "parked"},
		`say what is to change`:                                 {"set", "shop"},
		`each account signs in as somebody of its own`:          {"set", "shop", "cafe", "--email", "b@social.example"},
		`there is no account "shpo"; did you mean "shop"\? in `: {"pause", "shpo"},
		`name one account or several`:                           {"on"},
		`--json is for scripts, and nobody is asked there`:      {"remove", "shop", "--json"},
		`there is no terminal to ask for the password`:          {"set", "shop", "--new-password"},
		`unknown flag: --password`:                              {"add", "cafe", "--password", "x"},
		`name the file of accounts, such as accounts.yaml`:      {"import"},
		`nowhere.yaml: cannot be read`:                          {"import", "nowhere.yaml"},
	} {
		status := cli.ExitUsage
		switch {
		case strings.HasPrefix(want, "signs in"):
			status = cli.ExitFailed
		case strings.HasPrefix(want, "nowhere.yaml"):
			status = cli.ExitConfig
		}
		p.tells(hunter2, status, `^nectar: [^\n]*`+want+`[^\n]*\n$`, append([]string{"accounts"}, args...)...)
	}
	if after := p.inDatabase(); len(after) != 1 || after["shop"].Version != before["shop"].Version {
		t.Errorf("it was %v, and is %v", before, after)
	}
	key := slices.Index(p.environ, "NECTAR_SECRET_KEY="+hexKey)
	p.environ[key] = strings.Replace(p.environ[key], "0f", "1f", 1)
	p.tells(hunter2, 1, `encrypted with another NECTAR_SECRET_KEY`, "accounts", "add", "cafe", "--email", "b@social.example", "--password-stdin")
	p.tells("", 1, `encrypted with another NECTAR_SECRET_KEY`, "accounts", "pause", "shop")
	p.environ = append(p.environ, "NECTAR_STORE=sqlite:"+filepath.Join(p.dir, "nectar.db"), "NECTAR_ACCOUNTS=")
	p.tells("", 2, `^nectar: accounts stand in .env, or in the file that NECTAR_ACCOUNTS names: in the database they stand on PostgreSQL alone, and NECTAR_STORE is the file [^\n]*\n$`, "accounts", "pause", "shop")
}

const twoAccounts = `
accounts:
  shop: { email: shop@social.example, password: '${SHOP}' }
  cafe: { email: cafe@social.example, password: '${SHOP}', pace: 5/s }
`

// TestImportAccounts: a file comes into the database, as often as somebody wants.
func TestImportAccounts(t *testing.T) {
	t.Parallel()
	p := newStoredPractice(t).migrated()
	p.environ = append(p.environ, "SHOP="+hunter2)
	file := p.file(twoAccounts)
	p.tells("", 0, `^of 2 accounts 2 would be added\n$`, "accounts", "import", file, "--dry-run")
	if all := p.inDatabase(); len(all) != 0 {
		t.Errorf("a rehearsal has changed something: %v", all)
	}
	p.tells("", 0, `^of 2 accounts 2 added\n$`, "accounts", "import", file)
	before := p.inDatabase()
	p.tells("", 0, `^of 2 accounts 0 added, 2 there as in the file\n$`, "accounts", "import", file)
	p.tells("", 0, `paused`, "accounts", "pause", "shop", "--why", "closed")
	p.tells("", 0, `changed`, "accounts", "set", "cafe", "--pace", "7/s")
	p.tells("", 1, `^cafe: differs in pace, as it was changed by ines [-0-9]+ [:0-9]+: it stays as it is \(--replace takes over what the file says\)\nof 2 accounts 0 added, 1 there as in the file, 1 there, and left as they are\n$`,
		"accounts", "import", file)
	p.tells("", 0, `"account":"cafe","did":"replaced","state":"on","by":"ines","differs":\["pace"\]`, "accounts", "import", file, "--replace", "--json")
	after := p.inDatabase()
	if after["shop"].State != "paused" || after["shop"].Why != "closed" || after["cafe"].Settings != before["cafe"].Settings {
		t.Errorf("it was %v, and is %v", before, after)
	}
	p.tells("", 0, `removed`, "accounts", "remove", "cafe", "--yes")
	p.tells("", 1, `^cafe: was removed by ines [-0-9]+ [:0-9]+: it stays so \(--replace brings it back\)`, "accounts", "import", file)
	p.tells("", 0, `of 2 accounts 0 added, 1 replaced, 1 there as in the file\n`, "accounts", "import", file, "--replace")
	for text, want := range map[string]string{
		"accounts:\n  bar: { email: Shop@social.example, password: x }\n":             `bar: signs in as the same person as shop, which is in `,
		"accounts:\n  bar: { email: bar@social.example, password: x, pase: 1/s }\n":   `accounts.yaml:2: bar: "pase": there is no such setting; did you mean pace\?`,
		"accounts:\n  " + strings.Repeat("b", 33) + ": { email: b@social.example }\n": `an account's name has at most 32 lower-case letters`,
		"accounts:\n  bar: { email: bar@social.example, password: '${NONE}' }\n":      `names the variable NONE, which is not set`,
	} {
		p.tells("", cli.ExitConfig, `^nectar: [^\n]*`+want+`[^\n]*\n$`, "accounts", "import", p.file(text))
	}
	if all := p.inDatabase(); len(all) != 2 {
		t.Errorf("wrong files have brought %v", all)
	}
}

// crowdFile writes a file of many accounts.
func (p *practice) crowdFile(n int) string {
	var text strings.Builder
	text.WriteString("accounts:\n")
	for i := range n {
		fmt.Fprintf(&text, "  a%d: { email: a%d@social.example, password: '%s' }\n", i, i, hunter2)
	}
	return p.file(text.String())
}

// sql runs a statement on the server, with the name of the test's schema in it.
func (p *practice) sql(statement string) {
	p.Helper()
	if err := p.server.Exec(p.Context(), fmt.Sprintf(statement, p.server.name)); err != nil {
		p.Fatal(err)
	}
}

// TestImportKilled: an import that is killed in the middle goes on when it is begun again.
func TestImportKilled(t *testing.T) {
	t.Parallel()
	p := newStoredPractice(t).migrated()
	const all = 3000
	file := p.crowdFile(all)
	// The server stands still in one of the later batches: however slow this machine looks, there is something left to be done.
	p.sql(`CREATE FUNCTION %[1]s.stall() RETURNS trigger LANGUAGE plpgsql AS
		$$ BEGIN IF NEW.account = 'a2500' THEN PERFORM pg_sleep(600); END IF; RETURN NEW; END $$;
		CREATE TRIGGER stall BEFORE INSERT ON %[1]s.account FOR EACH ROW EXECUTE FUNCTION %[1]s.stall()`)
	importing := p.start("accounts", "import", file)
	for by := soon(t); len(p.inDatabase()) == 0; {
		if by.Err() != nil {
			t.Fatal(importing)
		}
	}
	importing.Kill()
	p.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'; DROP TRIGGER stall ON %s.account`)
	there := len(p.inDatabase())
	if there%accounts.ImportBatch != 0 || there == all {
		t.Errorf("%d accounts are there: a part of a batch, or all", there)
	}
	t.Logf("it was killed with %d of %d accounts there", there, all)
	p.does(0, fmt.Sprintf("of %d accounts %d added", all, all-there), "accounts", "import", file)
	if n := len(p.inDatabase()); n != all {
		t.Errorf("%d of %d accounts are there", n, all)
	}
}

// TestTwoImports: of two imports at once each account comes once, and neither fails.
func TestTwoImports(t *testing.T) {
	t.Parallel()
	p := newStoredPractice(t).migrated()
	const accounts = 1000
	file := p.crowdFile(accounts)
	var both sync.WaitGroup
	var got [2]result
	for i := range got {
		both.Go(func() { got[i] = nectarIn(t, p.environ, "accounts", "import", file) })
	}
	both.Wait()
	added := 0
	for _, r := range got {
		var n, all int
		if _, err := fmt.Sscanf(r.stdout, "of %d accounts %d added", &all, &n); err != nil || r.status != 0 {
			t.Errorf("status %d: %s%s", r.status, r.stdout, r.stderr)
		}
		added += n
	}
	if n := len(p.inDatabase()); added != accounts || n != accounts {
		t.Errorf("%d accounts were added, and %d are there", added, n)
	}
}
