package simulate_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

const accountName event.Account = "bot"

// simulation is a run of a plan.
type simulation struct {
	plan      *plan
	dir       string
	dice      *dice
	trace     *trace
	platform  *emulator.Platform
	account   platform.UserID
	names     []event.Account // of all accounts
	people    []platform.UserID
	posts     []platform.PostID
	workloads []workload // those of the plan
	pipes     []*emulator.Server
	closers   []func()        // what ends with the run
	key       platform.Secret // of the next incarnation's store; none unless a workload has one

	incarnation  *incarnation  // nil while there is none
	incarnations int           // so far
	next         time.Time     // when the next incarnation begins, while there is none
	rest         time.Duration // how much later it begins than it would
	power        atomic.Pointer[power]
	peace        atomic.Bool    // nothing befalls the bot any more
	left         sync.WaitGroup // what goes on after an incarnation
	doubts       doubts
	boots        int // of the machine, before the present one
	booted       time.Time
}

// result is what came of a run.
type result struct {
	trace        string
	wrong        []string // what was not as it should be
	incarnations int
	crashes      int
}

// run runs a plan in a bubble of its own.
func run(t *testing.T, p *plan) (r result) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		t.Helper()
		start := time.Date(2025, time.March, 3, 9, 0, 0, 0, time.UTC)
		if !p.start.IsZero() {
			start = p.start
		}
		time.Sleep(time.Until(start))
		s := &simulation{plan: p, dir: dir, dice: newDice(p.seed), trace: &trace{begin: time.Now()}, booted: time.Now()}
		live := s.run
		if p.workers > 0 {
			live = newCrew(s).run
		}
		err := live(context.WithoutCancel(t.Context()), &r)
		if err != nil {
			r.wrong = append(r.wrong, err.Error())
		}
		r.trace, r.incarnations = s.trace.String(), s.incarnations
	})
	return r
}

// run lets everything happen, and judges it.
func (s *simulation) run(ctx context.Context, r *result) error {
	s.begin()
	defer s.end()
	if err := s.start(ctx); err != nil {
		return err
	}
	if err := s.begun(ctx); err != nil {
		return err
	}
	since := s.platform.Ledger().Len()
	s.platform.SetFaults(s.plan.faults)
	s.platform.TroubleLists(emulator.ListTrouble{Break: s.plan.listBreak})
	s.trace.add("the faults begins")
	s.incarnation.power.arm(s.fate().boundary)
	began := time.Now()
	for _, step := range s.plan.steps {
		if err := s.live(ctx, began.Add(step.at), r); err != nil {
			return err
		}
		if err := s.do(ctx, step); err != nil {
			return err
		}
	}
	if err := s.live(ctx, time.Now().Add(10*time.Second), r); err != nil {
		return err
	}
	return s.quiesce(ctx, since, r)
}

// begun waits until it is stored for each source where it begins: what came before is backlog.
func (s *simulation) begun(ctx context.Context) error {
	messages := event.Messages
	if s.plan.noMessages == event.Always {
		messages = event.Snapshots
	}
	for _, name := range s.names {
		for _, source := range []event.Source{messages, event.Notifs, event.Mentions} {
			for {
				cursors, err := s.incarnation.store.Cursors(ctx, name, source, []platform.UserID{0})
				if err != nil {
					return err
				}
				if len(cursors) > 0 {
					break
				}
				time.Sleep(100 * time.Millisecond)
			}
		}
	}
	return nil
}

