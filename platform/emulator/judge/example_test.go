package judge_test

import (
	"context"
	"fmt"
	"os"

	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
	"github.com/nectar-bot/nectar/platform/emulator/transcript"
)

// What an account has done is measured by the platform's own book, here of an account that says one thing twice, and another one never.
func ExamplePlatform() {
	town := emulator.New(emulator.Config{})
	account := town.AddAccount(emulator.Person{Username: "cafe"}, "bot@cafe.example", "secret")
	ana := town.AddPerson(emulator.Person{Username: "ana"})
	pipe := emulator.NewPipe(town)
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
	town.Say(ana, account, "one")
	town.Say(ana, account, "two")
	for _, text := range []string{"heard: one", "heard: one"} {
		if _, err := client.SendMessage(context.Background(), platform.SendMessageParams{To: ana, Text: text}); err != nil {
			fmt.Println(err)
		}
	}

	echo := func(said emulator.Entry) []string { return []string{"heard: " + said.Text} }
	v := judge.Platform(town, judge.Expect{Account: account, Replies: echo})
	fmt.Println(v.OK(), "lost", v.Lost, "doubled", v.Doubled)
	fmt.Println(transcript.Write(town, os.Stdout, transcript.Config{Account: account, Plain: true}), pipe.Close())
	// Output:
	// false lost 1 doubled 1
	// ana      one
	// ana      two
	// cafe →   ana: heard: one
	// cafe →   ana: heard: one
	// <nil> <nil>
}

// fixed is a session that nobody renews.
type fixed platform.Secret

func (f fixed) SessionID(context.Context) (platform.Secret, error) { return platform.Secret(f), nil }

func (f fixed) Rejected(context.Context, platform.Secret, *platform.Refused) (bool, error) {
	return false, nil
}
