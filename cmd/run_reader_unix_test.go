//go:build unix

package cmd

import (
	"bufio"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/child"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

// Whoever reads the log – a tee, a journal that is started anew – may go away: the bot goes on, and counts the lines that nobody gets.
func TestRunOutlivesReaderOfItsLog(t *testing.T) {
	t.Parallel()
	p := emulator.New(emulator.Config{})
	me := p.AddAccount(emulator.Person{Username: "shop"}, "shop@social.example", hunter2)
	server := httptest.NewServer(p)
	defer server.Close()
	dir := settings(t, server.URL+"/mobile_api", "shop@social.example")
	added, err := os.OpenFile(filepath.Join(dir, ".env"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := added.WriteString("\nNECTAR_METRICS=127.0.0.1:0\n"); err != nil {
		t.Fatal(err)
	}
	if err := added.Close(); err != nil {
		t.Fatal(err)
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	bot := child.Start(t, child.Command{As: "nectar", Args: []string{"run", "--starter"}, Dir: dir, Stderr: writer})
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	served, works := "", false
	for lines := bufio.NewScanner(reader); (served == "" || !works) && lines.Scan(); {
		if at := regexp.MustCompile(`metrics are served" address=(\S+)`).FindStringSubmatch(lines.Text()); at != nil {
			served = at[1]
		}
		works = works || strings.Contains(lines.Text(), "the bot is at work")
	}
	if served == "" || !works {
		t.Fatal("it has not begun")
	}
	if got := fetched(t, served); !strings.Contains(got, "\nnectar_log_lines_lost_total 0\n") {
		t.Fatalf("before, it says\n%s", got)
	}
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
	p.Expire(me) // it says that it has a new session before it hears anybody again
	ana := script.Actor("ana")
	if err := script.Play(soon(t), p, script.Script{Account: me, Steps: []script.Step{ana.Says("hello"), ana.Expects("Ana")}}); err != nil {
		t.Error(err)
	}
	if got := fetched(t, served); !regexp.MustCompile(`\nnectar_log_lines_lost_total [1-9]`).MatchString(got) {
		t.Errorf("afterwards, it says\n%s", got)
	}
	bot.Stop()
}
