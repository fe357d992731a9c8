// Package demo plays the main job with nothing to set up: a platform, people and a bot, or many workers, which are
// killed, frozen and cut off meanwhile; the verdict is counted by the platform.
//
//	            one bot (stage)                          workers (works, unix only)
//	platform    emulator behind HTTP                     the same, behind a door that sees who comes for which account
//	who acts    actor: a child process, killed and       a hand for each worker, with roads to the database and the
//	            started again, or a goroutine            platform that incidents cut or stall
//	people      one crowd                                a crowd for each account
//	verdict     judge.Platform                           the same for each account, and how well it was cared for (Care)
//
// A demo with a rate (load.go) is one of one bot, with what goes on beside it on a server (beside.go). One of idle accounts (idle.go) runs the bot
// twice, and asks it for what it costs (meter.go).
//
// Read demo.go and stage.go for the play, actor.go and bot.go for the bot, report.go for the verdict. campaigns*.go is a demo of slots, and of
// campaigns that are changed while they run (edited, editor, clock); of workers,
// works_unix.go is the play, hand_unix.go a worker, incident*.go what happens to them, road.go how a network fails, visits*.go who served whom.
//
// What holds:
//
//   - The bot is the real one, in a process of its own where it is killed: SIGKILL takes its memory, and leaves what the system has of its files.
//   - The verdict is the ledger of the platform, never what the bot says of itself. A bot that forgot a message would not miss it.
//   - After the last answer it is quiet for as long as a bot in doubt may take before anybody judges (calm): a second copy comes late.
//   - Deadlines and graces are shorter than a real bot's, so that kills are looked at within minutes; the emulator forgets what was cut off, as
//     what comes later would be the platform's doing.
//   - What befalls workers is drawn from the seed before it begins, so a run can be told to somebody else.
//
// nectar demo calls it, and so does the child that it starts, which is this program again. The client of --bare is in cmd/internal/bare.
package demo

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/print"
)

// Demo is what the flags of demo say.
type Demo struct {
	People    int
	Messages  int
	Seed      uint64
	Faults    string
	Dialect   string
	Kills     int
	Store     string
	Workers   int
	Accounts  int
	Freezes   int
	Cuts      int
	Restarts  int
	Fills     int
	Failovers int
	Deploys   int
	Wait      bool
	Lively    bool
	Bare      bool
	Rules     bool
	Encrypt   bool
	Quiet     bool
	JSON      bool
	InProcess bool
	Campaigns int
	Rate      float64       // messages a second that people write, however fast they are answered; 0: Messages, as fast as they can
	Idle      bool          // Accounts are there to which nobody writes
	Lasts     time.Duration // the campaigns, the rate, or the look at idle accounts
	Talks     bool          // beside campaigns, people write
	Timeout   time.Duration
	Dir       string
}

// Run plays the demo and prints the verdict. It fails when anything was lost, doubled, out of order
// or wrong.
func (d Demo) Run(ctx context.Context, out, log io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, d.Timeout)
	defer cancel()
	report, err := d.playDemo(ctx, out, log)
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	if d.JSON {
		err = print.WriteJSON(out, report)
	} else {
		err = d.print(out, report)
	}
	if err == nil && !report.OK {
		err = &cli.ExitError{Code: cli.ExitFailed}
	}
	return err
}

// playDemo plays the demo.
func (d Demo) playDemo(ctx context.Context, out, log io.Writer) (Report, error) {
	if d.Workers > 0 {
		return d.runWorkers(ctx, d.transcriptWriter(out), log)
	}
	st, err := newStage(ctx, d)
	if err != nil {
		return Report{}, err
	}
	defer st.close()
	if d.Idle {
		return st.playIdle(ctx, log)
	}
	return st.playUntilQuiet(ctx, d.transcriptWriter(out), log)
}

// print writes the verdict about what there was.
func (d Demo) print(out io.Writer, r Report) (err error) {
	if d.hasChats() {
		err = r.print(out)
	}
	if err == nil && r.Campaigns != nil {
		err = r.Campaigns.print(out)
	}
	return err
}

// hasChats reports whether people write to the bot.
func (d Demo) hasChats() bool { return d.Campaigns == 0 || d.Talks }

// transcriptWriter is where the transcript goes; nil for nowhere.
func (d Demo) transcriptWriter(out io.Writer) io.Writer {
	if d.JSON || d.Quiet || !d.Lively && d.Workers == 0 || !d.hasChats() {
		return nil
	}
	return out
}
