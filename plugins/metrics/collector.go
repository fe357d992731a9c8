package metrics

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/platform/session"
	"github.com/prometheus/client_golang/prometheus"
)

// scrapeTimeout bounds what reading the store may take.
const scrapeTimeout = 5 * time.Second

func newDesc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("nectar_"+name, help, labels, nil)
}

// The metrics. Labels name accounts, sources, kinds and states: no people, so that their number does not
// grow with the number of conversations.
var (
	polls     = newDesc("polls_total", "Polls of a source, by result: good or failed.", "account", "source", "result")
	lastGood  = newDesc("source_last_good_timestamp_seconds", "When a source was last polled well.", "account", "source")
	lastEvent = newDesc("source_last_event_timestamp_seconds", "When a source last brought an event.", "account", "source")
	setBack   = newDesc("cursors_set_back_total", "Cursors that stood above what the platform shows, and were set back.", "account", "source")
	unhealthy = newDesc("source_unhealthy", "1 when a source is polled and cannot be heard; the log says why.", "account", "source")

	listChats    = newDesc("list_chats", "Chats of the list that arrived last.", "account")
	listLimit    = newDesc("list_limit_share", "Share of the limit that the last chat list took; 1 is all of it.", "account")
	listDeadline = newDesc("list_deadline_share", "Share of the time for an answer that the last chat list took; 1 is all of it.", "account")
	listCut      = newDesc("list_cut", "1 while only the newest chats of the list arrive; the log says why.", "account")

	events  = newDesc("events_total", "Turns of events, timers and decisions, by how they ended.", "account", "kind", "outcome")
	actions = newDesc("actions_total", "Actions that came to an end, or are held, by state.", "account", "verb", "state")
	inDoubt = newDesc("actions_in_doubt", "Actions whose request left and whose answer did not arrive.", "account")
	overdue = newDesc("actions_due", "Actions that could leave, if the pace of the account and the platform let them.", "account")
	oldest  = newDesc("actions_due_oldest_seconds", "For how long the first of them is due; 0 when there is none.", "account")
	held    = newDesc("actions_held", "Actions that wait for a person.", "account")
	waits   = newDesc("people_waiting", "People whose last words nobody of ours, and no answer to them, has dealt with.", "account")
	stuck   = newDesc("quarantined", "Events and timers that failed too often, and wait for a person.", "account")
	stopped = newDesc("account_stopped", "1 when nothing of an account leaves because another bot answers on it; the log says what to do.", "account")

	lanes     = newDesc("lanes_busy", "Conversations in which something waits for its turn or its commit.")
	waiting   = newDesc("events_waiting", "What waits in the busy lanes.")
	abandoned = newDesc("handlers_abandoned_total", "Handlers that did not return in time and were left behind.")
	lostLines = newDesc("log_lines_lost_total", "Lines of the log that could not be written, since whoever read it has gone, or its disk is full.")
	faults    = newDesc("store_faults_total", "Times that a conversation had to begin again because the store could not write.")
	state     = newDesc("session_state", "1 for the state that an account's session is in, 0 for the others.", "account", "state")
)

// collector reads a bot when it is scraped: between two scrapes metrics cost nothing.
type collector struct {
	bot *bot.Bot
	log slog.Handler
}

// Describe implements prometheus.Collector.
func (collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		polls, lastGood, lastEvent, setBack, unhealthy, listChats, listLimit, listDeadline, listCut, events, actions, inDoubt, held, overdue, oldest, waits, stuck, stopped,
		lanes, waiting, abandoned, lostLines, faults, state, hostRate, hostShare, hostRequests, hostWaiting, hostDelayed,
		trouble, brokenRules, storeRefuses, diskFree, buildInfo,
	} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (c collector) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	collectBudgets(ch, c.bot.Budgets())
	j := c.bot.Judgement()
	collectJudgement(ch, &j, c.bot.Free)
	if of, ok := c.log.(interface{ Lost() int64 }); ok { // that of package config
		ch <- count(lostLines, float64(of.Lost()))
	}
	counts, err := c.bot.Counts(ctx)
	if err != nil {
		if health := c.bot.Health(); accountsOf(health) <= manyAccounts { // the same series as when the store can be read
			sources(ch, health)
		} else {
			heardTogether(ch, health)
		}
		ch <- prometheus.NewInvalidMetric(inDoubt, err)
		return
	}
	collectWhole(ch, &counts)
	if len(counts.Accounts) > manyAccounts {
		summedUp(ch, &counts, c.bot.Health())
		return
	}
	sources(ch, c.bot.Health())
	for k, n := range counts.Events {
		ch <- count(events, float64(n), string(k.Account), string(k.Kind), k.Outcome)
	}
	for k, n := range counts.Actions {
		ch <- count(actions, float64(n), string(k.Account), string(k.Verb), k.State.String())
	}
	for i := range counts.Accounts {
		collectAccount(ch, &counts.Accounts[i])
	}
}

