package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/lease"
	"github.com/nectar-bot/nectar/bot/store"
	"github.com/spf13/cobra"
)

const workersHelp = `Workers lists the processes that share a database of PostgreSQL: who is there, since
when it was not heard of, and how many shards of the accounts are its. There are 1,024
shards; an account is always in the same one, and is served by whoever has that.

Where NECTAR_HOST_RATE says how many requests a second a host of the platform gets,
REQUESTS says how many of them each worker may make.

STATE is up, entering, leaving or gone. One that is silent is taken over from within
some seconds. Those that have gone are listed with --all, for a week.`

const drainHelp = `Drain asks a worker to give all its accounts to others, one after another; what is
under way is finished first. It goes on running, without accounts, and may be stopped
then. --undo lets it have accounts again. Where there is no other worker that could
take them it keeps them. nectar workers shows who asked for it, when, and why.

To stop a worker it need not be drained before: it gives its accounts away by itself,
with SIGTERM or Ctrl-C.`

func newWorkers(sh shell) *cobra.Command {
	var asJSON, all bool
	cmd := &cobra.Command{
		Use:     "workers",
		Short:   "List the workers that share a database; drain one",
		Long:    workersHelp,
		Example: "  nectar workers\n  nectar workers drain bot-1",
		GroupID: groupCare,
		Args:    usage(knownCommand),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return sh.onBoard(cmd, func(ctx context.Context, b *store.Board, _ string) error {
				v, err := b.Look(ctx)
				if err != nil {
					return fmt.Errorf("NECTAR_STORE: %w", err)
				}
				if err := printLoss(ctx, cmd.OutOrStdout(), b, all, asJSON); err != nil {
					return err
				}
				hosts, err := b.Hosts(ctx)
				if err != nil {
					return fmt.Errorf("NECTAR_STORE: %w", err)
				}
				return printWorkers(cmd.OutOrStdout(), v, hosts, all, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per line")
	cmd.Flags().BoolVar(&all, "all", false, "those that have gone, too")
	cmd.SuggestionsMinimumDistance = 2
	cmd.AddCommand(newDrain(sh), newAcceptLoss(sh))
	return cmd
}

func newDrain(sh shell) *cobra.Command {
	undo, why, f := false, "", &deskFlags{}
	cmd := &cobra.Command{
		Use:     "drain WORKER",
		Short:   "Let a worker give its accounts to others",
		Long:    drainHelp,
		Example: "  nectar workers drain bot-1 --why 'new disk'\n  nectar workers drain bot-1 --undo",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return badUsage(cmd, errors.New("name one worker; nectar workers lists them"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return sh.onBoard(cmd, func(ctx context.Context, b *store.Board, database string) error {
				there, err := b.DrainBy(ctx, args[0], !undo, lease.Decision{By: decider(sh, f.by), Why: strings.TrimSpace(why)})
				switch {
				case err != nil:
					return fmt.Errorf("NECTAR_STORE: %w", err)
				case !there:
					return &exitError{exitUsage, fmt.Errorf("no worker %q runs on %s; nectar workers lists them", args[0], database)}
				}
				says := "%s gives its accounts away; nectar workers shows how many shards it still has\n"
				if undo {
					says = "%s may have accounts again\n"
				}
				_, err = fmt.Fprintf(cmd.OutOrStdout(), says, args[0])
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&undo, "undo", false, "let it have accounts again")
	cmd.Flags().StringVar(&why, "why", "", "why, in a `text` for others who look after the workers")
	asFlag(cmd, f)
	return cmd
}

// onBoard does something with the board of the workers, in the database of the settings.
func (sh shell) onBoard(cmd *cobra.Command, do func(ctx context.Context, b *store.Board, database string) error) error {
	cfg, err := sh.settingsWithoutAccounts(cmd)
	if err != nil {
		return err
	}
	if !cfg.Store.OnServer() {
		return &exitError{exitUsage, fmt.Errorf("workers share a database of PostgreSQL, and NECTAR_STORE is %s: one process runs on it", cfg.Store)}
	}
	b, err := store.OpenBoard(cmd.Context(), string(cfg.Store), store.BoardOptions{Looks: true})
	if err != nil {
		return fmt.Errorf("NECTAR_STORE: %w", err)
	}
	err = do(cmd.Context(), b, cfg.Store.String())
	return errors.Join(err, b.Close())
}

// silentAfter is when it is told that a worker was not heard of.
const silentAfter = 3 * time.Second

// workerJSON is a worker for machines.
type workerJSON struct {
	Worker   string    `json:"worker"`
	State    string    `json:"state"` // entering, up, leaving or gone
	Shards   int       `json:"shards"`
	Comes    int       `json:"shards_to_come"` // that are wanted for it
	Goes     int       `json:"shards_to_go"`   // of its own, that are wanted for others
	Load     float64   `json:"load"`           // of its shards, in thousandths of a core
	Accounts int       `json:"accounts_known"` // that it can serve
	Version  string    `json:"version"`
	Seen     time.Time `json:"seen"` // by the database's clock
	Silent   float64   `json:"silent_seconds"`
	Clock    float64   `json:"clock_ahead_seconds"` // of the database's
	Odd      bool      `json:"clock_wrong"`         // it differs from the others' by so much that it takes no shards
	Draining bool      `json:"draining"`
	// Drain is who said last whether it has to give its accounts away; nil when nobody has.
	Drain *drainJSON `json:"drain,omitempty"`

	Hosts []hostShareJSON `json:"hosts,omitempty"` // where there is a limit
}

// drainJSON is a decision for machines.
type drainJSON struct {
	By  string    `json:"by"`
	At  time.Time `json:"at"`
	Why string    `json:"why"`
}

// drained says who has asked a worker to give its accounts away, when, and why.
func (d *drainJSON) drained() string {
	said := "drained"
	if d == nil {
		return said
	}
	said += by(d.By) + " " + when(d.At)
	if d.Why != "" {
		said += " (" + plain(d.Why, 80) + ")"
	}
	return said
}

// workersOf returns the workers of a board, as they are shown.
func workersOf(v *lease.View, hosts *lease.HostViews, gone bool) (all []workerJSON) {
	odd := v.Odd()
	for i := range v.Workers {
		p := &v.Workers[i]
		if p.State == lease.StateGone && !gone {
			continue
		}
		w := workerJSON{
			Worker: p.Name, State: p.State.String(), Version: p.Version, Seen: p.Seen.UTC(), Silent: max(v.Now.Sub(p.Seen), 0).Seconds(),
			Clock: p.Ahead.Seconds(), Odd: odd[p.Worker], Draining: p.Drain,
			Hosts: sharesOf(hosts, p.Worker),
		}
		if d := p.Drained; !d.At.IsZero() {
			w.Drain = &drainJSON{d.By, d.At.UTC(), d.Why}
		}
		for _, h := range p.Has {
			if strings.HasPrefix(h, lease.HasAccount("")) {
				w.Accounts++
			}
		}
		for n := range v.Shards {
			s := &v.Shards[n]
			mine, wanted := s.Owner == p.Worker, s.Wanted == p.Worker
			switch {
			case mine:
				w.Shards++
				w.Load += float64(s.Load) / 1e6 // see bot.Holder.Loads
				if s.Wanted != 0 && !wanted {
					w.Goes++
				}
			case wanted:
				w.Comes++
			}
		}
		all = append(all, w)
	}
	return all
}

// remarks says what is unusual about a worker.
func (w *workerJSON) remarks() string {
	said := ""
	if w.State != lease.StateGone.String() && w.Silent > silentAfter.Seconds() {
		said = and(said, fmt.Sprintf("silent for %.0f s: others take over from it", w.Silent))
	}
	if w.Draining {
		said = and(said, w.Drain.drained())
	}
	if w.Odd {
		said = and(said, fmt.Sprintf("its clock differs by %.0f s from the others': it takes no accounts until that is right", w.Clock))
	}
	if w.Comes > 0 {
		said = and(said, fmt.Sprintf("%d come", w.Comes))
	}
	if w.Goes > 0 {
		said = and(said, fmt.Sprintf("%d go", w.Goes))
	}
	return said
}

func printWorkers(out io.Writer, v *lease.View, hosts *lease.HostViews, gone, asJSON bool) error {
	all := workersOf(v, hosts, gone)
	t := &table{head: []string{"WORKER", "STATE", "SHARDS", "LOAD", "REQUESTS", "VERSION", "SEEN", "REMARKS"}}
	for i := range all {
		w := &all[i]
		if asJSON {
			if err := printLine(out, w); err != nil {
				return err
			}
			continue
		}
		t.add(w.Worker, w.State, strconv.Itoa(w.Shards), strconv.FormatFloat(w.Load, 'f', 1, 64), w.requests(), w.Version, when(w.Seen), w.remarks())
	}
	if asJSON {
		return nil
	}
	t.squeeze("REMARKS", "REQUESTS")
	if err := t.print(out, "no worker runs on this database"); err != nil || len(all) == 0 {
		return err
	}
	return printRemarks(out, v)
}

// printRemarks says below the workers what is unusual about all of them.
func printRemarks(out io.Writer, v *lease.View) (err error) {
	if apart := v.Apart(); apart != 0 {
		_, err = fmt.Fprintf(out, "\nthe clocks of the workers are %.0f s ahead of the database's: one of them is wrong; nothing stops for that\n", apart.Seconds())
	}
	free := 0
	for n := range v.Shards {
		if v.Shards[n].Owner == 0 {
			free++
		}
	}
	if free == 0 || err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "\n%s nobody's at the moment\n", several(free, "shard is", "shards are"))
	return err
}
