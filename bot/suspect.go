package bot

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lifecycle"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/recorder"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform"
)

// A trigger whose code ends the process – a goroutine that panics, a concurrent write to a map, os.Exit, memory that is used up – would do so again at each start.
// So each trigger stands in the recorder's file from before its code runs until its turn, or its try that failed, is stored. After an unclean end those that
// stand there are suspects: the next start lets leave what was due, and then runs them one at a time, those begun last first, while no other
// handler of the process runs. When it dies again, one of them ran alone, and that counts as a try of it. Then everybody runs beside the others, as ever.

const (
	dueFirst    = 10 * time.Second // that what was due has to leave, before a suspect runs; half as long with each further death
	aloneFor    = 5 * time.Second  // that a suspect runs alone; twice as long with each further death
	allAloneFor = 30 * time.Second // that all of them do; twice as long with each further death
	mostDoubled = 5                // times
	suspectLook = 250 * time.Millisecond
	// suspectGrace is for how long a suspect may come into its lane once all that is on the platform was read: it does not come any more.
	suspectGrace = time.Second
)

// suspects are the triggers that may have ended the process. As long as a bot has any, no other handler runs than the one whose turn it is.
type suspects struct {
	bot    *Bot
	deaths int // how many incarnations in a row have died while there were any

	mu       sync.Mutex         // guards the fields below
	left     []*suspect         // those begun last first
	waiting  map[*lane]*suspect // those whose first trigger may run; of a file nobody looks which one that is
	let      map[*lane]struct{} // may run beside others
	admitted *lane              // its first trigger may run
	running  *solo              // that one
	overran  int                // how many have had their time, and still run
	shared   *shared            // nil: these are those of the file
	changed  chan struct{}
}

// suspect is a trigger that may have ended the process.
type suspect struct {
	of      *suspects
	account event.Account
	id      string
	slot    recorder.Slot
	died    bool      // the process died while it ran alone, and that is not counted yet
	lane    *lane     // nil: it has not come into one
	gone    time.Time // belongs to run: since when it is known that nothing of its kind will come that has not; zero: it is not

	// The others are of workers that share a database.
	stored store.Suspect // belongs to run
	came   time.Time
	begun  bool // its code has begun since it was admitted
	freed  bool // it runs beside the others
}

// newSuspects returns the suspects of a start; nil for none.
func newSuspects(b *Bot) *suspects {
	r := b.store.Recorder()
	carried := r.Carried()
	if len(carried) == 0 {
		r.NoteCalm()
		return nil
	}
	g := &suspects{bot: b, deaths: r.DeathCount(), waiting: map[*lane]*suspect{}, let: map[*lane]struct{}{}, changed: make(chan struct{}, 1)}
	seen := map[[2]string]*suspect{}
	for _, c := range carried {
		key := [2]string{c.Account, c.ID}
		if s := seen[key]; s != nil {
			s.died = s.died || c.State == recorder.Alone
			r.Clear(c.Slot)
			continue
		}
		s := &suspect{of: g, account: event.Account(c.Account), id: c.ID, slot: c.Slot, died: c.State == recorder.Alone}
		seen[key] = s
		g.left = append(g.left, s)
	}
	b.log.Warn("handlers ran when the bot ended without being stopped: each runs alone now, before all others", "triggers", len(g.left), "deaths", g.deaths)
	return g
}

// times returns how long one of them runs alone, and all of them.
func (g *suspects) times() (one, all time.Duration) {
	n := min(g.deaths, mostDoubled)
	return aloneFor << n, allAloneFor << n
}

