package cmd

import (
	"encoding/base64"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

func keyOf(b byte) string {
	return base64.StdEncoding.EncodeToString([]byte(strings.Repeat(string(rune(b)), 32)))
}

// newest returns the id of the newest event.
func newest(t *testing.T, environ []string) string {
	t.Helper()
	var e struct {
		ID string `json:"id"`
	}
	line, _, _ := strings.Cut(nectarIn(t, environ, "events", "--json", "--limit", "1").stdout, "\n")
	if err := json.Unmarshal([]byte(line), &e); err != nil {
		t.Fatal(err)
	}
	return e.ID
}

// The key changes while the bot runs; the commands without it, and with the old one, tell nothing that people said.
func TestRekey(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	p := emulator.New(emulator.Config{})
	me := p.AddAccount(emulator.Person{Username: "shop"}, "shop@social.example", hunter2)
	server := httptest.NewServer(p)
	defer server.Close()
	base := server.URL + "/mobile_api"
	storage := "NECTAR_STORE=sqlite:" + filepath.Join(t.TempDir(), "bot.db")
	with := func(key string) []string {
		return []string{
			"NECTAR_BASE_URL=" + base, "NECTAR_EMAIL=shop@social.example", "NECTAR_PASSWORD=" + hunter2, storage, "NECTAR_SECRET_KEY=" + key,
		}
	}
	before, after := with(keyOf('a')), with(keyOf('b'))
	talk := func(who, text string) {
		t.Helper()
		a := script.Actor(who)
		if err := script.Play(soon(t), p, script.Script{Account: me, Steps: []script.Step{a.Says(text), a.Expects("Thanks for writing")}}); err != nil {
			t.Fatal(err)
		}
	}
	says := func(environ []string, want string, args ...string) {
		t.Helper()
		if got := nectarIn(t, environ, args...); !strings.Contains(got.stdout+got.stderr, want) {
			t.Errorf("nectar %q: want %q, got %+v", args, want, got)
		}
	}
	rulesFile := filepath.Join(t.TempDir(), "hello.yaml")
	content := "version: 1\nstatus: live\nrules:\n  - { id: hello, when: message, then: [{ message: hi }], limits: { per_person: 1 per 1d } }\n"
	if err := os.WriteFile(rulesFile, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	log, end := running(t, base, before[3], before[4])
	log.Await(t, "the bot is at work")
	talk("ana", "my number is 600123456")
	says(before, "600123456", "events")
	says(with(""), "(sealed)", "events")
	says(after, "(sealed)", "events")
	says(with(""), "what people said is encrypted, and NECTAR_SECRET_KEY is not set: it is shown as (sealed)", "conversations")
	says(after, "NECTAR_SECRET_KEY is another one: it is shown as (sealed)", "why", newest(t, before))
	says(after, "NECTAR_SECRET_KEY is another one: nothing can be decided again", "replay", rulesFile)
	says(after, "set that one, or let the bot go on", "lists", "add", "stopped", "@ana")
	says(before, "@ana", "lists", "add", "stopped", "@ana")
	says(before, "added by a person", "lists", "stopped")
	says(with(""), "(sealed)", "lists", "stopped")

	file := filepath.Join(t.TempDir(), "new.key")
	if err := os.WriteFile(file, []byte(keyOf('b')+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	says(before, "is encrypted with the new key", "rekey", "--new-key-file", file)
	says(append(before, "NECTAR_NEW_SECRET_KEY="+keyOf('b')), "is encrypted with the new key", "rekey")
	talk("leo", "and my street is Elm Street")
	says(after, "Elm Street", "events")
	says(after, "600123456", "events")
	says(before, "(sealed)", "events")
	if status := end(); status != 0 {
		t.Fatal(log)
	}

	says(before, "encrypted with another NECTAR_SECRET_KEY", "run")
	says(with(""), "NECTAR_SECRET_KEY is not set", "run")
	says(append(after, "NECTAR_NEW_SECRET_KEY="+keyOf('c')), "is encrypted with the new key", "rekey") // nobody runs
	says(with(keyOf('c')), "Elm Street", "events")
	says(with(keyOf('c')), "was written anew", "migrate", "--compact")
	for _, wrong := range []struct {
		want string
		args []string
	}{
		{"has no key", []string{"rekey"}},
		{"--new-key-file: open", []string{"rekey", "--new-key-file", file + ".gone"}},
	} {
		says(after, wrong.want, wrong.args...)
	}
	says(append(after, "NECTAR_NEW_SECRET_KEY=x"), "is not 32 bytes in base64 or hex", "rekey")
	says(append(with(""), "NECTAR_NEW_SECRET_KEY="+keyOf('b')), "NECTAR_SECRET_KEY is not set", "rekey")
	log, end = running(t, base, storage, "NECTAR_SECRET_KEY="+keyOf('c'))
	log.Await(t, "the bot is at work")
	talk("mia", "still there?")
	if status := end(); status != 0 {
		t.Fatal(log)
	}
	if v := judge.Platform(p, judge.Expect{Account: me}); v.Doubled != 3 || v.Lost != 0 { // all that it said, and nothing twice
		t.Errorf("%+v", v)
	}
}
