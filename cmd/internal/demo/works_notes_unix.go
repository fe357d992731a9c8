//go:build unix

package demo

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
)

// What a demo of workers notes while it plays.

func (w *works) nextIncarnation() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.incarnations++
	return w.incarnations
}

func (w *works) add(ex expense) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.spent.add(ex)
}

func (w *works) hasPolled(account event.Account) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.polled[account] && w.err == nil {
		w.polled[account] = true
		if len(w.polled) == len(w.accounts) {
			close(w.all)
		}
	}
}

func (w *works) noteIncident(i *Incident) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.past = append(w.past, i)
}

func (w *works) noteDoubt(d Doubt) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.doubts = append(w.doubts, d)
}

func (w *works) endedByItself(l *workerIncarnation) {
	said := w.lastWords(l)
	w.tellProgress("%s has ended by itself, with %v: %s", l.name, l.process.cmd.ProcessState, said)
	now := time.Now()
	w.noteIncident(&Incident{Kind: ByItself, Incarnation: l.number, At: now, Until: now})
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended++
	if w.ended > 5 && len(w.polled) < len(w.accounts) && w.err == nil {
		w.err = fmt.Errorf("workers cannot begin: %s", said)
		close(w.all)
	}
}

// fail notes that the demo cannot be played as it should.
func (w *works) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = errors.Join(w.err, err)
}

func (w *works) firstFailure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// tellProgress says what happens.
func (w *works) tellProgress(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.screen != nil {
		_, _ = fmt.Fprintf(w.screen, "%6.1f s  %s\n", time.Since(w.since).Seconds(), fmt.Sprintf(format, args...)) // it is for the curious
	}
}

// judgeAll asks the platform what is to be said about all accounts.
func (w *works) judgeAll(began int64, cost demoCost) Report {
	w.mu.Lock()
	defer w.mu.Unlock()
	d := w.demo
	all, medians, worst := judge.Verdict{}, []time.Duration{}, []time.Duration{}
	for _, id := range w.ids {
		v := judge.Platform(w.platform, demoExpect(id, began))
		medians, worst = append(medians, v.P50), append(worst, v.P99)
		addVerdict(&all, &v)
	}
	slices.Sort(medians)
	all.P50, all.P99 = medians[len(medians)/2], slices.Max(worst)
	all.Logins, all.Refreshes = w.platform.Logins(), w.platform.Refreshes()
	r := newReport(all, cost.expense, cost.took, d.Kills, cost.reads)
	ws := &worksReport{
		Workers: d.Workers, Accounts: d.Accounts, Freezes: d.Freezes, Cuts: d.Cuts, Restarts: d.Restarts, Fills: d.Fills, Failovers: d.Failovers, Deploys: d.Deploys,
		Ended: w.ended, Trespasses: w.database.trespasses,
	}
	ws.takeCare(JudgeCare(w.door.allVisits(), w.past, w.doubts))
	ws.takeCosts(cost.cpu, w.database.spent, all.Replies)
	r.Workers, r.OK = ws, r.OK && ws.Trespasses == 0
	return r
}

// addVerdict adds what is said about one account to what is said about all.
func addVerdict(all, v *judge.Verdict) {
	all.Messages += v.Messages
	all.Replies += v.Replies
	all.Lost += v.Lost
	all.Doubled += v.Doubled
	all.OutOfOrder += v.OutOfOrder
	all.LikesWrong += v.LikesWrong
	all.RepostsWrong += v.RepostsWrong
	all.FollowsWrong += v.FollowsWrong
	all.Flickers += v.Flickers
	all.Details = append(all.Details, v.Details...)
}
