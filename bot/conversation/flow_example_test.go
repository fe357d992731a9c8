package conversation_test

import (
	"context"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
)

// Turn stands for the turn of package bot: what the person said, and what is said in return.
type Turn struct {
	Text string
	Said []string
}

func (t *Turn) Reply(text string) { t.Said = append(t.Said, text) }

type Order struct {
	Size    string
	Address string
}

// The signals of the order flow.
const (
	sized     conversation.Signal = "sized"
	addressed conversation.Signal = "addressed"
	yes       conversation.Signal = "yes"
	no        conversation.Signal = "no"
)

var orderFlow = conversation.MustFlow("order", conversation.Definition[*Turn, Order]{
	States: []conversation.FlowState[*Turn, Order]{
		{Name: "ask-size", Enter: say("Which size? S, M or L"), Handle: readSize, Timeout: 3 * time.Hour},
		{Name: "ask-address", Enter: say("Where to?"), Handle: readAddress, Timeout: 3 * time.Hour},
		{Name: "confirm", Enter: summary, Handle: readConfirmation, Timeout: 3 * time.Hour},
		{Name: "placed", Enter: say("It is on its way."), Final: true},
		{Name: "gave-up", Enter: say("Let us leave it then."), Final: true},
	},
	Transitions: []conversation.Transition[*Turn, Order]{
		{From: "ask-size", On: sized, To: "ask-address"},
		{From: "ask-address", On: addressed, To: "confirm"},
		{From: "confirm", On: yes, To: "placed", Guard: func(_ context.Context, _ *Turn, o *Order) bool { return o.Address != "" }},
		{From: "confirm", On: no, To: "ask-size"},
		{From: conversation.Anywhere, On: conversation.TimedOut, To: "gave-up"},
	},
})

func say(text string) func(context.Context, *Turn, *Order) error {
	return func(_ context.Context, t *Turn, _ *Order) error { t.Reply(text); return nil }
}

func readSize(_ context.Context, t *Turn, o *Order) (conversation.Signal, error) {
	switch t.Text {
	case "S", "M", "L":
		o.Size = t.Text
		return sized, nil
	case "/help":
		return conversation.Pass, nil
	default:
		t.Reply("S, M or L, please.")
		return conversation.Stay, nil
	}
}

func readAddress(_ context.Context, t *Turn, o *Order) (conversation.Signal, error) {
	o.Address = t.Text
	return addressed, nil
}

func summary(_ context.Context, t *Turn, o *Order) error {
	t.Reply(fmt.Sprintf("One %s to %s. Right?", o.Size, o.Address))
	return nil
}

func readConfirmation(_ context.Context, t *Turn, _ *Order) (conversation.Signal, error) {
	if t.Text == "yes" {
		return yes, nil
	}
	return no, nil
}

func Example() {
	now := time.Date(2030, 5, 1, 12, 0, 0, 0, time.UTC)
	t := &Turn{}
	at, _, _ := orderFlow.Start(context.Background(), t, Order{}, now)
	for _, text := range []string{"huge", "L", "Elm Road 1", "yes"} {
		t.Reply("> " + text)
		t.Text = text
		at, _, _ = orderFlow.Input(context.Background(), t, at, now)
	}
	for _, line := range t.Said {
		fmt.Println(line)
	}
	fmt.Println("in the flow:", at.Active())
	// Output:
	// Which size? S, M or L
	// > huge
	// S, M or L, please.
	// > L
	// Where to?
	// > Elm Road 1
	// One L to Elm Road 1. Right?
	// > yes
	// It is on its way.
	// in the flow: false
}
