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
	away    bool      // its account has gone since it came
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
func (ss *suspects) times() (one, all time.Duration) {
	n := min(ss.deaths, mostDoubled)
	return aloneFor << n, allAloneFor << n
}

// run lets them run, and then everybody else.
func (ss *suspects) run(ctx context.Context) {
	defer ss.open()
	ss.letLeave(ctx)
	if ss.deaths > 0 {
		ss.letOldestRun(ctx)
	}
	one, all := ss.times()
	over := time.Now().Add(all)
	for ctx.Err() == nil && ss.lookForGone(time.Now()) && time.Now().Before(over) {
		l := ss.choose()
		if l == nil {
			ss.wait(ctx, min(suspectLook, time.Until(over)))
			continue
		}
		ss.persistWaiting(ctx)
		if ss.admitFirst(l) {
			ss.waitAdmitted(ctx, min(one, time.Until(over)))
		}
	}
	if ss.deaths > 0 {
		ss.letOldestRun(ctx)
	}
}

// letLeave waits until nothing is due any more, for a while.
func (ss *suspects) letLeave(ctx context.Context) {
	ss.whileAny(ctx, dueFirst>>min(ss.deaths, mostDoubled), func(o *outbox.Account) bool { return o.IsLeaving(suspectLook) })
}

// whileAny waits while something is so of any account, for a while.
func (ss *suspects) whileAny(ctx context.Context, d time.Duration, is func(o *outbox.Account) bool) {
	over := time.Now().Add(d)
	for calm := 0; calm < 2 && ctx.Err() == nil && time.Now().Before(over); calm++ {
		ss.bot.eachAtWork(func(a *account) {
			if is(a.outbox) {
				calm = -1
			}
		})
		_ = lifecycle.Sleep(ctx, suspectLook)
	}
}

// wait waits until something of it has changed, for a while.
func (ss *suspects) wait(ctx context.Context, d time.Duration) {
	lifecycle.Wait(ctx, d, ss.changed, nil)
}

func (ss *suspects) noteChange() {
	select {
	case ss.changed <- struct{}{}:
	default:
	}
}

// choose returns the lane of the suspect that was begun last of those that may run; nil for none.
func (ss *suspects) choose() *lane {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	for _, s := range ss.left {
		if _, waits := ss.waiting[s.lane]; s.lane != nil && waits {
			delete(ss.waiting, s.lane)
			return s.lane
		}
	}
	return nil
}

// admitFirst lets the first trigger of a lane run; false when it cannot.
func (ss *suspects) admitFirst(l *lane) bool {
	ss.mu.Lock()
	ss.admitted = l
	ss.mu.Unlock()
	l.mu.Lock()
	ss.bot.startLocked(l.account.term, l)
	begun := l.run != nil
	l.mu.Unlock()
	if !begun {
		ss.mu.Lock()
		defer ss.mu.Unlock()
		ss.admitted = nil
	}
	return begun
}

// waitAdmitted waits until what was admitted has ended, for as long as it may run alone. Then it goes on beside the others.
func (ss *suspects) waitAdmitted(ctx context.Context, d time.Duration) {
	over := time.Now().Add(d)
	for {
		ss.mu.Lock()
		now := ss.running
		ended := now == nil && ss.admitted == nil
		if !ended && (ctx.Err() != nil || !time.Now().Before(over)) {
			ss.admitted, ss.running = nil, nil
			if now != nil {
				ss.overran++
				now.overran = true
				now.endRun(recorder.Interrupted)
				ss.forgetLocked(now.suspect)
			}
			ended = true
		}
		ss.mu.Unlock()
		if ended {
			return
		}
		ss.wait(ctx, time.Until(over))
	}
}

