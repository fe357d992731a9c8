// Package doctor looks whether a bot can work: at its settings, its database, its rules, and at what the platform
// answers.
//
// Each check is a [Finding], noted and told at once. When one fails, the next one is made all the same, as far as it can be:
//
//	settings ─► addresses, rules ─► database, what is in force ─► rivals ─► each account: sign-in, its lists
//
//	d := doctor.Doctor{Out: out}
//	diagnosis := d.Visit(ctx, cfg, envFile) // OK: nothing failed
//
// Read doctor.go for the order, checks.go for what is read of the platform: a new call of the API is a line there, with what the bot does
// without it. Every other file is one check, which its name says.
//
// What holds:
//
//   - It changes nothing that anybody would miss. It may bring the schema up to date and store a session, as a bot does when it starts; reading
//     a chat may mark it as seen, which is what one check finds out.
//   - A database that a bot has locked is no failure: it is read beside it.
//   - Missing is not Failed: what a platform does not have, and the bot does without, is said with what that means.
//   - A finding holds no secret (Note scrubs it), since people send them to others who help.
//
// The one exception is --campaigns ([Doctor.ProbeCampaigns]): it reposts a post of the account, and takes that back, to see what the platform shows. It
// announces what it does, asks, wants the bot stopped, touches own posts alone, and puts the post back, also when it is interrupted, or says that
// it could not (prober.go, putback.go). Of a call that got no answer it waits until it cannot take effect any more, and then reads: a second toggle
// on top of one that is still on its way would undo it.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/session"
)

// KeepOnly leaves only one account of the settings, when one is named.
func KeepOnly(cfg *config.Config, account string) error {
	if account == "" {
		return nil
	}
	names := make([]string, len(cfg.Accounts))
	for i := range cfg.Accounts {
		names[i] = string(cfg.Accounts[i].Name)
		if names[i] == account {
			cfg.Accounts = cfg.Accounts[i : i+1]
			return nil
		}
	}
	return sources.NoAccount(account, names)
}

// Finding is what a check of the doctor found.
type Finding struct {
	Account string `json:"account,omitempty"` // empty when it is about all of them
	Check   string `json:"check"`
	Status  Status `json:"status"`
	Said    string `json:"said"`
}

// Status is how a check ended.
type Status string

// What a check may end with.
const (
	Good    Status = "ok"
	Odd     Status = "odd"     // works, with something a person should know
	Missing Status = "missing" // the platform does not have it, and the bot does without
	Failed  Status = "failed"  // the bot cannot work like this
)

// Diagnosis is all that the doctor found.
type Diagnosis struct {
	OK       bool      `json:"ok"` // nothing failed
	Findings []Finding `json:"findings"`
}

// Doctor makes the checks and writes down what they find, as they find it.
type Doctor struct {
	Out   io.Writer
	Named bool // only one account is checked, which the command names
	Found Diagnosis

	people map[person]string // the accounts, by the user that they sign in as
}

// CheckAll makes all checks.
func (d *Doctor) CheckAll(ctx context.Context, cfg config.Config, envFile string) Diagnosis {
	names := make([]string, len(cfg.Accounts))
	for i, a := range cfg.Accounts {
		names[i] = string(a.Name)
	}
	if said := "complete, with these accounts: " + strings.Join(names, ", "); len(names) > 0 {
		d.NoteFinding(Finding{Check: "settings", Status: Good, Said: said})
	} else {
		d.NoteFinding(Finding{Check: "settings", Status: Odd, Said: "complete, without accounts: nectar accounts add and import bring some into the database"})
	}
	for _, line := range cfg.Misspelt {
		d.NoteFinding(Finding{Check: "settings", Status: Odd, Said: line + "; what it says is not in force"})
	}
	d.checkRate(cfg)
	d.checkModes(cfg, envFile)
	folders, err := cfg.RuleFolders()
	if err != nil {
		d.NoteFinding(Finding{Check: "rules", Status: Failed, Said: err.Error()})
	}
	d.CheckAddresses(ctx, cfg, folders)
	d.checkRules(ctx, cfg, folders)
	d.tellJudgement(ctx, cfg)
	st, readable := d.database(ctx, cfg)
	if readable {
		d.checkServer(ctx, cfg)
		d.tellTimers(ctx, cfg)
		d.InForce(ctx, cfg, folders, time.Now())
	}
	d.tellRivals(ctx, cfg, st)
	polls := d.lastPolls(ctx, cfg)
	for _, a := range cfg.Accounts {
		_, _ = fmt.Fprintf(d.Out, "\naccount %s at %s\n", a.Name, a.BaseURL)
		if a.Paused() && !d.Named {
			d.NoteFinding(Finding{Account: string(a.Name), Check: "state", Status: Good, Said: "paused in the settings: it is not polled, and was not looked at; --account " + string(a.Name) + " looks at it"})
			continue
		}
		d.tellPolled(polls, a.Name, st == nil)
		d.account(ctx, a, st, &cfg)
	}
	if st != nil {
		if err := st.Close(); err != nil {
			d.NoteFinding(Finding{Check: "database", Status: Failed, Said: err.Error()})
		}
	}
	count := map[Status]int{}
	for _, f := range d.Found.Findings {
		count[f.Status]++
	}
	_, _ = fmt.Fprintf(d.Out, "\n%d ok, %d odd, %d missing, %d failed\n", count[Good], count[Odd], count[Missing], count[Failed])
	d.Found.OK = count[Failed] == 0
	return d.Found
}