// live lets time pass until then, with the end of one incarnation and the beginning of another as it comes.
func (s *simulation) live(ctx context.Context, until time.Time, r *result) error {
	for {
		wake := until
		if s.incarnation == nil && s.next.Before(until) {
			wake = s.next
		}
		var dark chan struct{}
		if s.incarnation != nil {
			dark = s.incarnation.power.dark
		}
		over := s.over()
		ends := !over.IsZero() && over.Before(wake)
		if ends {
			wake = over
		}
		t := time.NewTimer(time.Until(wake))
		select {
		case <-t.C:
		case <-dark:
			t.Stop()
			r.crashes++
			s.next = time.Now().Add(s.fate().after + s.rest)
			s.rest = 0
			s.bury()
			continue
		}
		if ends {
			if err := s.dies(ctx); err != nil {
				return err
			}
			continue
		}
		if s.incarnation != nil || s.next.After(until) {
			return nil
		}
		if err := s.start(ctx); err != nil {
			return err
		}
	}
}

// off lets the power go out now, for a while at least.
func (s *simulation) off(rest time.Duration) {
	if s.incarnation != nil && !s.incarnation.power.out.Load() {
		s.rest = rest
		s.incarnation.power.arm(1)
	}
}

// bury lets what is left of an incarnation end by itself.
func (s *simulation) bury() {
	l := s.incarnation
	s.incarnation = nil
	s.left.Go(func() { _ = l.halt() }) // nobody asks how
}

// quiesce lets the bot finish in peace, and judges what it did since that position of the ledger.
func (s *simulation) quiesce(ctx context.Context, since int64, r *result) error {
	s.trace.add("the faults ends")
	s.platform.SetFaults(emulator.Faults{})
	if s.plan.listBreak > 0 {
		s.platform.TroubleLists(emulator.ListTrouble{})
	}
	s.peace.Store(true)
	if s.incarnation == nil {
		if err := s.start(ctx); err != nil {
			return err
		}
	}
	s.incarnation.power.spare()
	if s.incarnation.power.out.Load() {
		s.bury()
		if err := s.start(ctx); err != nil {
			return err
		}
	}
	for _, g := range s.workloads {
		if h, ok := g.(homecomer); ok {
			if err := h.comesHome(ctx); err != nil {
				return err
			}
		}
	}
	if err := s.quiet(ctx, since); err != nil {
		return err
	}
	for _, g := range s.workloads {
		if err := g.after(ctx); err != nil {
			return err
		}
	}
	if s.plan.snapshots {
		s.lastWords()
	}
	if err := s.quiet(ctx, since); err != nil {
		return err
	}
	time.Sleep(latest) // for what may come twice
	r.wrong = append(r.wrong, s.judge(ctx, since)...)
	left, err := s.leftovers(ctx)
	r.wrong = append(r.wrong, left...)
	return errors.Join(err, s.incarnation.halt())
}

// quiet lets time pass until nothing is missing, and nothing on its way – what is there already may take several readings to reconcile –,
// or long enough.
func (s *simulation) quiet(ctx context.Context, since int64) error {
	for range 20 {
		time.Sleep(40 * time.Second)
		if len(s.judge(ctx, since)) > 0 {
			continue
		}
		if left, err := s.leftovers(ctx); err != nil || len(left) == 0 {
			return err
		}
	}
	return nil
}

// leftovers looks for what the bot has not ended although nothing disturbs it any more.
func (s *simulation) leftovers(ctx context.Context) (wrong []string, err error) {
	for _, name := range s.names {
		actions, err := s.incarnation.store.Open(ctx, name)
		if err != nil {
			return nil, err
		}
		for i := range actions {
			wrong = append(wrong, fmt.Sprintf("the action %s is still %s", actions[i].Key, actions[i].State))
		}
		pending, err := s.incarnation.store.PendingEvents(ctx, name, 0, 100)
		if err != nil {
			return nil, err
		}
		for i := range pending {
			wrong = append(wrong, fmt.Sprintf("the event %v is still pending", pending[i].ID))
		}
	}
	return wrong, nil
}

