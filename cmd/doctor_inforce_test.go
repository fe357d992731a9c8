package cmd

import (
	"io"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/doctor"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// The doctor says which campaigns are in force, what comes next and what waits, beside a bot and without one; and when nothing has looked at
// them in time.
func TestDoctorOfCampaigns(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	p := emulator.New(emulator.Config{})
	p.AddAccount(emulator.Person{Username: "shop"}, "shop@social.example", hunter2)
	post := p.Post(p.AddPerson(emulator.Person{Username: "cafe"}), "asparagus is here")
	server := httptest.NewServer(p)
	defer server.Close()
	dir := t.TempDir()
	putRules(t, dir, "settings.yaml", "version: 1\nwho: { marketing: {} }\npublishing: { most: 5 per 1d, at_least_apart: 10m }\n")
	putRules(t, dir, "50-menu.yaml", menuFile(int64(post), ""))
	path := filepath.Join(dir, "nectar.db")
	environ := []string{"NECTAR_RULES=" + filepath.Join(dir, "rules"), "NECTAR_STORE=sqlite:" + path}
	log, end := running(t, server.URL+"/mobile_api", environ...)
	log.Await(t, "the bot is at work")
	cfg := config.Config{Store: config.StoreFile(path), Accounts: []config.Account{{Name: "main"}}}
	folders := []config.RuleFolder{{Path: filepath.Join(dir, "rules"), Accounts: []event.Account{"main"}}}
	examine := func(now time.Time) map[string]doctor.Finding {
		d := doctor.Doctor{Out: io.Discard}
		d.InForce(t.Context(), cfg, folders, now)
		found := map[string]doctor.Finding{}
		for _, f := range d.Found.Findings {
			found[f.Check+f.Account] = f
		}
		return found
	}
	var found map[string]doctor.Finding
	for deadline := time.Now().Add(patience); found["campaigns that waitmain"].Said == ""; found = examine(time.Now()) {
		if time.Now().After(deadline) {
			t.Fatalf("nothing waits: %+v\n%s", found, log)
		}
	}
	if status := end(); status != 0 {
		t.Errorf("status %d\n%s", status, log)
	}
	for check, want := range map[string]string{
		"campaigns": "in force: menu (ask); next: menu@", "campaigns that wait": "slots for approval: 1; nectar outbox lists them",
		"publishing": "at most 5 in 1d, 10m apart at least; published in the last 1d, by campaigns, rules and programs: 0",
	} {
		if f := found[check+"main"]; !strings.HasPrefix(f.Said, want) || (f.Status == doctor.Odd) != (check == "campaigns that wait") {
			t.Errorf("%s: %+v, want %s", check, f, want)
		}
	}
	late := examine(time.Now().AddDate(0, 0, 3))["campaignsmain"]
	if late.Status != doctor.Odd || !strings.Contains(late.Said, "nothing has looked at them since") || !strings.HasSuffix(late.Said, "no bot runs") {
		t.Errorf("late: %+v", late)
	}
	cfg.Store = config.StoreFile(filepath.Join(dir, "nowhere.db"))
	if none := examine(time.Now()); len(none) > 0 {
		t.Errorf("without a database: %+v", none)
	}
	if got := nectarIn(t, slices.Concat(environ, []string{"NECTAR_BASE_URL=" + server.URL + "/mobile_api", "NECTAR_EMAIL=shop@social.example", "NECTAR_PASSWORD=" + hunter2}), "doctor"); !strings.Contains(got.stdout, "in force: menu (ask)") {
		t.Errorf("nectar doctor: %s%s", got.stdout, got.stderr)
	}
}
