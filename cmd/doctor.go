package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/store"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/session"
	"github.com/spf13/cobra"
)

const doctorHelp = `Doctor checks the settings and the database, signs in with each account and reads
everything that a bot reads. It says a line about each, in plain words:

  ok       understood
  odd      works, with something that you should know
  MISSING  this platform does not have it; the bot does without
  FAILED   the bot cannot work like this

Without --campaigns it sends nothing to anybody. Reading messages may mark them as seen on the
phone of the account's owner; the doctor finds out, and says so. When no bot
runs, it brings the database up to date and stores its sessions there, and no bot
can start before it has ended.

With --campaigns it finds out, on a post of your own, what campaigns have to know:
whether a post says that you have reposted it, whether taking that back is seen at
once, and whether a repost that is made again lifts the post. It says beforehand what
it does, asks, and puts the post back as it was, also when it is broken off. No bot
may run meanwhile; the next one that starts is told.

Exit status: 0 nothing failed, 1 something failed, 2 wrong settings.`

func newDoctor(sh shell) *cobra.Command {
	var asJSON bool
	var account string
	var probe campaignProbe
	cmd := &cobra.Command{
		Use:     "doctor",
		Short:   "Check the settings, the database and the platform",
		Long:    doctorHelp,
		Example: "  nectar doctor\n  nectar doctor --json\n  nectar doctor --campaigns --post https://social.example/thread/48121",
		GroupID: groupCare,
		Args:    usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := sh.settingsWithStored(cmd)
			if err != nil {
				return err
			}
			if err := only(&cfg, account); err != nil {
				return badUsage(cmd, err)
			}
			if err := probe.check(&cfg, asJSON); err != nil {
				return badUsage(cmd, err)
			}
			d := doctor{out: cmd.OutOrStdout(), named: account != ""}
			if asJSON {
				d.out = io.Discard
			}
			var report diagnosis
			var trouble error
			if probe.on {
				report, trouble = d.probe(cmd.Context(), cfg, probe, sh.stdin)
			} else {
				envFile, err := cmd.Flags().GetString(envFileFlag)
				if err != nil {
					return err
				}
				report = d.visit(cmd.Context(), cfg, envFile)
			}
			if asJSON {
				if err := printJSON(cmd.OutOrStdout(), report); err != nil {
					return err
				}
			}
			if trouble == nil && !report.OK {
				return &exitError{Code: exitFailed}
			}
			return trouble
		},
	}
	cmd.Flags().StringVar(&account, "account", "", "only this `account` (default all)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	probe.flags(cmd)
	return cmd
}

// only leaves only one account of the settings, when one is named.
func only(cfg *config.Config, account string) error {
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
	return noAccount(account, names)
}

// finding is what a check of the doctor found.
type finding struct {
	Account string `json:"account,omitempty"` // empty when it is about all of them
	Check   string `json:"check"`
	Status  status `json:"status"`
	Said    string `json:"said"`
}

// status is how a check ended.
type status string

const (
	good    status = "ok"
	odd     status = "odd"     // works, with something a person should know
	missing status = "missing" // the platform does not have it, and the bot does without
	failed  status = "failed"  // the bot cannot work like this
)

// diagnosis is all that the doctor found.
type diagnosis struct {
	OK       bool      `json:"ok"` // nothing failed
	Findings []finding `json:"findings"`
}

// doctor makes the checks and writes down what they find, as they find it.
type doctor struct {
	out   io.Writer
	named bool // it looks at one account, which somebody has named
	found diagnosis

	people map[person]string // the accounts, by who they are
}