// run lets them run, and then everybody else.
func (g *suspects) run(ctx context.Context) {
	defer g.open()
	g.letLeave(ctx)
	if g.deaths > 0 {
		g.letOldestRun(ctx)
	}
	one, all := g.times()
	over := time.Now().Add(all)
	for ctx.Err() == nil && g.lookForGone(time.Now()) && time.Now().Before(over) {
		l := g.choose()
		if l == nil {
			g.wait(ctx, min(suspectLook, time.Until(over)))
			continue
		}
		g.keep(ctx)
		if g.admit(l) {
			g.await(ctx, min(one, time.Until(over)))
		}
	}
	if g.deaths > 0 {
		g.letOldestRun(ctx)
	}
}

// letLeave waits until nothing is due any more, for a while.
func (g *suspects) letLeave(ctx context.Context) {
	g.whileAny(ctx, dueFirst>>min(g.deaths, mostDoubled), func(o *outbox.Account) bool { return o.IsLeaving(suspectLook) })
}

// whileAny waits while something is so of any account, for a while.
func (g *suspects) whileAny(ctx context.Context, d time.Duration, is func(o *outbox.Account) bool) {
	over := time.Now().Add(d)
	for calm := 0; calm < 2 && ctx.Err() == nil && time.Now().Before(over); calm++ {
		g.bot.eachAtWork(func(a *account) {
			if is(a.outbox) {
				calm = -1
			}
		})
		_ = lifecycle.Sleep(ctx, suspectLook)
	}
}

// wait waits until something of it has changed, for a while.
func (g *suspects) wait(ctx context.Context, d time.Duration) { lifecycle.Wait(ctx, d, g.changed, nil) }

func (g *suspects) changes() {
	select {
	case g.changed <- struct{}{}:
	default:
	}
}

// choose returns the lane of the suspect that was begun last of those that may run; nil for none.
func (g *suspects) choose() *lane {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.left {
		if _, waits := g.waiting[s.lane]; s.lane != nil && waits {
			delete(g.waiting, s.lane)
			return s.lane
		}
	}
	return nil
}

// admit lets the first trigger of a lane run; false when it cannot.
func (g *suspects) admit(l *lane) bool {
	g.mu.Lock()
	g.admitted = l
	g.mu.Unlock()
	l.mu.Lock()
	g.bot.startLocked(l.account.term, l)
	begun := l.run != nil
	l.mu.Unlock()
	if !begun {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.admitted = nil
	}
	return begun
}

// await waits until what was admitted has ended, for as long as it may run alone. Then it goes on beside the others.
func (g *suspects) await(ctx context.Context, d time.Duration) {
	over := time.Now().Add(d)
	for {
		g.mu.Lock()
		now := g.running
		ended := now == nil && g.admitted == nil
		if !ended && (ctx.Err() != nil || !time.Now().Before(over)) {
			g.admitted, g.running = nil, nil
			if now != nil {
				g.overran++
				now.end(recorder.Interrupted)
				g.forgetLocked(now.suspect)
			}
			ended = true
		}
		g.mu.Unlock()
		if ended {
			return
		}
		g.wait(ctx, time.Until(over))
	}
}

// keep stores what waits and is in memory alone, before something runs that may end the process: the next start need not read it anew from the platform.
func (g *suspects) keep(ctx context.Context) {
	g.bot.persistPending(time.Now()) //mutate:suspect-kept
	ctx, cancel := context.WithTimeout(ctx, suspectGrace)
	defer cancel()
	_ = g.bot.store.MarkNow(ctx)
}

// admits reports whether the first trigger of a lane, which is locked, may run.
func (g *suspects) admits(l *lane) bool {
	if !l.queue[0].runsCode() {
		return true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shared != nil {
		return g.admitsSharedLocked(l)
	}
	if _, let := g.let[l]; let || g.admitted == l {
		return true
	}
	g.waiting[l] = nil
	g.changes()
	return false
}

// begins notes that a trigger begins, of a lane that is locked.
func (g *suspects) begins(l *lane, it *job) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.admitted != l || !it.runsCode() || g.shared != nil && g.shared.job != it {
		return
	}
	it.solo = &solo{of: g, suspect: it.suspect, state: recorder.Running}
	if g.overran == 0 && (g.shared == nil || g.shared.quiet) {
		it.solo.state = recorder.Alone
	}
	if g.shared != nil {
		it.suspect.begun, it.solo.stored, g.shared.job = true, it.suspect.stored, nil
	}
	g.admitted, g.running = nil, it.solo
}

