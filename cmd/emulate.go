package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/emulate"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/crowd"
	"github.com/nectar-bot/nectar/platform/emulator/transcript"
	"github.com/spf13/cobra"
)

const emulateHelp = `Emulate runs a whole platform in memory, with people who write to your bot, until
it is interrupted. It prints the settings that your bot needs to sign in, but for a
password that --password names. Nothing is kept when it ends.

People begin to write once the bot has signed in. With a pause they wait for the
answer to a message before they write the next one; without one (--pause 0) they
write as fast as they can.`

// How one signs in to the made-up account, unless --password says something else.
const (
	emulatedEmail    = "bot@emulator.localhost"
	emulatedPassword = "emulated"
)

// emulation is what the flags of emulate say.
type emulation struct {
	addr       string
	dialect    string
	faults     string
	password   string
	seed       uint64
	people     int
	messages   int
	pause      time.Duration
	transcript bool
	typed      bool
	json       bool
}

func newEmulate(sh cli.Shell) *cobra.Command {
	var e emulation
	cmd := &cobra.Command{
		Use:     "emulate",
		Short:   "Run a platform in memory to try a bot on",
		Long:    emulateHelp,
		Example: "  nectar emulate --people 5 --transcript\n  nectar emulate --people 0 --transcript --type\n  nectar emulate --addr 127.0.0.1:0 --dialect stringly --faults rough --seed 7",
		GroupID: groupBot,
		Args:    cli.Usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := e.platform()
			if err != nil {
				return cli.BadUsage(cmd, err)
			}
			return e.run(cmd.Context(), p, sh.Stdin, cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringVar(&e.addr, "addr", "127.0.0.1:8080", "listen on this `address`; port 0 takes any free one")
	f.StringVar(&e.dialect, "dialect", "classic", "`name` of a disagreement between deployments; a wrong name lists them")
	f.StringVar(&e.faults, "faults", "none", "disturb calls: none, rough (5 %) or hostile (20 %)")
	f.Uint64Var(&e.seed, "seed", 1, "`number` that decides who the people are and which calls are disturbed")
	f.IntVar(&e.people, "people", 3, "`number` of people who write")
	f.IntVar(&e.messages, "messages", 0, "`number` of messages that they write altogether (default no end)")
	f.DurationVar(&e.pause, "pause", 2*time.Second, "mean time that a person thinks before a message")
	f.StringVar(&e.password, "password", emulatedPassword, "`password` of the account")
	f.BoolVar(&e.transcript, "transcript", false, "print what happens as it happens")
	f.BoolVar(&e.typed, "type", false, "do what is typed, a line each, such as \"ana: hello\" or \"ana follows\"")
	f.BoolVar(&e.json, "json", false, "print the settings as one JSON object")
	return cmd
}

// platform makes the platform that the flags describe.
func (e emulation) platform() (*emulator.Platform, error) {
	dialect, err := emulator.ParseDialect(e.dialect)
	if err != nil {
		return nil, err
	}
	faults, err := emulator.ParseFaults(e.faults)
	if err != nil {
		return nil, err
	}
	if _, _, err := net.SplitHostPort(e.addr); err != nil {
		return nil, fmt.Errorf("--addr %q is not an address like 127.0.0.1:8080", e.addr)
	}
	if e.people < 0 || e.messages < 0 || e.pause < 0 {
		return nil, errors.New("--people, --messages and --pause cannot be negative")
	}
	return emulator.New(emulator.Config{Seed: e.seed, Dialect: dialect, Faults: faults}), nil
}

// run serves p until ctx ends.
func (e emulation) run(ctx context.Context, p *emulator.Platform, in io.Reader, out io.Writer) error {
	account := p.AddAccount(emulator.Person{Username: "bot", FirstName: "Bot"}, emulatedEmail, platform.Secret(e.password))
	server, err := emulator.Serve(ctx, e.addr, p)
	if err != nil {
		return err
	}
	var written error
	settings := map[string]string{"base_url": server.BaseURL(), "email": emulatedEmail}
	known := "" // a password that somebody chose is not repeated
	if e.password == emulatedPassword {
		settings["password"], known = e.password, "NECTAR_PASSWORD="+e.password+"\n"
	}
	if e.json {
		written = print.JSON(out, settings)
	} else {
		_, written = fmt.Fprintf(out, "NECTAR_BASE_URL=%s\nNECTAR_EMAIL=%s\n%s", server.BaseURL(), emulatedEmail, known)
	}
	if written != nil {
		return errors.Join(fmt.Errorf("print the settings: %w", written), server.Close())
	}

	// The transcript ends after the server, so that it has everything.
	writing, endTranscript := context.WithCancel(context.WithoutCancel(ctx))
	defer endTranscript()
	var crowd, writer sync.WaitGroup
	if e.people > 0 {
		crowd.Go(func() { e.crowd(ctx, p, account) })
	}
	if e.typed {
		crowd.Go(func() { emulate.NewTypist(p, account, out).Run(ctx, in) })
	}
	var failed error
	if e.transcript {
		writer.Go(func() { failed = transcript.Follow(writing, p, out, transcript.Config{Account: account}) })
	}
	<-ctx.Done()
	crowd.Wait()
	closed := server.Close()
	endTranscript()
	writer.Wait()
	return errors.Join(failed, closed)
}

// crowd lets people write to account, from its first sign-in until ctx ends.
func (e emulation) crowd(ctx context.Context, p *emulator.Platform, account platform.UserID) {
	c := crowd.New(p, e.crowdConfig(account))
	for seq := int64(0); p.Logins() == 0; seq = p.Ledger().Len() {
		if p.Ledger().Wait(ctx, seq) != nil {
			return
		}
	}
	_ = c.Run(ctx) // fails when ctx ends, and that is the normal end
}

func (e emulation) crowdConfig(account platform.UserID) crowd.Config {
	cfg := crowd.Config{
		Seed: e.seed, People: e.people, Messages: e.messages, Account: account,
		Wait: e.pause > 0, Pauses: e.pause, Patience: 10 * time.Second, Reactions: true,
	}
	if cfg.Messages == 0 {
		cfg.Messages = math.MaxInt32
	}
	return cfg
}