// database checks the store. It returns nil when it cannot be used now, and whether it can be read.
func (d *Doctor) database(ctx context.Context, cfg config.Config) (st bot.Store, readable bool) {
	f := Finding{Check: "database", Status: Good, Said: cfg.Store.String() + " is up to date, and what people say in it is encrypted"}
	cfg.NoBot = true
	st, err := cfg.OpenStore(ctx, slog.New(slog.DiscardHandler))
	switch {
	case errors.Is(err, record.ErrInUse):
		f.Said = cfg.Store.String() + " is in use: a bot runs on it"
	case err != nil:
		f.Status, f.Said = Failed, err.Error()
	case cfg.SecretKey == "":
		f.Status, f.Said = Odd, cfg.Store.String()+" is up to date, and holds live sessions and what people say, not encrypted; NECTAR_SECRET_KEY encrypts them"
	}
	d.NoteFinding(f)
	return st, f.Status != Failed
}

// account checks one account on its platform.
func (d *Doctor) account(ctx context.Context, a config.Account, st bot.Store, cfg *config.Config) {
	transport := platform.NewTransport()
	defer transport.CloseIdleConnections()
	p := &patient{cfg: cfg}
	client, err := platform.New(platform.Config{
		BaseURL: a.BaseURL, AllowPlainHTTP: a.AllowPlainHTTP, Transport: transport, MaxList: cfg.ListLimit, Clock: p.clock.noteAhead,
	})
	if err != nil {
		d.NoteFinding(Finding{string(a.Name), "base address", Failed, err.Error()})
		return
	}
	of := session.Config{Account: string(a.Name), Client: client, Credentials: a.Bot().Credentials, Keeper: beside{a.Name, cfg}}
	if st != nil {
		of.Keeper = st.Keeper(a.Name)
	}
	if a.Password != "" {
		// With the stored session, a wrong password would show in some days, when nobody looks.
		of.Keeper = afresh{of.Keeper}
	}
	p.broker = session.New(of)
	p.client = client.WithSession(p.broker)
	for _, c := range DoctorChecks() {
		f := c.run(ctx, p)
		f.Account = string(a.Name)
		d.NoteFinding(f)
		// Every other call would fail by the same, and hide it.
		if p.id == 0 {
			d.NoteFinding(Finding{f.Account, "everything else", Failed, "not tried: it takes a sign-in"})
			break
		}
	}
	d.noteMet(a, p.id)
	if err := p.broker.Wait(ctx); err != nil {
		d.NoteFinding(Finding{string(a.Name), "sign-in", Failed, "the session could not be stored: " + err.Error()})
	}
}

// afresh keeps what a sign-in brings. At first it has no session, so that the password is tried, and knows only to which user the last one belonged.
type afresh struct{ session.Keeper }

// LoadSession implements session.Keeper.
func (a afresh) LoadSession(ctx context.Context) (session.Kept, error) {
	kept, err := a.Keeper.LoadSession(ctx)
	kept.Tokens, kept.Obtained = platform.Tokens{}, time.Time{}
	return kept, err
}

// beside knows to which user the session of a running bot belongs, and leaves the session to that bot.
type beside struct {
	account event.Account
	cfg     *config.Config
}

// LoadSession implements session.Keeper.
func (b beside) LoadSession(ctx context.Context) (session.Kept, error) {
	r, err := inspect.OpenReader(ctx, string(b.cfg.Store), b.cfg.SecretKey)
	if err != nil {
		return session.Kept{}, nil // the check of the database says so
	}
	defer func() { _ = r.Close() }() // it was only read
	kept, err := r.Session(ctx, b.account)
	if err != nil {
		return session.Kept{}, nil // then it is not known which user it is
	}
	kept.Tokens, kept.Obtained = platform.Tokens{}, time.Time{}
	return kept, nil
}

// SaveSession implements session.Keeper.
func (beside) SaveSession(context.Context, session.Kept) error { return nil }

// NoteFinding writes a finding down.
func (d *Doctor) NoteFinding(f Finding) {
	f.Said = print.OneLine(config.Scrub(strings.ReplaceAll(f.Said, "\n", "; ")))
	d.Found.Findings = append(d.Found.Findings, f)
	word := string(f.Status)
	if f.Status == Missing || f.Status == Failed {
		word = strings.ToUpper(word)
	}
	_, _ = fmt.Fprintf(d.Out, "%-8s %-28s %s\n", word, f.Check, f.Said)
}
