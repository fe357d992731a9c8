package demo

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
	"github.com/nectar-bot/nectar/platform/session"
)

const (
	idleName   = "idle%05d"
	idleLoad   = 20              // messages a second, on the one account that people write to
	idlePolls  = 5 * time.Second // the default of nectar run; four times as long after some polls without news
	idleSignIn = 5 * time.Minute // how long all may take to be polled for the first time
)

// IdleReport is what accounts cost to which nobody writes. The bot runs twice, each time beside the same small load on one account: alone with
// that, and with all others. What is told is the difference.
type IdleReport struct {
	Accounts    int     `json:"accounts"`
	Lasts       float64 `json:"for_seconds"`
	Load        float64 `json:"load_per_second"`
	Polls       int64   `json:"polls"`
	CPUPerPoll  float64 `json:"cpu_us_per_poll"`
	CPUSeconds  float64 `json:"cpu_seconds"`
	LoadCPU     float64 `json:"load_cpu_seconds"` // in the run without them, and taken off above
	Heap        float64 `json:"heap_bytes_per_account"`
	Stack       float64 `json:"stack_bytes_per_account"`
	SignInRSS   float64 `json:"sign_in_rss_bytes_per_account"`
	SignInsTook float64 `json:"sign_in_seconds"`
}

func (r *IdleReport) print(b *strings.Builder) {
	fmt.Fprintf(b, "  %d accounts to which nobody writes: %.0f µs of CPU a poll (%d polls in %.0f s), %.1f KB of heap and %.1f KB of stacks held for each\n",
		r.Accounts, r.CPUPerPoll, r.Polls, r.Lasts, r.Heap/1000, r.Stack/1000)
	fmt.Fprintf(b, "  while they signed in, %.1f s, memory grew by %.1f KB for each\n", r.SignInsTook, r.SignInRSS/1000)
}

// idleAccounts returns the accounts to which nobody writes.
func (s *Settings) idleAccounts() (all []bot.Account) {
	for n := range s.Idle {
		name := event.Account(fmt.Sprintf(idleName, n))
		all = append(all, bot.Account{
			Name: name, BaseURL: s.BaseURL, PollInterval: idlePolls, Credentials: session.Credentials{Email: shopEmail(name), Password: demoPassword},
		})
	}
	return all
}

// spell is a run of the bot, measured while people write: when it had begun, and at the end.
type spell struct {
	before, first, last reading
	began               time.Duration // how long it took to begin
	expense
}

// cpu is what the bot used while people wrote.
func (s *spell) cpu() time.Duration { return s.last.CPU - s.first.After }

// playIdle measures what accounts cost to which nobody writes.
func (st *stage) playIdle(ctx context.Context, log io.Writer) (Report, error) {
	d, since, reads, started := st.demo, st.platform.Ledger().Len(), st.platform.Calls("get_messages"), time.Now()
	for n := range d.Accounts {
		name := event.Account(fmt.Sprintf(idleName, n))
		st.platform.AddAccount(emulator.Person{Username: string(name)}, shopEmail(name), demoPassword)
	}
	tell := func(accounts string) {
		if !d.JSON && !d.Quiet {
			_, _ = fmt.Fprintf(log, "the bot signs in, and is measured for %s: %s\n", d.Lasts, accounts)
		}
	}
	expect := st.expectedJudge(since)
	tell("the account that people write to, alone")
	alone, err := st.playSpell(ctx, log, expect, 0)
	if err != nil {
		return Report{}, err
	}
	tell(fmt.Sprintf("that one, and %d to which nobody writes", d.Accounts))
	all, err := st.playSpell(ctx, log, expect, d.Accounts)
	if err != nil {
		return Report{}, err
	}
	spent := alone.expense
	spent.add(all.expense)
	cost := demoCost{spent, st.answerSpan(since, started), st.platform.Calls("get_messages") - reads}
	r, err := st.makeVerdict(ctx, expect, nil, cost)
	each := func(n int64) float64 { return float64(n) / float64(d.Accounts) }
	r.Idle = &IdleReport{
		Accounts: d.Accounts, Lasts: d.Lasts.Seconds(), Load: idleLoad, Polls: all.last.Polls - all.first.Polls,
		CPUSeconds: all.cpu().Seconds(), LoadCPU: alone.cpu().Seconds(), SignInsTook: all.began.Seconds(),
		Heap: each(all.last.Heap - all.before.Heap), Stack: each(all.last.Stack - all.before.Stack), SignInRSS: each(all.first.Peak - all.before.RSS),
	}
	if n := r.Idle.Polls; n > 0 {
		r.Idle.CPUPerPoll = float64((all.cpu() - alone.cpu()).Microseconds()) / float64(n)
	}
	return r, err
}

// playSpell runs the bot with so many accounts beside the one that people write to, while they do.
func (st *stage) playSpell(ctx context.Context, log io.Writer, expect judge.Expect, accounts int) (s spell, err error) {
	settings := st.botSettings()
	settings.Idle, settings.Measured = accounts, true
	started := time.Now()
	p, err := startProcess(log, settings.settingsVariable())
	if err != nil {
		return spell{}, err
	}
	said := bufio.NewReader(p.out)
	defer func() {
		if err != nil {
			p.kill()
			_, _ = p.wait() // it was killed
		}
	}()
	defer context.AfterFunc(ctx, p.kill)()
	patience := time.AfterFunc(idleSignIn, p.kill)
	defer patience.Stop()
	if line, err := said.ReadString('\n'); err != nil || line != Ready {
		if !patience.Stop() && ctx.Err() == nil {
			return spell{}, fmt.Errorf("not all accounts were signed in and polled within %v: ask for fewer --accounts", idleSignIn)
		}
		return spell{}, fmt.Errorf("the bot did not start: %w", errors.Join(err, ctx.Err()))
	}
	patience.Stop()
	s.began = time.Since(started)
	if s.before, s.first, err = askMeter(p.in, said); err != nil {
		return spell{}, err
	}
	st.people = st.crowd()
	if err := st.people.Run(ctx); err != nil {
		return spell{}, err
	}
	if _, s.last, err = askMeter(p.in, said); err != nil {
		return spell{}, err
	}
	if err := judge.AwaitQuiet(ctx, st.platform, expect, st.missingPatience()); err != nil {
		return spell{}, err
	}
	st.waitForDoubles(ctx)
	_ = p.in.Close()
	if s.expense, err = p.wait(); err != nil {
		return spell{}, fmt.Errorf("the bot did not end cleanly: %w", err)
	}
	return s, nil
}

// askMeter asks a bot for what it cost before it had accounts, and what by now.
func askMeter(in io.Writer, said *bufio.Reader) (before, now reading, err error) {
	var line []byte
	if _, err = io.WriteString(in, "\n"); err == nil {
		line, err = said.ReadBytes('\n')
	}
	var both [2]reading
	if err == nil {
		err = json.Unmarshal(line, &both)
	}
	if err != nil {
		return reading{}, reading{}, fmt.Errorf("ask the bot what it costs: %w", err)
	}
	return both[0], both[1], nil
}
