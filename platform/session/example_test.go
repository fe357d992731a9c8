package session_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/session"
)

// A broker signs an account in when the first call needs that, and renews the session before it ends. A client with it is the account.
func ExampleBroker() {
	town := emulator.New(emulator.Config{})
	town.AddAccount(emulator.Person{Username: "shop", FirstName: "Shop"}, "shop@example.org", "secret")
	pipe := emulator.NewPipe(town)
	defer func() { _ = pipe.Close() }()

	client, err := platform.New(platform.Config{BaseURL: pipe.BaseURL(), Transport: pipe.Transport()})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	for _, password := range []platform.Secret{"secret", "forgotten"} {
		broker := session.New(session.Config{Account: "shop", Client: client, Credentials: session.Credentials{Email: "shop@example.org", Password: password}})
		_, err := broker.SessionID(ctx)
		_, isPaused := errors.AsType[*session.PausedError](err)
		fmt.Println(broker.State().Phase, isPaused)
	}
	// Output:
	// active false
	// paused true
}
