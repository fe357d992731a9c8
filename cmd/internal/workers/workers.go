// Package workers says which workers share a database, and what each of them has.
package workers

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/lease"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/view"
)

// silentAfter is when it is told that a worker was not heard of.
const silentAfter = 3 * time.Second

// WorkerJSON is a worker for machines.
type WorkerJSON struct {
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
	said += view.By(d.By) + " " + print.When(d.At)
	if d.Why != "" {
		said += " (" + print.Plain(d.Why, 80) + ")"
	}
	return said
}

// workersOf returns the workers of a board, as they are shown.
func workersOf(v *lease.View, hosts *lease.HostViews, gone bool) (all []WorkerJSON) {
	odd := v.Odd()
	for i := range v.Workers {
		p := &v.Workers[i]
		if p.State == lease.StateGone && !gone {
			continue
		}
		w := WorkerJSON{
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
func (w *WorkerJSON) remarks() string {
	said := ""
	if w.State != lease.StateGone.String() && w.Silent > silentAfter.Seconds() {
		said = print.And(said, fmt.Sprintf("silent for %.0f s: others take over from it", w.Silent))
	}
	if w.Draining {
		said = print.And(said, w.Drain.drained())
	}
	if w.Odd {
		said = print.And(said, fmt.Sprintf("its clock differs by %.0f s from the others': it takes no accounts until that is right", w.Clock))
	}
	if w.Comes > 0 {
		said = print.And(said, fmt.Sprintf("%d come", w.Comes))
	}
	if w.Goes > 0 {
		said = print.And(said, fmt.Sprintf("%d go", w.Goes))
	}
	return said
}

// PrintWorkers writes the list of workers.
func PrintWorkers(out io.Writer, v *lease.View, hosts *lease.HostViews, gone, asJSON bool) error {
	all := workersOf(v, hosts, gone)
	t := &print.Table{Head: []string{"WORKER", "STATE", "SHARDS", "LOAD", "REQUESTS", "VERSION", "SEEN", "REMARKS"}}
	for i := range all {
		w := &all[i]
		if asJSON {
			if err := print.Line(out, w); err != nil {
				return err
			}
			continue
		}
		t.Add(w.Worker, w.State, strconv.Itoa(w.Shards), strconv.FormatFloat(w.Load, 'f', 1, 64), w.requests(), w.Version, print.When(w.Seen), w.remarks())
	}
	if asJSON {
		return nil
	}
	t.Squeeze("REMARKS", "REQUESTS")
	if err := t.Print(out, "no worker runs on this database"); err != nil || len(all) == 0 {
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
	_, err = fmt.Fprintf(out, "\n%s nobody's at the moment\n", print.Several(free, "shard is", "shards are"))
	return err
}
