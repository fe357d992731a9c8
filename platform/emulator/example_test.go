package emulator_test

import (
	"context"
	"fmt"

	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// A person writes to an account, which answers through the API.
func Example() {
	p := emulator.New(emulator.Config{})
	account := p.AddAccount(emulator.Person{Username: "cafe"}, "bot@cafe.example", "secret")
	ana := p.AddPerson(emulator.Person{Username: "ana", FirstName: "Ana"})
	p.Say(ana, account, "Are you open on Sunday?")

	pipe := emulator.NewPipe(p)
	client, err := platform.New(platform.Config{BaseURL: pipe.BaseURL(), Transport: pipe.Transport()})
	if err != nil {
		fmt.Println(err)
		return
	}
	in, err := client.Login(context.Background(), platform.LoginParams{Email: "bot@cafe.example", Password: "secret"})
	if err != nil {
		fmt.Println(err)
		return
	}
	client = client.WithSession(fixed(in.SessionID))
	chats, err := client.Chats(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range chats {
		fmt.Printf("%s: %s (%d new)\n", c.Username, c.Last, c.Unread)
		_, err = client.SendMessage(context.Background(), platform.SendMessageParams{To: c.Peer, Text: "From 10 to 6."})
	}
	fmt.Println(p.Messages(account, ana)[1].Text, err)
	fmt.Println(pipe.Close())
	// Output:
	// ana: Are you open on Sunday? (1 new)
	// From 10 to 6. <nil>
	// <nil>
}

// fixed is a session that nobody renews.
type fixed platform.Secret

func (f fixed) SessionID(context.Context) (platform.Secret, error) { return platform.Secret(f), nil }

func (f fixed) Rejected(context.Context, platform.Secret, *platform.Refused) (bool, error) {
	return false, nil
}
