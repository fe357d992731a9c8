package published

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
)

// HistoryFlags are those of nectar history.
type HistoryFlags struct {
	JSON  bool
	Limit int
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

// Print writes the editions of sets, the newest first.
func (f *HistoryFlags) Print(ctx context.Context, out io.Writer, d *Shelf, sets []record.Set) error {
	workers, err := d.WorkersHaving(ctx)
	if err != nil {
		return err
	}
	t := print.NewTable(out, f.JSON, "SET", "NUMBER", "WHEN", "WHO", "RUNS", "WHY")
	for _, set := range sets {
		all, err := d.Editions(ctx, set.Name, f.Limit)
		if err != nil {
			return err
		}
		for i := range all {
			e := &all[i]
			runs := workers[autoresponder.HasEdition(e.Name, e.Number)]
			number, why := strconv.FormatInt(e.Number, 10), e.Why
			if e.Number == set.Number {
				number += " in force"
			}
			if e.BackTo > 0 {
				why = strings.TrimSuffix(fmt.Sprintf("back to %d: %s", e.BackTo, e.Why), ": ")
			}
			x := editionJSON{e.Name, e.Number, e.Hash, e.At.UTC(), e.By, e.Why, e.BackTo, e.Number == set.Number, runs}
			t.AddRow(x, e.Name, number, print.TimeText(e.At), e.By, strings.Join(runs, ", "), why)
		}
	}
	if len(sets) == 1 {
		t.DropColumn("SET")
	}
	t.DropEmpty("RUNS", "WHY")
	return t.Print(out, sources.NothingPublished)
}
