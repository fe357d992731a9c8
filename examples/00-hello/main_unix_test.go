//go:build unix

package main

import (
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/child"
	"github.com/nectar-bot/nectar/examples/internal/account"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

func TestItAnswers(t *testing.T) {
	a := account.New(t)
	p := child.Start(t, child.Command{As: "hello", Env: append(a.Settings(), "NECTAR_LOG_FORMAT=json")})
	ana := script.Actor("ana")
	a.Play(t, ana.Says("hi"), ana.Expects("Hello, Ana!"))
	p.Stop()
	for line := range strings.Lines(p.String()) {
		if !strings.HasPrefix(line, "{") {
			t.Errorf("it prints %q", line)
		}
	}
}

func TestItSaysWhatIsMissing(t *testing.T) {
	p := child.Start(t, child.Command{As: "hello"})
	if p.End() == 0 || strings.Count(p.String(), "is missing (example: NECTAR_") != 3 || strings.Count(p.String(), "\n") != 3 {
		t.Errorf("it prints\n%s", p)
	}
}

func TestItSaysWhichImportAServerNeeds(t *testing.T) {
	a := account.New(t)
	p := child.Start(t, child.Command{As: "hello", Env: append(a.Settings(), "NECTAR_STORE=postgres://bot:geheim@db.example/nectar")})
	const want = `NECTAR_STORE: names a database of PostgreSQL, and this program has no driver for one: add the line import _ "github.com/nectar-bot/nectar/bot/postgres" to it`
	if p.End() == 0 || !strings.Contains(p.String(), want) || strings.Count(p.String(), "\n") != 1 || strings.Contains(p.String(), "geheim") {
		t.Errorf("it prints\n%s", p)
	}
}
