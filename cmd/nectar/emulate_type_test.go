package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/platform/emulator"
)

// What is typed is done.
func TestTyped(t *testing.T) {
	t.Parallel()
	p := emulator.New(emulator.Config{})
	account := p.AddAccount(emulator.Person{Username: "bot"}, emulatedEmail, hunter2)
	var out bytes.Buffer
	newTypist(p, account, &out).run(t.Context(), strings.NewReader(`# a first day
ana: hello: you there?
@Ana mentions: look, @bot
leo follows
leo follows
bot posts: our menu
leo likes
leo reposts
mia replies: nice
bot to ana: I am here

what now
`))
	var did []string
	for _, e := range p.Ledger().Since(0) {
		did = append(did, string(e.Kind)+" "+e.Text)
	}
	all := strings.Join(did, "\n")
	for _, want := range []string{"hello: you there?", "look, @bot", "our menu", "nice", "I am here"} {
		if !strings.Contains(all, want) {
			t.Errorf("nobody said %q:\n%s", want, all)
		}
	}
	leo := p.UserID("leo")
	if !p.Following(leo, account) || p.UserID("ana") == 0 || len(p.Messages(account, p.UserID("ana"))) != 2 {
		t.Errorf("leo does not follow, or ana was not written to:\n%s", all)
	}
	if got := out.String(); !strings.Contains(got, "is so already: leo follows") || !strings.Contains(got, "write for example:") {
		t.Errorf("it says:\n%s", got)
	}
}