// comes notes that a trigger has come into its lane, which is locked.
func (g *suspects) comes(l *lane, it *job) {
	id := it.trigger.ID()
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.left {
		if s.account == l.account.name && s.id == id {
			s.lane, it.suspect, it.slot = l, s, s.slot
			g.changes()
			return
		}
	}
}

// ends notes that what was admitted does not run any more. It was tried, or it has to run again.
func (g *suspects) ends(now *solo, s *suspect, tried bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case now == nil:
	case g.running == now:
		g.running = nil
	default:
		g.overran--
	}
	if tried {
		g.forgetLocked(s)
	}
	g.changes()
}

func (g *suspects) forgetLocked(s *suspect) {
	for i, x := range g.left {
		if x == s {
			x.freed = true
			g.left = append(g.left[:i:i], g.left[i+1:]...)
			return
		}
	}
}

// lookForGone drops those that do not come any more, and reports whether any are left.
func (g *suspects) lookForGone(now time.Time) bool {
	g.mu.Lock()
	var missing []*suspect
	for _, s := range g.left {
		if s.lane == nil {
			missing = append(missing, s)
		}
	}
	left := len(g.left)
	g.mu.Unlock()
	for _, s := range missing {
		if g.isGone(s, now) {
			g.drop(s)
			left--
		}
	}
	return left > 0
}

// isGone reports whether a suspect that has not come will not: all that is on the platform was read since the start.
func (g *suspects) isGone(s *suspect, now time.Time) bool {
	a := g.bot.accounts.of(s.account)
	if a == nil || a.leaving.Load() {
		return true
	}
	id, err := event.ParseID(s.id)
	switch notified := err == nil && (id.Source == event.Notifs || id.Source == event.Mentions); {
	case !a.atWork.Load(), notified && a.poller.HeardList(id.Source).IsZero(), !notified && !a.poller.ReadAll():
		return false
	case s.gone.IsZero():
		s.gone = now
	}
	return now.Sub(s.gone) >= suspectGrace
}

// open lets everybody run beside the others. What has not come by now is looked for until it is known that it does not.
func (g *suspects) open() {
	g.bot.suspects.Store(nil)
	g.bot.letAllRun()
}

// letAllRun lets all lanes go on that may.
func (b *Bot) letAllRun() {
	b.eachAtWork(func(a *account) {
		var peers []platform.UserID
		a.lanes.each(func(l *lane) { peers = append(peers, l.key.Peer) })
		slices.Sort(peers)
		for _, p := range peers {
			a.letRun(p)
		}
	})
}

// calm waits until nothing is left that was interrupted, so that deaths count anew.
func (g *suspects) calm(ctx context.Context) {
	g.mu.Lock()
	kept := g.left[:0:0]
	for _, s := range g.left {
		if s.lane == nil { // the others stand in the file by their turns
			kept = append(kept, s)
		}
	}
	g.left = kept
	g.mu.Unlock()
	for g.lookForGone(time.Now()) || g.stillRun() {
		if lifecycle.Sleep(ctx, aloneFor) != nil {
			return
		}
	}
	g.bot.store.Recorder().NoteCalm()
}

// stillRun reports whether one runs that has had its time.
func (g *suspects) stillRun() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.overran > 0
}

// runSuspects lets those run first that may have ended the process.
func (b *Bot) runSuspects(ctx context.Context) {
	if b.leased.Load() {
		b.runShared(ctx)
		return
	}
	if g := b.suspects.Load(); g != nil {
		g.run(ctx)
		g.calm(ctx)
	}
}