// visit makes all checks.
func (d *doctor) visit(ctx context.Context, cfg config.Config, envFile string) diagnosis {
	names := make([]string, len(cfg.Accounts))
	for i, a := range cfg.Accounts {
		names[i] = string(a.Name)
	}
	if said := "complete, with these accounts: " + strings.Join(names, ", "); len(names) > 0 {
		d.note(finding{Check: "settings", Status: good, Said: said})
	} else {
		d.note(finding{Check: "settings", Status: odd, Said: "complete, without accounts: nectar accounts add and import bring some into the database"})
	}
	d.rate(cfg)
	d.modes(cfg, envFile)
	folders, err := cfg.RuleFolders()
	if err != nil {
		d.note(finding{Check: "rules", Status: failed, Said: err.Error()})
	}
	d.addresses(ctx, cfg, folders)
	d.rules(ctx, cfg, folders)
	st, readable := d.database(ctx, cfg)
	if readable {
		d.server(ctx, cfg)
		d.timers(ctx, cfg)
		d.inForce(ctx, cfg, folders, time.Now())
	}
	d.rivals(ctx, cfg, st)
	polls := d.polls(ctx, cfg)
	for _, a := range cfg.Accounts {
		_, _ = fmt.Fprintf(d.out, "\naccount %s at %s\n", a.Name, a.BaseURL)
		if a.Paused() && !d.named {
			d.note(finding{Account: string(a.Name), Check: "state", Status: good, Said: "paused in the settings: it is not polled, and was not looked at; --account " + string(a.Name) + " looks at it"})
			continue
		}
		d.polled(polls, a.Name, st == nil)
		d.account(ctx, a, st, int64(cfg.ListLimit))
	}
	if st != nil {
		if err := st.Close(); err != nil {
			d.note(finding{Check: "database", Status: failed, Said: err.Error()})
		}
	}
	count := map[status]int{}
	for _, f := range d.found.Findings {
		count[f.Status]++
	}
	_, _ = fmt.Fprintf(d.out, "\n%d ok, %d odd, %d missing, %d failed\n", count[good], count[odd], count[missing], count[failed])
	d.found.OK = count[failed] == 0
	return d.found
}

// database checks the store. It returns nil when it cannot be used now, and whether it can be read.
func (d *doctor) database(ctx context.Context, cfg config.Config) (st *store.Database, readable bool) {
	f := finding{Check: "database", Status: good, Said: cfg.Store.String() + " is up to date, and what people say in it is encrypted"}
	st, err := cfg.OpenStore(ctx, slog.New(slog.DiscardHandler))
	switch {
	case errors.Is(err, store.ErrInUse):
		f.Said = cfg.Store.String() + " is in use: a bot runs on it"
	case err != nil:
		f.Status, f.Said = failed, err.Error()
	case cfg.SecretKey == "":
		f.Status, f.Said = odd, cfg.Store.String()+" is up to date, and holds live sessions and what people say, not encrypted; NECTAR_SECRET_KEY encrypts them"
	}
	d.note(f)
	return st, f.Status != failed
}

// account checks one account on its platform.
func (d *doctor) account(ctx context.Context, a config.Account, st *store.Database, limit int64) {
	transport := platform.NewTransport()
	defer transport.CloseIdleConnections()
	client, err := platform.New(platform.Config{BaseURL: a.BaseURL, AllowPlainHTTP: a.AllowPlainHTTP, Transport: transport, MaxList: limit})
	if err != nil {
		d.note(finding{string(a.Name), "base address", failed, err.Error()})
		return
	}
	of := session.Config{Account: string(a.Name), Client: client, Credentials: a.Bot().Credentials}
	if st != nil {
		of.Keeper = st.Keeper(a.Name)
		if a.Password != "" {
			of.Keeper = afresh{of.Keeper}
		}
	}
	p := &patient{broker: session.New(of)}
	p.client = client.WithSession(p.broker)
	for _, c := range doctorChecks() {
		f := c.run(ctx, p)
		f.Account = string(a.Name)
		d.note(f)
		if p.id == 0 {
			d.note(finding{f.Account, "everything else", failed, "not tried: it takes a sign-in"})
			break
		}
	}
	d.met(a, p.id)
	if err := p.broker.Wait(ctx); err != nil {
		d.note(finding{string(a.Name), "sign-in", failed, "the session could not be stored: " + err.Error()})
	}
}

// afresh keeps what a sign-in brings, and has nothing at first: the password is to be tried.
type afresh struct{ session.Keeper }

// LoadSession implements session.Keeper.
func (afresh) LoadSession(context.Context) (session.Kept, error) { return session.Kept{}, nil }

// note writes a finding down.
func (d *doctor) note(f finding) {
	f.Said = oneLine(config.Scrub(strings.ReplaceAll(f.Said, "\n", "; ")))
	d.found.Findings = append(d.found.Findings, f)
	word := string(f.Status)
	if f.Status == missing || f.Status == failed {
		word = strings.ToUpper(word)
	}
	_, _ = fmt.Fprintf(d.out, "%-8s %-28s %s\n", word, f.Check, f.Said)
}
