package autoresponder

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/notify"
	"github.com/nectar-bot/nectar/handlers/rules"
)

const (
	officeBatch = 100
	// giveUpAfter is how long an address that does not take a notice is tried.
	giveUpAfter = 24 * time.Hour
	mostPause   = 10 * time.Minute
	urgentPause = time.Minute // for what rings in quiet hours, too
	// slowAbove is how many notices wait before the store is read for others less often, each slowLook.
	slowAbove = 500
	slowLook  = 10 * time.Second
	lastWords = 2 * time.Second // that what is on its way gets when the bot ends
	storing   = 5 * time.Second // that a change of the store may take
)

// office delivers notices: a line in the log, and the addresses of the team. One goroutine runs it; what is sent is sent
// beside it, for each address one call at a time.
type office struct {
	cfg    Config
	memory Memory
	watch  *watch

	mu      sync.Mutex // guards the fields below
	calling []*calling // as the rules in force have it, for each folder
	changes int        // of calling, once something is known
	watched Watched

	// These belong to its goroutine.
	letters  map[string]*letter // that are not known as told
	members  map[string]*member // by address
	paces    map[string]json.RawMessage
	enrolled int // of changes: those that members know
	results  chan result
	under    sync.WaitGroup // calls that are on their way
	looked   time.Time      // for notices
	asked    time.Time      // whether somebody has done something
	failing  bool           // the store cannot be read or written, and that was told
	pending  []tell         // what the store has not taken
	retellAt time.Time
}

// tell is what is to be stored; people are told meanwhile.
type tell struct {
	notices     []event.Notice
	begin, over []event.Alarm
}

func newOffice(cfg Config, memory Memory) *office {
	return &office{cfg: cfg, memory: memory, letters: map[string]*letter{}, members: map[string]*member{}, results: make(chan result, 64)}
}

// setFolders takes over which folders there are, and which accounts act by each.
func (o *office) setFolders(folders []*folder) {
	o.mu.Lock()
	defer o.mu.Unlock()
	before := o.calling
	o.calling = make([]*calling, len(folders))
	for i, fo := range folders {
		o.calling[i] = fo.calling
		fo.calling.accounts, fo.calling.others = fo.place.accounts, nil
		for j := range folders {
			if j != i {
				fo.calling.others = append(fo.calling.others, folders[j].place.accounts...)
			}
		}
	}
	for _, was := range before {
		if was.known && !slices.Contains(o.calling, was) {
			was.client.Close()
		}
	}
	if o.changes > 0 {
		o.changes++
	}
}

