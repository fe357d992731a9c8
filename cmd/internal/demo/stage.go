package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/crowd"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
	"github.com/nectar-bot/nectar/platform/emulator/transcript"
)

// stage is where a demo plays: the platform, its people, and a place for the bot's database.
type stage struct {
	demo     Demo
	platform *emulator.Platform
	wire     *wire
	door     *door // of workers; nil for one bot
	server   *emulator.Server
	account  platform.UserID
	dir      string

	campaigns []Campaign
	edited    []*Edited
	editing   chan struct{}                     // closed when all that is changed is changed
	clocks    []WrongClock                      // in the order in which they come
	shops     map[event.Account]platform.UserID // accounts that have campaigns
	kills     []shopKill                        // in the order in which they happened

	people  *crowd.Crowd
	started time.Time // when they began to write
	beside  *beside   // of a demo with a rate
}

// The account of the demo exists in the emulator alone.
const (
	demoEmail   = "bot@emulator.localhost"
	demoAccount = event.Account("demo") // what the bot calls it
)

var demoPassword = platform.Secret("emulated")

func newStage(ctx context.Context, d Demo) (*stage, error) {
	dialect, err := emulator.ParseDialect(d.Dialect)
	if err != nil {
		return nil, err
	}
	if d.Campaigns > 0 {
		dialect.OwnReposts = true // its accounts renew own posts, which may come again soon
	}
	p := emulator.New(emulator.Config{Seed: d.Seed, Dialect: dialect})
	account := p.AddAccount(emulator.Person{Username: "bot", FirstName: "Bot"}, demoEmail, demoPassword)
	dir := d.Dir
	if dir == "" {
		if dir, err = os.MkdirTemp("", "nectar-demo-"); err != nil {
			return nil, fmt.Errorf("make a folder for the database: %w", err)
		}
	}
	st := &stage{demo: d, platform: p, wire: &wire{platform: p}, account: account, dir: dir, editing: make(chan struct{})}
	entry := http.Handler(st.wire)
	if d.Workers > 0 {
		st.door = newDoor(p)
		entry = st.door
	}
	if st.server, err = emulator.Serve(ctx, "127.0.0.1:0", entry); err != nil {
		st.tidy()
		return nil, err
	}
	if err := st.openShops(d); err != nil {
		st.close()
		return nil, err
	}
	return st, nil
}

func (st *stage) close() {
	_ = st.server.Close()
	st.tidy()
}

// tidy removes the folder, unless it is somebody's own.
func (st *stage) tidy() {
	if st.demo.Dir == "" {
		_ = os.RemoveAll(st.dir)
	}
}

// playUntilQuiet lets people write and the bot answer until all is said and answered, or nothing comes any more.
func (st *stage) playUntilQuiet(ctx context.Context, screen, log io.Writer) (Report, error) {
	st.people = st.crowd()
	if err := st.openPast(ctx); err != nil {
		return Report{}, err
	}
	bot, err := st.start(ctx, log)
	if err != nil {
		return Report{}, err
	}
	since := st.platform.Ledger().Len()
	faults, _ := emulator.ParseFaults(st.demo.Faults) // checked with the flags
	st.platform.SetFaults(faults)
	reads := st.platform.Calls("get_messages")
	watch, endWatch := context.WithCancel(ctx)
	defer endWatch()
	var watchers sync.WaitGroup
	defer watchers.Wait()
	defer endWatch()
	st.watch(watch, &watchers, screen, log, since)

	st.started = time.Now()
	killer := make(chan error, 1)
	go func() { killer <- st.killing(watch, bot, since) }()
	watchers.Go(func() { st.turnClock(watch) })
	shopping, shopped := newShopping(st), make(chan error, 1)
	go func() { shopped <- shopping.run(watch, log) }()
	edited := make(chan error, 1)
	go func() { edited <- st.editCampaigns(watch) }()
	expect := st.expectedJudge(since)
	if st.demo.hasChats() {
		if err := st.letWrite(ctx, expect); err != nil {
			return Report{}, err
		}
	}
	took := st.answerSpan(since, st.started)
	if err := errors.Join(<-shopped, <-killer, <-edited); err != nil {
		return Report{}, err
	}
	st.waitForDoubles(ctx) // a second copy would come late
	ex, err := bot.stopBot()
	if err != nil {
		return Report{}, err
	}
	return st.makeVerdict(ctx, expect, shopping, demoCost{ex, took, st.platform.Calls("get_messages") - reads})
}

// demoCost is what a demo cost.
type demoCost struct {
	expense
	took  time.Duration
	reads int64
}

// makeVerdict asks the platform what is to be said about messages, and about campaigns.
func (st *stage) makeVerdict(ctx context.Context, expect judge.Expect, shopping *shopping, cost demoCost) (r Report, err error) {
	answers := st.measureAnswers(&expect)
	v := judge.Platform(st.platform, expect)
	v.Logins, v.Refreshes = st.platform.Logins(), st.platform.Refreshes() // the first sign-in was before
	r = newReport(v, cost.expense, cost.took, st.demo.Kills, cost.reads)
	if st.demo.Rate > 0 {
		st.judgeLoad(&r, *answers)
	}
	if st.demo.Campaigns > 0 {
		if r.Campaigns, err = shopping.judgeShop(ctx); err != nil {
			return Report{}, err
		}
		r.OK = r.OK && r.Campaigns.OK
	}
	return r, nil
}