// begin makes the platform and its people.
func (s *simulation) begin() {
	s.platform = emulator.New(emulator.Config{Seed: s.plan.seed, Dialect: s.plan.dialect.Dialect, SessionTTL: s.plan.sessionTTL})
	s.account = s.addAccount(accountName)
	for i := range people {
		s.people = append(s.people, s.platform.AddPerson(emulator.Person{Username: fmt.Sprint("person", i)}))
	}
	s.posts = []platform.PostID{s.platform.Post(s.account, "menu one"), s.platform.Post(s.account, "menu two")}
	s.enterWorkloads()
}

// addAccount makes an account of the bot. Its mail and its password are its name.
func (s *simulation) addAccount(name event.Account) platform.UserID {
	s.names = append(s.names, name)
	return s.platform.AddAccount(emulator.Person{Username: string(name)}, string(name), platform.Secret(name))
}

// end ends what is left.
func (s *simulation) end() {
	if s.incarnation != nil {
		s.bury()
	}
	for _, end := range s.closers {
		end()
	}
	s.left.Wait()
	time.Sleep(time.Minute) // a renewal of the session may outlive a bot by as long as its request takes
	for _, p := range s.pipes {
		_ = p.Close() // cut off whatever still uses it
	}
}

// start begins the next incarnation.
func (s *simulation) start(ctx context.Context) error {
	s.incarnations++
	p := newPower(s.trace, s.incarnations, s.database(s.incarnations), s.database(s.incarnations+1))
	if s.incarnations > 1 && !s.peace.Load() { // nothing befalls the first one before it has begun
		p.arm(s.fate().boundary)
	}
	s.trace.add("life %d begins", s.incarnations)
	var err error
	s.incarnation, err = s.newIncarnation(ctx, p)
	return err
}

// fate returns what befalls the present incarnation.
func (s *simulation) fate() fate {
	if s.incarnations <= len(s.plan.fates) {
		return s.plan.fates[s.incarnations-1]
	}
	return fate{}
}

// do does a step.
func (s *simulation) do(ctx context.Context, st step) error {
	s.trace.add("%v", st)
	switch st.deed {
	case phones:
		return s.phone(ctx, s.people[st.who], st.text)
	case restart:
		return s.restart(ctx)
	case visits:
		return s.visit(ctx, st)
	case lags:
		s.lag(st)
	default:
		s.act(st, s.account, s.posts)
	}
	return nil
}

// act lets somebody do something with an account that has these posts.
func (s *simulation) act(st step, account platform.UserID, posts []platform.PostID) {
	who, post := s.people[st.who], posts[st.who%len(posts)]
	switch st.deed {
	case says:
		s.platform.Say(who, account, st.text)
	case mentions:
		s.platform.Mention(who, account, st.text)
	case answers:
		s.platform.Reply(who, post, st.text)
	case floods:
		for i := range 60 {
			s.platform.Say(who, account, fmt.Sprint("flood ", i/2))
		}
	case storms:
		for i := range 25 {
			s.platform.Reply(who, post, fmt.Sprint("storm ", i))
		}
	case follows:
		s.platform.Follow(who, account)
	case unfollows:
		s.platform.Unfollow(who, account)
	case reposts:
		s.platform.Repost(who, post)
	case unreposts:
		s.platform.Unrepost(who, post)
	case likes:
		s.platform.Like(who, post)
	case reads:
		s.platform.MarkSeen(account, who)
	case expires:
		s.platform.Expire(account)
	case revokes:
		s.platform.Revoke(account)
	case clears:
		s.platform.DeleteChat(who, account)
	default:
	}
}

// restart stops the bot, if it is running, and begins the next incarnation on the same database.
func (s *simulation) restart(ctx context.Context) error {
	if s.incarnation == nil {
		return nil
	}
	if err := s.incarnation.halt(); err != nil {
		return err
	}
	p := s.incarnation.power
	if !p.out.Load() {
		copyDatabase(p.to, p.from, -1)
	}
	s.incarnation = nil
	return s.start(ctx)
}

func (s *simulation) database(incarnation int) string {
	return filepath.Join(s.dir, fmt.Sprintf("incarnation-%d.db", incarnation))
}