// setCalling takes over how people are called by new rules of a folder.
func (o *office) setCalling(now *calling, c rules.Calling) {
	client := notify.NewClient(notify.Config{
		Hosts: o.cfg.WebhookHosts, Lookup: o.cfg.Lookup, Server: c.Server, Transport: o.cfg.Transport, TLS: o.cfg.MailTLS,
	})
	for _, p := range c.Check(client) {
		o.cfg.Log.Warn("an address cannot be used", "problem", p.Text, "file", p.File, "line", p.Line)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if now.known {
		now.client.Close()
	}
	now.Calling, now.client, now.known = c, client, true
	o.changes++
}

// currentCallings returns how people are called, and how often that has changed.
func (o *office) currentCallings() (callings, int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := make(callings, len(o.calling))
	for i := range o.calling {
		c := *o.calling[i]
		now[i] = &c
	}
	return now, o.changes
}

// watchedBot returns the bot that people are called for; nil for none.
func (o *office) watchedBot() Watched {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.watched
}

// run delivers notices until ctx is done.
func (o *office) run(ctx context.Context) {
	// What is being sent outlives ctx by lastWords: a call that is cut off may have arrived, and is made once more after the start.
	sending, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	tick := time.NewTicker(o.cfg.Look)
	defer tick.Stop()
	for {
		o.sendDue(ctx, sending)
		select {
		case <-ctx.Done():
			o.waitForSending(context.WithoutCancel(ctx), stop)
			return
		case r := <-o.results:
			o.noteResult(ctx, &r)
		case <-tick.C:
		}
	}
}

// waitForSending waits for calls that are on their way, and notes how they ended. A call that does not end with its context, as to a silent mail server,
// does not hold up the stop: it counts as cut off.
func (o *office) waitForSending(ctx context.Context, stop context.CancelFunc) {
	late := time.AfterFunc(lastWords, stop)
	defer late.Stop()
	done := make(chan struct{})
	go func() { o.under.Wait(); close(done) }()
	ctx, cancel := context.WithTimeout(ctx, lastWords+storing)
	defer cancel()
	patience := time.NewTimer(lastWords + time.Second) //mutate:called-hangs
	defer patience.Stop()
	for waits := true; waits || len(o.results) > 0; {
		select {
		case r := <-o.results:
			o.noteResult(ctx, &r)
		case <-done:
			waits, done = false, nil
			patience.Stop()
		case <-patience.C:
			o.cfg.Log.WarnContext(ctx, "a call of people does not end; the stop does not wait for it, and it is made once more after the start")
			waits = false
		}
	}
	if err := o.storeStates(ctx); err != nil {
		o.cfg.Log.ErrorContext(ctx, "what became of notices could not be noted; some may be sent once more", "err", err)
	}
}

// sendDue reads what is new, sends what may be sent, and notes what became of it.
func (o *office) sendDue(ctx, sending context.Context) {
	if ctx.Err() != nil {
		return
	}
	o.watch.lookForAlarms(ctx, time.Now())
	err := o.read(ctx)
	o.tellAgain(ctx)
	if now, changes := o.currentCallings(); changes > 0 {
		if o.enrol(ctx, now.onlyKnown(), changes) {
			o.send(ctx, sending, o.watchedBot())
		}
		o.resolve(now)
	}
	if noted := o.storeStates(ctx); err == nil {
		err = noted
	}
	if err != nil && ctx.Err() == nil && !o.failing {
		o.cfg.Log.ErrorContext(ctx, "notices cannot be read or noted; trying again", "err", err)
	}
	o.failing = err != nil
}

// read reads notices that wait.
func (o *office) read(ctx context.Context) error {
	now := time.Now()
	if len(o.letters) > slowAbove && now.Sub(o.looked) < slowLook {
		return nil
	}
	o.looked = now
	limit := officeBatch + len(o.letters) // those that cannot be delivered are no obstacle
	found, err := o.memory.Unsent(ctx, limit)
	if err != nil {
		return err
	}
	there := make(map[string]bool, len(found))
	for i := range found {
		k := noticeKey(&found[i])
		there[k] = true
		switch l := o.letters[k]; {
		case l == nil:
			o.takeLetter(ctx, newLetter(found[i]))
		case l.unread:
			stored := newLetter(found[i])
			stored.takeOver(l)
			stored.fresh = true
			o.letters[k] = stored
		}
	}
	if len(found) < limit { // what is gone was told, or is forgotten
		maps.DeleteFunc(o.letters, func(k string, l *letter) bool { return !there[k] && !l.unread })
	}
	return nil
}

// takeLetter takes a new notice.
func (o *office) takeLetter(ctx context.Context, l *letter) {
	o.letters[noticeKey(&l.Notice)] = l
	o.cfg.Log.InfoContext(ctx, "notice", "who", l.Who, "about", l.Kind, "text", shownText(&l.Notice), "account", string(l.Account), "peer", int64(l.Peer))
}

// enrol takes over the addresses of new rules; false while it is not known how they stood.
func (o *office) enrol(ctx context.Context, now callings, changes int) bool {
	if o.enrolled == changes {
		return true
	}
	if o.paces == nil {
		paces, err := o.memory.Addresses(ctx)
		if err != nil {
			return false
		}
		o.paces = paces
	}
	members := map[string]*member{}
	for _, c := range now {
		for i := range c.Teams {
			for _, a := range c.Teams[i].Addresses {
				id := memberID(&a, c, now)
				m := members[id]
				if m == nil {
					m = o.newMember(id, a, c)
					members[id] = m
				}
				m.teams = append(m.teams, membership{&c.Teams[i], c})
			}
		}
	}
	o.members, o.enrolled = members, changes
	return true
}

// newMember returns a member, as its address stood before.
func (o *office) newMember(id string, a rules.Address, c *calling) *member {
	m := &member{name: id, address: a, client: c.client}
	m.restore(o.paces[id])
	if was := o.members[id]; was != nil {
		m.pace, m.busy, m.fresh = was.pace, was.busy, was.fresh
	}
	m.Next = time.Time{} // what was wrong may be repaired
	return m
}

// inOrder returns what waits, oldest first: by how long a person waits, where one does.
func (o *office) inOrder() []*letter {
	return slices.SortedFunc(maps.Values(o.letters), func(x, y *letter) int {
		if c := x.since.Compare(y.since); c != 0 { //mutate:longest-first
			return c
		}
		return strings.Compare(noticeKey(&x.Notice), noticeKey(&y.Notice))
	})
}

// send sends to each member what it may get now.
func (o *office) send(ctx, sending context.Context, watched Watched) {
	if !slices.ContainsFunc(slices.Collect(maps.Values(o.letters)), func(l *letter) bool { return !l.done }) {
		return
	}
	now, letters := time.Now(), o.inOrder()
	o.attend(ctx, now, watched)
	for _, m := range o.members {
		if m.busy {
			continue
		}
		w := m.takeWaiting(letters, now)
		if len(w.letters) == 0 || !m.isMachine() && now.Before(m.dueAt(w.urgent)) || now.Before(m.Next) {
			continue
		}
		m.busy = true
		o.under.Go(func() { o.results <- m.deliverWaiting(sending, w, watched != nil && len(watched.Standing()) > 1) })
	}
}

// attend looks each minute whether a person of ours has done something since digests that nobody answered.
func (o *office) attend(ctx context.Context, now time.Time, watched Watched) {
	unread := slices.ContainsFunc(slices.Collect(maps.Values(o.members)), func(m *member) bool { return m.Rings > 0 && !m.isMachine() })
	if !unread || now.Sub(o.asked) < time.Minute {
		return
	}
	o.asked = now
	accounts := map[event.Account]bool{}
	for _, l := range o.letters {
		accounts[l.Account] = true
	}
	if watched != nil {
		for _, s := range watched.Standing() {
			accounts[s.Account] = true
		}
	}
	for account := range accounts {
		at, err := o.memory.Attended(ctx, account)
		if err != nil {
			return // it is only rarer until it can be read
		}
		for _, m := range o.members {
			m.fresh = m.noteAttended(at) || m.fresh
		}
	}
}

func (o *office) close() {
	now, _ := o.currentCallings()
	for _, c := range now.onlyKnown() {
		c.client.Close()
	}
}
