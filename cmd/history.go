package cmd

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
	"github.com/spf13/cobra"
)

const historyHelp = `History lists what was published, the newest first: the number of each edition, when, who
and why. The first one of a set is the one in force. RUNS names the workers that act by an
edition at this moment, as far as they say so.

NAME is the set; without it all sets are listed.`

// historyFlags are those of nectar history.
type historyFlags struct {
	json  bool
	limit int
}

func newHistory(sh shell) *cobra.Command {
	var f historyFlags
	cmd := &cobra.Command{
		Use:     "history [NAME]",
		Short:   "List what was published: when, by whom, why, and what is in force",
		Long:    historyHelp,
		Example: "  nectar history\n  nectar history shop --limit 100",
		GroupID: groupRules,
		Args:    usage(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := sh.setDesk(cmd)
			if err != nil {
				return err
			}
			defer d.close()
			sets := d.sets
			if len(args) > 0 {
				set, err := d.named(args)
				if err != nil {
					return err
				}
				sets = []record.Set{set}
			}
			return f.print(cmd.Context(), cmd.OutOrStdout(), d, sets)
		},
	}
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON object per line")
	cmd.Flags().IntVar(&f.limit, "limit", defaultLimit, "at most so `many` editions of each set")
	return cmd
}

// editionJSON is an edition for machines.
type editionJSON struct {
	Set     string    `json:"set"`
	Number  int64     `json:"number"`
	Hash    string    `json:"version"`
	At      time.Time `json:"at"`
	By      string    `json:"by"`
	Why     string    `json:"why,omitempty"`
	BackTo  int64     `json:"back_to,omitempty"`
	InForce bool      `json:"in_force,omitempty"`
	Workers []string  `json:"workers,omitempty"`
}

func (f *historyFlags) print(ctx context.Context, out io.Writer, d *setDesk, sets []record.Set) error {
	workers, err := d.WorkersHaving(ctx)
	if err != nil {
		return err
	}
	t := table{head: []string{"SET", "NUMBER", "WHEN", "WHO", "RUNS", "WHY"}}
	for _, set := range sets {
		all, err := d.Editions(ctx, set.Name, f.limit)
		if err != nil {
			return err
		}
		for i := range all {
			e := &all[i]
			runs := workers[autoresponder.HasEdition(e.Name, e.Number)]
			if f.json {
				x := editionJSON{e.Name, e.Number, e.Hash, e.At.UTC(), e.By, e.Why, e.BackTo, e.Number == set.Number, runs}
				if err := printLine(out, x); err != nil {
					return err
				}
				continue
			}
			number, why := strconv.FormatInt(e.Number, 10), e.Why
			if e.Number == set.Number {
				number += " in force"
			}
			if e.BackTo > 0 {
				why = strings.TrimSuffix(fmt.Sprintf("back to %d: %s", e.BackTo, e.Why), ": ")
			}
			t.add(e.Name, number, when(e.At), e.By, strings.Join(runs, ", "), why)
		}
	}
	if f.json {
		return nil
	}
	if len(sets) == 1 {
		t.drop("SET")
	}
	t.squeeze("RUNS", "WHY")
	return t.print(out, nothingPublished)
}
