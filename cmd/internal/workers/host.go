package workers

import (
	"fmt"

	"github.com/nectar-bot/nectar/bot/lease"
	"github.com/nectar-bot/nectar/cmd/internal/print"
)

// hostShareJSON is how many requests a second a worker may make at a host.
type hostShareJSON struct {
	Host  string  `json:"host"`
	Share float64 `json:"share_per_second"`
	Of    float64 `json:"rate_per_second"` // of all workers together
}

// sharesOf returns which shares a worker has.
func sharesOf(v *lease.HostViews, worker int64) (all []hostShareJSON) {
	for _, host := range v.Names() {
		h := v.Hosts[host]
		if ask, there := h.Asks[worker]; there && h.Rate() > 0 {
			all = append(all, hostShareJSON{host, ask.Share, h.Rate()})
		}
	}
	return all
}

// requests says which shares a worker has.
func (w *WorkerJSON) requests() string {
	said := ""
	for _, h := range w.Hosts {
		share := fmt.Sprintf("%.4g/s of %.4g/s", h.Share, h.Of)
		if len(w.Hosts) > 1 {
			share = h.Host + " " + share
		}
		said = print.And(said, share)
	}
	return said
}
