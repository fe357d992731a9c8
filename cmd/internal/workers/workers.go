// Package workers says which workers share a database, and what each of them has.
package workers

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/nectar-bot/nectar/bot/admin"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/view"
)

// silentAfter is when it is told that a worker was not heard of.
const silentAfter = 3 * time.Second

// drained says who has asked a worker to give its accounts away, when, and why.
func drained(d *admin.Drain) string {
	said := "drained"
	if d == nil {
		return said
	}
	said += view.ByText(d.By) + " " + print.TimeText(d.At)
	if d.Why != "" {
		said += " (" + print.PlainText(d.Why, 80) + ")"
	}
	return said
}

// remarks says what is unusual about a worker.
func remarks(w *admin.Worker) string {
	said := ""
	if !w.Gone() && w.Silent > silentAfter.Seconds() {
		said = print.JoinTwo(said, fmt.Sprintf("silent for %.0f s: others take over from it", w.Silent))
	}
	if w.Draining {
		said = print.JoinTwo(said, drained(w.Drain))
	}
	if w.Odd {
		said = print.JoinTwo(said, fmt.Sprintf("its clock differs by %.0f s from the others': it takes no accounts until that is right", w.Clock))
	}
	if w.Comes > 0 {
		said = print.JoinTwo(said, fmt.Sprintf("%d come", w.Comes))
	}
	if w.Goes > 0 {
		said = print.JoinTwo(said, fmt.Sprintf("%d go", w.Goes))
	}
	return said
}

// PrintWorkers writes the list of workers.
func PrintWorkers(out io.Writer, there *admin.Workers, asJSON bool) error {
	all := there.All
	t := print.NewTable(out, asJSON, "WORKER", "STATE", "SHARDS", "LOAD", "REQUESTS", "VERSION", "SEEN", "REMARKS")
	for i := range all {
		w := &all[i]
		t.AddRow(w, w.Worker, w.State, strconv.Itoa(w.Shards), strconv.FormatFloat(w.Load, 'f', 1, 64), requestsText(w), w.Version, print.TimeText(w.Seen), remarks(w))
	}
	t.DropEmpty("REMARKS", "REQUESTS")
	if err := t.Print(out, "no worker runs on this database"); err != nil || len(all) == 0 || asJSON {
		return err
	}
	return printRemarks(out, there)
}

// printRemarks says below the workers what is unusual about all of them.
func printRemarks(out io.Writer, there *admin.Workers) (err error) {
	if there.Apart != 0 {
		_, err = fmt.Fprintf(out, "\nthe clocks of the workers are %.0f s ahead of the database's: one of them is wrong; nothing stops for that\n", there.Apart.Seconds())
	}
	if there.Free == 0 || err != nil {
		return err
	}
	return print.SayLine(out, "\n%s nobody's at the moment", print.CountText(there.Free, "shard is", "shards are"))
}