func (st *stage) crowd() *crowd.Crowd {
	d := st.demo
	cfg := crowd.Config{
		Seed: d.Seed, People: d.People, Messages: d.Messages, Account: st.account, Wait: d.Wait || d.Lively,
		Patience: 2 * time.Minute, Reactions: !d.Bare && !d.Wait && !d.Rules,
	}
	cfg.Replies = st.expectedJudge(0).Replies
	switch {
	case d.Idle:
		cfg.People, cfg.Messages, cfg.Lasts = idleLoad, int(idleLoad*d.Lasts.Seconds()), d.Lasts
	case d.Rate > 0:
		cfg.Lasts = d.Lasts
	case d.Lively:
		cfg.Pauses = 10 * time.Second * time.Duration(d.People) / time.Duration(d.Messages)
	}
	return crowd.New(st.platform, cfg)
}

// missingPatience is how long the platform waits for something missing before it says so.
func (st *stage) missingPatience() time.Duration {
	switch {
	case st.demo.Faults == "hostile": // a session that cannot be renewed is left alone for up to a minute
		return 90 * time.Second
	case st.demo.IsDisturbed() || st.demo.Faults != "none":
		return 45 * time.Second
	}
	return 15 * time.Second
}

// waitForDoubles waits until a bot that was about to say something twice would have done so: where a call was
// disturbed or the bot was killed, that is when it has reconciled everything.
func (st *stage) waitForDoubles(ctx context.Context) {
	quiet := 200 * time.Millisecond
	if st.demo.IsDisturbed() || st.demo.Faults != "none" {
		quiet = demoDeadline + demoGrace + 3*demoReconcilePause
	}
	last, seq := time.Now(), st.platform.Ledger().Len()
	for ctx.Err() == nil && time.Since(last) < quiet {
		wait, cancel := context.WithDeadline(ctx, last.Add(quiet))
		_ = st.platform.Ledger().Wait(wait, seq) // how long it is quiet is looked at above
		cancel()
		for _, e := range st.platform.Ledger().Since(seq) {
			seq = e.Seq
			if e.Kind != emulator.LoggedIn && e.Kind != emulator.Refreshed { // disturbed calls make a bot do so for ever
				last = time.Now()
			}
		}
	}
}

// answerSpan is the time from the start to the last message that arrived.
func (st *stage) answerSpan(since int64, started time.Time) time.Duration {
	last := started
	for _, e := range st.platform.Ledger().Since(since) {
		if e.Kind == emulator.Arrived {
			last = e.At
		}
	}
	return last.Sub(started)
}

// watch prints the transcript as it happens, or else how far things are.
func (st *stage) watch(ctx context.Context, wg *sync.WaitGroup, screen, log io.Writer, since int64) {
	switch {
	case screen != nil:
		wg.Go(func() {
			_ = transcript.Follow(ctx, st.platform, screen, transcript.Config{Account: st.account, Since: since})
		})
	case !st.demo.JSON && !st.demo.Quiet && st.demo.hasChats():
		wg.Go(func() { st.progress(ctx, log, since) })
	}
}

// progress says every two seconds how far things are.
func (st *stage) progress(ctx context.Context, log io.Writer, since int64) {
	tick := time.NewTicker(2 * time.Second)
	defer tick.Stop()
	arrived := 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		entries := st.platform.Ledger().Since(since)
		for _, e := range entries {
			if e.Kind == emulator.Arrived {
				arrived++
			}
		}
		since += int64(len(entries))
		_, _ = fmt.Fprintf(log, "%d messages to answer; %d of the bot's have arrived, thanks included\n", st.demo.Messages, arrived)
	}
}

// killing kills the bot as often as asked, at moments spread over the run.
func (st *stage) killing(ctx context.Context, bot *actor, since int64) error {
	if !st.demo.hasChats() {
		return st.killingShops(ctx, bot)
	}
	rng := rand.New(rand.NewPCG(st.demo.Seed, 0x6b696c6c)) //nolint:gosec // not a secret
	arrived, seq := 0, since
	for k := range st.demo.Kills {
		share := st.demo.Messages / (st.demo.Kills + 1)
		at := share*k + rng.IntN(max(share, 1)) + 1
		for arrived < at && st.something(ctx, seq) {
			for _, e := range st.platform.Ledger().Since(seq) {
				seq = e.Seq
				if e.Kind == emulator.Arrived {
					arrived++
				}
			}
		}
		select {
		case <-ctx.Done():
			return nil // the demo is over, and says why
		default:
		}
		if err := bot.killAndRestart(ctx); err != nil {
			return err
		}
	}
	return nil
}

// something waits until something happened after seq; false when nothing comes any more.
func (st *stage) something(ctx context.Context, seq int64) bool {
	wait, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return st.platform.Ledger().Wait(wait, seq) == nil
}

func (st *stage) databasePath() string { return filepath.Join(st.dir, "nectar.db") }
