package cmd

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/cmd/internal/emulate"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// What is typed is done.
func TestTyped(t *testing.T) {
	t.Parallel()
	p := emulator.New(emulator.Config{})
	account := p.AddAccount(emulator.Person{Username: "bot"}, emulate.Email, hunter2)
	var out bytes.Buffer
	emulate.NewTypist(p, account, &out).Run(t.Context(), strings.NewReader(`# a first day
ana: hello: you there?
@Ana mentions: look, @bot
leo follows
leo follows
bot posts: our menu
leo likes
leo reposts
mia replies: nice
bot to ana: I am here
ana sends a picture
ana sends a picture: of me
ana posts: spring menu
bot reposts 207
bot reposts 207
bot takes back 207
zoe posts: come by
bot reposts 210
zoe deletes 210
zoe deletes 207

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
	if !p.Following(leo, account) || p.UserID("ana") == 0 || len(p.Messages(account, p.UserID("ana"))) != 3 {
		t.Errorf("leo does not follow, or ana was not written to:\n%s", all)
	}
	if got := out.String(); !strings.Contains(got, "is so already: leo follows") || !strings.Contains(got, "write for example:") {
		t.Errorf("it says:\n%s", got)
	}
	for said, times := range map[string]int{
		"ana's post 207: http://emulator.localhost/thread/207\n": 1, "so already: bot reposts 207\n": 1, "so already: zoe deletes 207\n": 1, "zoe deletes 210": 0,
	} {
		if got := strings.Count(out.String(), said); got != times {
			t.Errorf("it says %q %d times, not %d:\n%s", said, got, times, &out)
		}
	}
	if last := p.Messages(account, p.UserID("ana"))[2]; last.MediaURL == "" {
		t.Errorf("in place of a picture came %+v", last)
	}
	var kinds []emulator.EntryKind
	for _, e := range p.Ledger().Since(0) {
		if e.Post == 207 || e.Post == 210 {
			kinds = append(kinds, e.Kind)
		}
	}
	want := []emulator.EntryKind{emulator.Posted, emulator.Reposted, emulator.Unreposted, emulator.Posted, emulator.Reposted, emulator.Deleted}
	if !slices.Equal(kinds, want) {
		t.Errorf("with the posts it did %v, not %v", kinds, want)
	}
}

// A line longer than what terminals send in one piece is done, and so is what follows. One that nobody can mean ends it, and it says so.
func TestTypedLongLines(t *testing.T) {
	t.Parallel()
	p := emulator.New(emulator.Config{})
	account := p.AddAccount(emulator.Person{Username: "bot"}, emulate.Email, hunter2)
	for size, want := range map[int]string{70_000: "", 2 << 20: "nothing is read any more: "} {
		var out bytes.Buffer
		before := p.Ledger().Len()
		emulate.NewTypist(p, account, &out).Run(t.Context(), strings.NewReader("# "+strings.Repeat("x", size)+"\nana: hi\n"))
		if !strings.HasPrefix(out.String(), want) || (out.Len() > 0) != (want != "") {
			t.Errorf("of %d letters it says %q", size, out.String())
		}
		if did := p.Ledger().Len() - before; (did > 0) != (want == "") {
			t.Errorf("of %d letters %d things were done", size, did)
		}
	}
}
