package emulate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/crowd"
	"github.com/nectar-bot/nectar/platform/emulator/transcript"
)

// How one signs in to the made-up account, unless another password is chosen.
const (
	Email    = "bot@emulator.localhost"
	Password = "emulated"
)

// Emulation is a platform in memory, with people who write to an account.
type Emulation struct {
	Addr       string
	Dialect    string
	Faults     string
	Password   string
	Seed       uint64
	People     int
	Messages   int
	Pause      time.Duration
	Clock      time.Duration
	Transcript bool
	Typed      bool
	JSON       bool
}

// NewPlatform makes the platform; the error is what is wrong with the flags.
func (e *Emulation) NewPlatform() (*emulator.Platform, error) {
	dialect, err := emulator.ParseDialect(e.Dialect)
	if err != nil {
		return nil, err
	}
	faults, err := emulator.ParseFaults(e.Faults)
	if err != nil {
		return nil, err
	}
	if _, _, err := net.SplitHostPort(e.Addr); err != nil {
		return nil, fmt.Errorf("--addr %q is not an address like 127.0.0.1:8080", e.Addr)
	}
	if e.People < 0 || e.Messages < 0 || e.Pause < 0 {
		return nil, errors.New("--people, --messages and --pause cannot be negative")
	}
	dialect.Clock += e.Clock
	return emulator.New(emulator.Config{Seed: e.Seed, Dialect: dialect, Faults: faults}), nil
}

// Run serves p until ctx ends.
func (e *Emulation) Run(ctx context.Context, p *emulator.Platform, in io.Reader, out io.Writer) error {
	account := p.AddAccount(emulator.Person{Username: "bot", FirstName: "Bot"}, Email, platform.Secret(e.Password))
	server, err := emulator.Serve(ctx, e.Addr, p)
	if err != nil {
		return err
	}
	var written error
	settings := map[string]string{"base_url": server.BaseURL(), "email": Email}
	known := "" // a password that somebody chose is not repeated
	if e.Password == Password {
		settings["password"], known = e.Password, "NECTAR_PASSWORD="+e.Password+"\n"
	}
	if e.JSON {
		written = print.WriteJSON(out, settings)
	} else {
		_, written = fmt.Fprintf(out, "NECTAR_BASE_URL=%s\nNECTAR_EMAIL=%s\n%s", server.BaseURL(), Email, known)
	}
	if written != nil {
		return errors.Join(fmt.Errorf("print the settings: %w", written), server.Close())
	}

	// The transcript ends after the server, so that it has everything.
	writing, endTranscript := context.WithCancel(context.WithoutCancel(ctx))
	defer endTranscript()
	var crowd, writer sync.WaitGroup
	if e.People > 0 {
		crowd.Go(func() { e.crowd(ctx, p, account) })
	}
	if e.Typed {
		crowd.Go(func() { NewTypist(p, account, out).Run(ctx, in) })
	}
	var failed error
	if e.Transcript {
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
func (e *Emulation) crowd(ctx context.Context, p *emulator.Platform, account platform.UserID) {
	c := crowd.New(p, e.crowdConfig(account))
	for seq := int64(0); p.Logins() == 0; seq = p.Ledger().Len() {
		if p.Ledger().Wait(ctx, seq) != nil {
			return
		}
	}
	_ = c.Run(ctx) // fails when ctx ends, and that is the normal end
}

func (e *Emulation) crowdConfig(account platform.UserID) crowd.Config {
	cfg := crowd.Config{
		Seed: e.Seed, People: e.People, Messages: e.Messages, Account: account,
		Wait: e.Pause > 0, Pauses: e.Pause, Patience: 10 * time.Second, Reactions: true,
	}
	if cfg.Messages == 0 {
		cfg.Messages = math.MaxInt32
	}
	return cfg
}
