package conversation_test

import (
	"context"
	"testing"

	"github.com/nectar-bot/nectar/bot/conversation"
)

func BenchmarkInput(b *testing.B) {
	quiet := conversation.MustFlow("order", definition{
		States: states{
			{Name: "ask-size", Handle: readSize},
			{Name: "ask-address"},
			{Name: "placed", Final: true},
		},
		Transitions: moves{{From: "ask-size", On: sized, To: "ask-address"}, {From: "ask-address", On: addressed, To: "placed"}},
	})
	at := in("ask-size", `{"Size":"M","Address":"Elm Road 1"}`)
	turn := &Turn{Text: "L"}
	b.ReportAllocs()
	for b.Loop() {
		if next, _, err := quiet.Input(context.Background(), turn, at, noon); err != nil || next.State != "ask-address" {
			b.Fatal(next, err)
		}
	}
}

func BenchmarkPass(b *testing.B) {
	at := in("ask-size", `{"Size":"M","Address":"Elm Road 1"}`)
	turn := &Turn{Text: "/help"}
	b.ReportAllocs()
	for b.Loop() {
		if _, eff, err := orderFlow.Input(context.Background(), turn, at, noon); err != nil || eff.Outcome != conversation.Passed {
			b.Fatal(eff, err)
		}
	}
}
