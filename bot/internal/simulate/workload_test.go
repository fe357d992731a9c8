package simulate_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
)

// workload is something that goes on beside the four people, on the same platform and with the same bot:
// it has people, routes and a judgement of its own. One is made for each run; it outlives the bot's incarnations.
type workload interface {
	// begin makes what the workload needs on the platform, before the bot begins.
	begin()
	// configure changes the configuration of each incarnation of the bot.
	configure(cfg *bot.Config)
	// routes come before those of everybody, and concern the workload's people alone.
	routes() []bot.Route
	// do does one of the workload's steps.
	do(ctx context.Context, what string) error
	// knows reports whether an entry of the ledger is the workload's: nobody else is judged by it.
	knows(e emulator.Entry) bool
	// judge tells what is not as it should be. mine are the workload's entries since fault injection began.
	judge(mine []emulator.Entry) []string
	// after does what can only be done when fault injection has ended and everything is quiet.
	after(ctx context.Context) error
}

// kind makes workloads.
type kind struct {
	name  string
	share int                            // of 100 runs that have one
	draw  func(dice *rand.Rand) []string // the steps of a workload, in their order
	enter func(s *simulation) workload
}

var alone = flag.String("workload", "", "let this workload take part in every run, and no other")

// kinds are all there are. A run has at most one workload of each.
func kinds() []kind {
	return []kind{
		{"throng", 15, drawThrong, newThrong}, // it lets the others be seen, before they look at what came of them
		{"phantoms", 15, drawPhantoms, newPhantoms},
		{"phone", 25, drawPhone, newPhone},
		{"owner", 25, drawOwner, newOwner},
		{"interrupter", 15, drawInterrupter, newInterrupter},
		{"waiter", 20, drawWaiter, newWaiter},
		{"rules", 20, drawRuled, newRuled},
		{"curious", 15, drawCurious, newCurious},
		{"second", 20, drawSecond, newSecond},
		{"deleter", 20, drawDeleter, newDeleter},
		{"decider", 20, drawDecider, newDecider},
		{"quitter", 20, drawQuitter, newQuitter},
		{"rewriter", 20, drawRewriter, newRewriter},
		{"oldtimer", 15, drawOldtimer, newOldtimer},
		{"reminded", 20, drawReminded, newReminded},
		{"rival", 10, drawRival, newRival},
		{"ghost", 20, drawGhost, newGhost},
		{"locksmith", 25, drawLocksmith, newLocksmith},
		{"forgotten", 20, drawForgotten, newForgotten},
		{"approver", 20, drawApprover, newApprover},
		{"pauser", 20, drawPauser, newPauser},
		{"dated", 20, drawDated, newDated},
		{"commuter", 25, drawCommuter, newCommuter},
		{"fan", 20, drawFan, newFan},
		{"caretaker", 4, drawCaretaker, newCaretaker}, // its runs last for minutes more
		{"astray", 10, drawAstray, newAstray},
		{"cashier", 15, drawCashier, newCashier},
		{"deadly", 8, drawDeadly, newDeadly},       // behind those that come home while it may end the process
		{"marketer", 0, drawMarketer, newMarketer}, // see TestMarketer: its shops poll in the same moment as the others
		{"wisher", 0, drawWisher, newMarketer},     // see TestWisher
		{"renewal", 0, drawRenewal, newRenewal},
	}
}

// apart are kinds that do not take part in one run. For the oldtimer ten minutes become a week: what a list hides of the
// throng, or what is read late beside phantoms, or when the account is back, would be older than all that is kept, and that is not read any more.
// Beside a caretaker retention takes longer than the oldtimer waits for it. What ends the process would not be read, or wait, until everything else is over: where lists
// hide it, or all is paused.
var apart = map[string][]string{"throng": {"oldtimer"}, "phantoms": {"oldtimer"}, "commuter": {"oldtimer"}, "caretaker": {"oldtimer"}, "oldtimer": {"throng", "phantoms", "commuter", "caretaker"}, "deadly": {"pauser", "throng"}}

func kindOf(name string) kind {
	all := kinds()
	return all[slices.IndexFunc(all, func(k kind) bool { return k.name == name })]
}

// drawWorkloads adds workloads and their steps: one alone, or those that the seed chooses. Their dice are their own: the rest of the plan is what it is
// without them.
func (p *plan) drawWorkloads(alone string) {
	last := p.steps[len(p.steps)-1].at
	for _, k := range kinds() {
		dice := rand.New(rand.NewPCG(p.seed, newDice(0).draw("guest "+k.name).x))
		share := k.share
		if alone != "" {
			share = map[bool]int{true: 100}[k.name == alone]
		}
		if dice.IntN(100) >= share || slices.ContainsFunc(apart[k.name], func(name string) bool { return slices.Contains(p.workloads, name) }) {
			continue
		}
		p.workloads = append(p.workloads, k.name)
		last := last
		if k.name == "marketer" || k.name == "wisher" { // slots are minutes apart
			last = marketersTime
			p.start = marketersDays[dice.IntN(len(marketersDays))]
		}
		if last == marketersTime || k.name == "renewal" { // by a clock that is hours off slots wait
			p.dialect.Dialect.Clock = 0
		}
		if k.name == "caretaker" { // outages last for minutes
			last = caretakersTime
		}
		times := make([]time.Duration, 0, 32)
		steps := k.draw(dice)
		for range steps {
			times = append(times, time.Duration(dice.Int64N(int64(last))))
		}
		slices.Sort(times)
		for i, what := range steps {
			p.steps = append(p.steps, step{at: times[i], deed: visits, workload: k.name, text: what})
		}
	}
	slices.SortStableFunc(p.steps, func(a, b step) int { return int(a.at - b.at) })
}

// homecomer is a workload that has to be back when fault injection has ended.
type homecomer interface {
	comesHome(ctx context.Context) error
}

// joiner is a workload that wants to know each incarnation's bot.
type joiner interface {
	joins(b *bot.Bot)
}

// enterWorkloads lets the workloads of the plan in.
func (s *simulation) enterWorkloads() {
	for _, name := range s.plan.workloads {
		g := kindOf(name).enter(s)
		g.begin()
		s.workloads = append(s.workloads, g)
	}
}

// visit does a step of a workload; without the workload, nothing.
func (s *simulation) visit(ctx context.Context, st step) error {
	if i := slices.Index(s.plan.workloads, st.workload); i >= 0 {
		return s.workloads[i].do(ctx, st.text)
	}
	return nil
}

// judge tells what is not as it should be, since that position of the ledger.
func (s *simulation) judge(ctx context.Context, since int64) (wrong []string) {
	if s.plan.snapshots {
		return s.judgeSnapshots(ctx, since)
	}
	entries := s.platform.Ledger().Since(0)
	for i, g := range s.workloads {
		var mine []emulator.Entry
		rest := entries[:0]
		for _, e := range entries {
			switch {
			case !g.knows(e):
				rest = append(rest, e)
			case e.Seq > since:
				mine = append(mine, e)
			}
		}
		entries = rest
		for _, w := range g.judge(mine) {
			wrong = append(wrong, fmt.Sprintf("%s: %s", s.plan.workloads[i], w))
		}
	}
	verdict := judge.Entries(entries, expect(s.account, since))
	if !verdict.OK() {
		wrong = append(append(wrong, verdict.String()), verdict.Details...)
	}
	return wrong
}

// isFrom reports whether it is somebody's doing.
func isFrom(who platform.UserID) bot.Condition {
	return func(_ context.Context, t *bot.Turn) bool { return t.Peer().ID == who }
}
