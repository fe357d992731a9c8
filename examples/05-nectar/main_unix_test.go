//go:build unix

package main

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

// hours is a rule file. Who asks for the menu is answered by the program all the same: its routes are asked first.
const hours = `version: 1
name: Hours
status: live
rules:
  - id: hours
    when: message
    if: [text: { any_word: [open, menu] }]
    then: [reply: We are open from nine to six.]
    limits: { per_person: 1 per 12h }
`

// With rule files and without the program's own handlers answer; rules answer what is left to them.
func TestItAnswers(t *testing.T) {
	t.Parallel()
	ana, leo := script.Actor("ana"), script.Actor("leo")
	own := []script.Step{
		ana.Follows(), ana.Expects("Nice to meet you, "),
		ana.Says("the menu, please"), ana.Expects("Today: soup, bread, apple pie."),
	}
	for name, c := range map[string]struct {
		rules string
		steps []script.Step
		says  string
	}{
		"beside rules":  {hours, append(own, leo.Says("are you open?"), leo.Expects("We are open from nine to six.")), "answering by rule files"},
		"without rules": {"", own, "the bot answers by the routes of this program alone"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := emulator.New(emulator.Config{})
			me := p.AddAccount(emulator.Person{Username: "shop"}, "shop@social.example", "correct horse")
			polled := make(chan struct{}) // what was there before the first poll is skipped
			var lists atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/get_chats") && lists.Add(1) == 2 {
					close(polled)
				}
				p.ServeHTTP(w, r)
			}))
			defer server.Close()
			shop := process(t, "the example", "run")
			shop.Env = append(shop.Env, "NECTAR_BASE_URL="+server.URL+"/mobile_api")
			if c.rules != "" {
				put(t, filepath.Join(shop.Dir, "rules", "hours.yaml"), c.rules)
			}
			var printed strings.Builder
			shop.Stdout, shop.Stderr = &printed, &printed
			if err := shop.Start(); err != nil {
				t.Fatal(err)
			}
			<-polled
			played := script.Play(t.Context(), p, script.Script{Account: me, Steps: c.steps})
			if err := shop.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(played, shop.Wait()); err != nil || !strings.Contains(printed.String(), c.says) {
				t.Errorf("%v: it does not say %q:\n%s", err, c.says, &printed)
			}
		})
	}
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
