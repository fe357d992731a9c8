package cmd

import (
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/platform/emulator"
)

// menuFile is a campaign that asks for an approval of what it reposts in the next hours.
func menuFile(post int64, more string) string {
	slot := time.Now().UTC().Add(20 * time.Hour)
	return fmt.Sprintf(`version: 1
name: Menu
status: ask
campaigns:
  - id: menu
    do: repost
    timezone: UTC
    starts: %s
    ends: %s
    posts:
      - link: https://social.example/thread/%d
%s    slots:
      - %s
    limits: { whole_campaign: 10 }
    approve: { who: marketing, at_least: 30m before, if_nobody: skip }
`, slot.AddDate(0, 0, -2).Format(time.DateOnly), slot.AddDate(0, 0, 2).Format(time.DateOnly), post, more, slot.Format("Mon 15:04"))
}

// nectar run runs the campaigns of its folder for its account.
func TestRunWithCampaigns(t *testing.T) {
	t.Parallel()
	p := emulator.New(emulator.Config{})
	p.AddAccount(emulator.Person{Username: "shop"}, "shop@social.example", hunter2)
	post := p.Post(p.AddPerson(emulator.Person{Username: "cafe"}), "asparagus is here")
	server := httptest.NewServer(p)
	defer server.Close()
	dir := t.TempDir()
	putRules(t, dir, "settings.yaml", "version: 1\nwho: { marketing: {} }\n")
	putRules(t, dir, "50-menu.yaml", menuFile(int64(post), ""))
	environ := []string{"NECTAR_RULES=" + filepath.Join(dir, "rules"), "NECTAR_STORE=sqlite:" + filepath.Join(dir, "nectar.db")}
	log, end := running(t, server.URL+"/mobile_api", environ...)
	log.Await(t, "the bot is at work")
	want := fmt.Sprintf("repost post %d", post)
	for deadline := time.Now().Add(time.Minute); ; {
		got := nectarIn(t, environ, "outbox", "--held")
		if strings.Contains(got.stdout, want) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("nothing waits for its approval: %s%s\n%s", got.stdout, got.stderr, log)
		}
	}
	if status := end(); status != 0 {
		t.Errorf("status %d\n%s", status, log)
	}
}