// collectWhole tells what is of the whole bot.
func collectWhole(ch chan<- prometheus.Metric, counts *bot.Counts) {
	ch <- newGauge(lanes, float64(counts.Lanes))
	ch <- newGauge(waiting, float64(counts.Waiting))
	ch <- count(abandoned, float64(counts.Abandoned))
	ch <- count(faults, float64(counts.Faults))
}

// collectAccount tells how an account stands.
func collectAccount(ch chan<- prometheus.Metric, a *bot.AccountCounts) {
	name := string(a.Account)
	ch <- newGauge(inDoubt, float64(a.InDoubt), name)
	ch <- newGauge(held, float64(a.Held), name)
	ch <- newGauge(overdue, float64(a.Due), name)
	ch <- newGauge(oldest, dueAge(a), name)
	ch <- newGauge(waits, float64(a.Waits), name)
	ch <- newGauge(stuck, float64(a.Stuck), name)
	ch <- newGauge(stopped, truthValue(a.Stopped), name)
	for p := session.SignedOut; p <= session.Parked; p++ {
		ch <- newGauge(state, truthValue(a.Session.Phase == p), name, phaseLabel(p))
	}
}

// dueAge is for how long the first of what is due is.
func dueAge(a *bot.AccountCounts) float64 {
	if a.OldestDue.IsZero() {
		return 0
	}
	return max(0, time.Since(a.OldestDue).Seconds())
}

// phaseLabel is how a session stands, as a label: without a blank.
func phaseLabel(p session.Phase) string { return strings.ReplaceAll(p.String(), " ", "_") }

// sources tells how well each source is heard.
func sources(ch chan<- prometheus.Metric, all []bot.Health) {
	for i := range all {
		h := &all[i]
		labels := []string{string(h.Account), h.Source.String()}
		ch <- count(polls, float64(h.Polls-h.Failed), append(labels, "good")...)
		ch <- count(polls, float64(h.Failed), append(labels, "failed")...)
		ch <- count(setBack, float64(h.SetBack), labels...)
		collectHealth(ch, h)
	}
}

// collectHealth tells how well a source is heard now.
func collectHealth(ch chan<- prometheus.Metric, h *bot.Health) {
	labels := []string{string(h.Account), h.Source.String()}
	ch <- newGauge(unhealthy, truthValue(h.Unhealthy != ""), labels...)
	ch <- newGauge(lastGood, unixSeconds(h.LastGood), labels...)
	ch <- newGauge(lastEvent, unixSeconds(h.LastEvent), labels...)
	if h.List.Limit == 0 {
		return // it is no chat list, or none was read
	}
	ch <- newGauge(listChats, float64(h.List.Rows), labels[0])
	ch <- newGauge(listLimit, h.List.OfLimit(), labels[0])
	ch <- newGauge(listDeadline, h.List.OfTimeout(), labels[0])
	ch <- newGauge(listCut, truthValue(h.Cut != ""), labels[0])
}

func newGauge(d *prometheus.Desc, v float64, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
}

func count(d *prometheus.Desc, v float64, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(d, prometheus.CounterValue, v, labels...)
}

func truthValue(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// unixSeconds returns a time as Prometheus has it, 0 for never.
func unixSeconds(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMicro()) / 1e6
}
