package demo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
)

const loadMost = 5_000_000 // messages of a demo with a rate

// LoadReport is how a bot has held a rate: people write at moments that were drawn before, and do not wait. A time begins when a message was
// to be written, and ends when its answer is on the platform, so what a message waits for others before it counts.
type LoadReport struct {
	Rate           float64 `json:"rate_per_second"`
	Lasts          float64 `json:"for_seconds"`
	P50Ms          float64 `json:"p50_ms"`
	P90Ms          float64 `json:"p90_ms"`
	P99Ms          float64 `json:"p99_ms"`
	MaxMs          float64 `json:"max_ms"`
	Reached        float64 `json:"replies_per_second"`
	Behind         int     `json:"behind"`          // messages without an answer when the time was over
	DrainedSeconds float64 `json:"drained_seconds"` // from then to the last answer
	WrittenLateMs  float64 `json:"written_late_ms"` // by the people of the demo, at most: that much of a time is not the bot's

	besideReport
}

// CompleteMeasured fills in what no flag has said of a rate, of idle accounts, and of how long all that lasts.
func (d *Demo) CompleteMeasured(said func(flag string) bool) {
	if !said("for") {
		switch d.Lasts = 100 * time.Second; {
		case d.Rate > 0:
			d.Lasts = time.Minute
		case d.Idle:
			d.Lasts = 30 * time.Second
		}
	}
	if d.Rate > 0 {
		d.Messages = int(d.Rate*d.Lasts.Seconds() + 0.5)
		if !said("people") {
			d.People = max(d.People, int(d.Rate))
		}
	}
	if !said("timeout") && (d.Rate > 0 || d.Idle) {
		d.Timeout += 2 * d.Lasts
	}
}

// answered is a message and its answer.
type answered struct{ planned, at time.Time }

// measureAnswers lets the judge tell when the answers came to what a crowd has planned.
func (st *stage) measureAnswers(expect *judge.Expect) *[]answered {
	all, planned := &[]answered{}, st.people.Planned()
	expect.Answered = func(said platform.MessageID, at time.Time) { *all = append(*all, answered{planned[said], at}) }
	return all
}

// judgeLoad says how the rate was held.
func (st *stage) judgeLoad(r *Report, all []answered) {
	l := &LoadReport{Rate: st.demo.Rate, Lasts: st.demo.Lasts.Seconds(), Reached: r.RepliesPerSecond, besideReport: st.beside.besideReport}
	over := st.started.Add(st.demo.Lasts)
	var waits []time.Duration
	l.Behind = r.Messages
	for _, a := range all {
		waits = append(waits, a.at.Sub(a.planned))
		if !a.at.After(over) {
			l.Behind--
		}
		l.DrainedSeconds = max(l.DrainedSeconds, a.at.Sub(over).Seconds())
	}
	if slices.Sort(waits); len(waits) > 0 {
		share := func(percent int) float64 { return toMillis(waits[(len(waits)*percent+99)/100-1]) }
		l.P50Ms, l.P90Ms, l.P99Ms, l.MaxMs = share(50), share(90), share(99), share(100)
	}
	planned := st.people.Planned()
	for e := range st.platform.Ledger().After(0) {
		if at, known := planned[e.Message]; known && e.Kind == emulator.Said {
			l.WrittenLateMs = max(l.WrittenLateMs, toMillis(e.At.Sub(at)))
		}
	}
	r.Load, r.P50Ms, r.P99Ms = l, l.P50Ms, l.P99Ms
}

// letWrite lets people write until they have said everything and all of it is answered, or nothing comes any more.
func (st *stage) letWrite(ctx context.Context, expect judge.Expect) (err error) {
	if st.demo.Rate > 0 {
		beside, end := context.WithCancel(ctx)
		ended := make(chan error, 1)
		go func() { ended <- st.beside.run(beside) }()
		defer func() {
			end()
			err = errors.Join(err, <-ended)
		}()
	}
	if err := st.people.Run(ctx); err != nil {
		return err
	}
	return judge.AwaitQuiet(ctx, st.platform, expect, st.missingPatience())
}

// print writes it for people, below the rest.
func (l *LoadReport) print(b *strings.Builder) {
	fmt.Fprintf(b, "  at %.4g messages/s for %s, whatever the bot did: answer after %.0f ms (median), %.0f ms (90 of 100), %.0f ms (99 of 100), %.0f ms at most\n",
		l.Rate, time.Duration(l.Lasts*float64(time.Second)).Round(time.Second), l.P50Ms, l.P90Ms, l.P99Ms, l.MaxMs)
	fmt.Fprintf(b, "  when the time was over, %d had no answer yet; the last one came %.1f s later; people wrote %.0f ms late at most\n", l.Behind, l.DrainedSeconds, l.WrittenLateMs)
	l.besideReport.print(b)
}