// persistWaiting stores what waits and is in memory alone, before something runs that may end the process: the next start need not read it anew from the platform.
func (ss *suspects) persistWaiting(ctx context.Context) {
	ss.bot.persistPending(time.Now()) //mutate:suspect-kept
	ctx, cancel := context.WithTimeout(ctx, suspectGrace)
	defer cancel()
	_ = ss.bot.store.MarkNow(ctx)
}

// mayRun reports whether the first trigger of a lane, which is locked, may run.
func (ss *suspects) mayRun(l *lane) bool {
	if !l.queue[0].runsCode() {
		return true
	}
	ss.mu.Lock()
	defer ss.mu.Unlock()
	if ss.shared != nil {
		return ss.admitsSharedLocked(l)
	}
	if _, let := ss.let[l]; let || ss.admitted == l {
		return true
	}
	ss.waiting[l] = nil
	ss.noteChange()
	return false
}

// noteBegin notes that a trigger begins, of a lane that is locked.
func (ss *suspects) noteBegin(l *lane, j *job) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	if ss.admitted != l || !j.runsCode() || ss.shared != nil && ss.shared.job != j {
		return
	}
	j.solo = &solo{of: ss, suspect: j.suspect, state: recorder.Running}
	if ss.overran == 0 && (ss.shared == nil || ss.shared.quiet) {
		j.solo.state = recorder.Alone
	}
	if ss.shared != nil {
		j.suspect.begun, j.solo.stored, ss.shared.job = true, j.suspect.stored, nil
	}
	ss.admitted, ss.running = nil, j.solo
}

// noteQueued notes that a trigger has come into its lane, which is locked.
func (ss *suspects) noteQueued(l *lane, j *job) {
	id := j.trigger.ID()
	ss.mu.Lock()
	defer ss.mu.Unlock()
	for _, s := range ss.left {
		if s.account == l.account.name && s.id == id {
			s.lane, j.suspect, j.slot = l, s, s.slot
			ss.noteChange()
			return
		}
	}
}

// noteEnd notes that what was admitted does not run any more. It was tried, or it has to run again.
func (ss *suspects) noteEnd(now *solo, s *suspect, tried bool) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	switch {
	case now == nil:
	case ss.running == now:
		ss.running = nil
	case now.overran: // or its account has gone meanwhile, and it is forgotten
		ss.overran--
	}
	if tried {
		ss.forgetLocked(s)
	}
	ss.noteChange()
}

func (ss *suspects) forgetLocked(s *suspect) {
	for i, x := range ss.left {
		if x == s {
			x.freed = true
			ss.left = append(ss.left[:i:i], ss.left[i+1:]...)
			return
		}
	}
}

// open lets everybody run beside the others. What has not come by now is looked for until it is known that it does not.
func (ss *suspects) open() {
	ss.bot.suspects.Store(nil)
	ss.bot.letAllRun()
}

// letAllRun lets all lanes go on that may.
func (b *Bot) letAllRun() {
	b.eachAtWork((*account).letAllRun)
}

// letAllRun lets all lanes of an account go on that may.
func (a *account) letAllRun() {
	var peers []platform.UserID
	a.lanes.each(func(l *lane) { peers = append(peers, l.key.Peer) })
	slices.Sort(peers)
	for _, p := range peers {
		a.letRun(p)
	}
}

// calm waits until nothing is left that was interrupted, so that deaths count anew.
func (ss *suspects) calm(ctx context.Context) {
	ss.mu.Lock()
	kept := ss.left[:0:0]
	for _, s := range ss.left {
		if s.lane == nil { // the others stand in the file by their turns
			kept = append(kept, s)
		}
	}
	ss.left = kept
	ss.mu.Unlock()
	for ss.lookForGone(time.Now()) || ss.stillRun() {
		if lifecycle.Sleep(ctx, aloneFor) != nil {
			return
		}
	}
	ss.bot.store.Recorder().NoteCalm()
}

// stillRun reports whether one runs that has had its time.
func (ss *suspects) stillRun() bool {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	return ss.overran > 0
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
