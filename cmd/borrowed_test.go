package cmd

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/nectar-bot/nectar/cmd/internal/readback"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/session"
)

// shelf is where a bot stores its session.
type shelf struct {
	id, renewed platform.Secret
	looks       int // until the renewed one is stored
}

func (s *shelf) stored(context.Context) (session.Kept, error) {
	if s.looks--; s.looks == 0 {
		s.id = s.renewed
	}
	return session.Kept{Tokens: platform.Tokens{SessionID: s.id}}, nil
}

func TestBorrowedSession(t *testing.T) {
	for name, dialect := range map[string]emulator.Dialect{"401": {}, "400": {Unauthorized400: true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { borrow(t, emulator.New(emulator.Config{Dialect: dialect})) })
		})
	}
}

func borrow(t *testing.T, p *emulator.Platform) {
	t.Helper()
	me := p.AddAccount(emulator.Person{Username: "shop"}, "shop@social.example", hunter2)
	pipe := emulator.NewPipe(p)
	defer func() { _ = pipe.Close() }()
	client, err := platform.New(platform.Config{BaseURL: pipe.BaseURL(), Transport: pipe.Transport()})
	if err != nil {
		t.Fatal(err)
	}
	signIn := func() platform.Secret {
		in, err := client.Login(t.Context(), platform.LoginParams{Email: "shop@social.example", Password: hunter2})
		if err != nil {
			t.Fatal(err)
		}
		return in.SessionID
	}
	bot := &shelf{id: signIn()}
	lender := client.WithSession(&readback.Borrowed{Stored: bot.stored, Client: client})
	read := func() error {
		_, err := lender.Chats(t.Context())
		return err
	}
	if err := read(); err != nil {
		t.Fatal(err)
	}
	if _, err := lender.Messages(t.Context(), platform.MessagesParams{Peer: 4711}); !errors.Is(err, platform.ErrInvalid) || errors.Is(err, platform.ErrNoSession) {
		t.Errorf("a refusal that is not about the session: got %v", err)
	}
	p.Expire(me)
	if err := read(); !errors.Is(err, readback.ErrBorrowed) {
		t.Errorf("the session has ended, got %v", err)
	}
	for _, looks := range []int{2, 20} {
		p.Expire(me)
		bot.renewed, bot.looks = signIn(), looks
		if err := read(); err != nil {
			t.Errorf("the bot has renewed its session meanwhile, got %v", err)
		}
	}
}
