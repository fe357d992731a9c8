package metrics

import (
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/prometheus/client_golang/prometheus"
)

var (
	hostRate     = newDesc("host_rate", "Requests a second that a host of the platform may get from all workers together.", "host")
	hostShare    = newDesc("host_share", "Requests a second of these that this process may make.", "host")
	hostRequests = newDesc("host_requests_total", "Requests to a host that have left, by what they are for: acts or polls.", "host", "class")
	hostWaiting  = newDesc("host_requests_waiting", "Requests that wait for the share of this process.", "host")
	hostDelayed  = newDesc("host_polls_delayed_total", "Polls that had to wait for the share of this process before they began.", "host")
)

// collectBudgets tells how the budgets of hosts are used that have a limit.
func collectBudgets(ch chan<- prometheus.Metric, all []event.HostUse) {
	for i := range all {
		c := &all[i]
		ch <- newGauge(hostRate, c.Rate, c.Host)
		ch <- newGauge(hostShare, c.Share, c.Host)
		ch <- count(hostRequests, float64(c.Acts), c.Host, "acts")
		ch <- count(hostRequests, float64(c.Polls), c.Host, "polls")
		ch <- newGauge(hostWaiting, float64(c.Waiting), c.Host)
		ch <- count(hostDelayed, float64(c.Delayed), c.Host)
	}
}
