package platform_test

import (
	"context"
	"fmt"

	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// What a client cannot work with is told when it is made.
func ExampleNew() {
	_, err := platform.New(platform.Config{BaseURL: "http://social.example/mobile_api"})
	fmt.Println(err)

	client, err := platform.New(platform.Config{BaseURL: "https://social.example/mobile_api"})
	fmt.Println(client != nil, err)
	// Output:
	// platform config: BaseURL: http:// to social.example would send the session in plain text; use https://, or set AllowPlainHTTP
	// true <nil>
}

// A list is read to its end as a sequence; the next page is asked for when it is needed.
func ExampleAll() {
	town := emulator.New(emulator.Config{})
	baker := town.AddPerson(emulator.Person{Username: "baker"})
	for n := range 45 {
		town.Post(baker, fmt.Sprintf("fresh bread, loaf %d", n))
	}
	pipe := emulator.NewPipe(town)
	client, err := platform.New(platform.Config{BaseURL: pipe.BaseURL(), Transport: pipe.Transport()})
	if err != nil {
		fmt.Println(err)
		return
	}
	posts := 0
	for _, err := range platform.All(context.Background(), client.SearchPosts, platform.SearchParams{Query: "bread"}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		posts++
	}
	fmt.Println(posts, "posts in", town.Calls("search_posts"), "calls;", pipe.Close())
	// Output: 45 posts in 3 calls; <nil>
}

// Of a call that fails two things count: whether it may have been done all the same, and whether another try may succeed.
func ExampleInDoubt() {
	town := emulator.New(emulator.Config{})
	account := town.AddAccount(emulator.Person{Username: "cafe"}, "bot@cafe.example", "secret")
	ana := town.AddPerson(emulator.Person{Username: "ana"})
	pipe := emulator.NewPipe(town)
	client, err := platform.New(platform.Config{BaseURL: pipe.BaseURL(), Transport: pipe.Transport()})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	in, err := client.Login(ctx, platform.LoginParams{Email: "bot@cafe.example", Password: "secret"})
	if err != nil {
		fmt.Println(err)
		return
	}
	client = client.WithSession(fixedSession(in.SessionID))

	town.Disturb("send_message", emulator.CutAfter) // it arrives, and its answer does not
	_, err = client.SendMessage(ctx, platform.SendMessageParams{To: ana, Text: "We are open."})
	fmt.Println("cut off: in doubt", platform.InDoubt(err), "later", platform.Classify(err) == platform.NotNow)

	town.Block(ana, account)
	_, err = client.SendMessage(ctx, platform.SendMessageParams{To: ana, Text: "Hello?"})
	fmt.Println("blocked: in doubt", platform.InDoubt(err), "later", platform.Classify(err) == platform.NotNow)
	fmt.Println(len(town.Messages(account, ana)), "message arrived;", pipe.Close())
	// Output:
	// cut off: in doubt true later true
	// blocked: in doubt false later false
	// 1 message arrived; <nil>
}
