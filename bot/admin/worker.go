package admin

import (
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/record"
)

// Worker is a worker as it stands on the board.
type Worker struct {
	Worker   string    `json:"worker"`
	State    string    `json:"state"` // entering, up, leaving or gone
	Shards   int       `json:"shards"`
	Comes    int       `json:"shards_to_come"` // shards of others that it is to get
	Goes     int       `json:"shards_to_go"`   // of its own shards, those that others are to get
	Load     float64   `json:"load"`           // of its shards, in thousandths of a core
	Accounts int       `json:"accounts_known"` // that it can serve
	Version  string    `json:"version"`
	Seen     time.Time `json:"seen"` // by the database's clock
	Silent   float64   `json:"silent_seconds"`
	Clock    float64   `json:"clock_ahead_seconds"` // of the database's
	Odd      bool      `json:"clock_wrong"`         // it differs from the others' by so much that it takes no shards
	Draining bool      `json:"draining"`
	// Drain is the last request that it gives its accounts away, or takes some again; nil when there was none.
	Drain *Drain `json:"drain,omitempty"`

	Hosts []HostShare `json:"hosts,omitempty"` // where there is a limit
}

// Drain is who said whether a worker has to give its accounts away, when, and why.
type Drain struct {
	By  string    `json:"by"`
	At  time.Time `json:"at"`
	Why string    `json:"why"`
}

// HostShare is how many requests a second a worker may make at a host.
type HostShare struct {
	Host  string  `json:"host"`
	Share float64 `json:"share_per_second"`
	Of    float64 `json:"rate_per_second"` // of all workers together
}

// workersOf returns the workers of a board.
func workersOf(v *lease.View, hosts *lease.HostViews, gone bool) (all []Worker) {
	odd := v.OddWorkers()
	for i := range v.Workers {
		p := &v.Workers[i]
		if p.State == lease.StateGone && !gone {
			continue
		}
		w := Worker{
			Worker: p.Name, State: p.State.String(), Version: p.Version, Seen: p.Seen.UTC(), Silent: max(v.Now.Sub(p.Seen), 0).Seconds(),
			Clock: p.Ahead.Seconds(), Odd: odd[p.Worker], Draining: p.Drain,
			Hosts: sharesOf(hosts, p.Worker),
		}
		if d := p.Drained; !d.At.IsZero() {
			w.Drain = &Drain{d.By, d.At.UTC(), d.Why}
		}
		for _, h := range p.Has {
			if strings.HasPrefix(h, record.AccountPrefix) {
				w.Accounts++
			}
		}
		w.count(v, p.Worker)
		all = append(all, w)
	}
	return all
}

// count counts the shards of a worker.
func (w *Worker) count(v *lease.View, worker int64) {
	for n := range v.Shards {
		s := &v.Shards[n]
		mine, wanted := s.Owner == worker, s.Wanted == worker
		switch {
		case mine:
			w.Shards++
			w.Load += float64(s.Load) / 1e6 // see bot.Working.Loads
			if s.Wanted != 0 && !wanted {
				w.Goes++
			}
		case wanted:
			w.Comes++
		}
	}
}

// sharesOf returns which shares a worker has.
func sharesOf(v *lease.HostViews, worker int64) (all []HostShare) {
	for _, host := range v.Names() {
		h := v.Hosts[host]
		if ask, there := h.Asks[worker]; there && h.Rate() > 0 {
			all = append(all, HostShare{host, ask.Share, h.Rate()})
		}
	}
	return all
}
