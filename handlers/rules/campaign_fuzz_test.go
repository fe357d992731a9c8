package rules_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/rules"
)

// seedCampaigns adds files with campaigns.
func seedCampaigns(f *testing.F) {
	f.Helper()
	all, err := filepath.Glob("testdata/check/campaign-*.txt")
	if err != nil || len(all) == 0 {
		f.Fatal("no files with campaigns", err)
	}
	reference, err := filepath.Glob("testdata/reference/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range append(all, reference...) {
		content, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		file := string(content)
		if _, behind, found := strings.Cut(file, "-- rules.yaml --\n"); found {
			file, _, _ = strings.Cut(behind, "\n-- ")
		}
		if strings.Contains(file, "campaigns:") {
			f.Add([]byte(file))
		}
	}
	for _, what := range []string{
		"    ends: never\n    do: publish\n    texts: [good morning]\n    slots: [Sun 02:30, { at: 2027-03-28 01:30 }]\n    repeat: { gap: 1d, stop_after: 2 times }\n",
		"    ends: 2027-10-31\n    do: repost\n    posts: [{ link: https://social.example/thread/1 }, { from: '@a', tag: '#b' }]\n    slots: [Mon-Sun 00:00]\n    jitter: 12m\n    repeat: { each_post: 3 times, gap: 1d, how: undo_then_repost }\n",
	} {
		f.Add(campaignFile(what)["a.yaml"])
	}
}

// FuzzCampaignFiles: whatever the checker lets pass can be planned, and what is in force is kept as it was written.
func FuzzCampaignFiles(f *testing.F) {
	seedCampaigns(f)
	now := time.Date(2027, 3, 7, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, content []byte) {
		if len(content) > 1<<16 {
			return // larger ones are a matter of patience, not of new ways
		}
		src := rules.Sources{"a.yaml": content}
		report := rules.ReadAndCheck(src)
		for _, p := range report.Problems {
			if strings.ContainsAny(p.Text, "\r\n") {
				t.Errorf("a problem of several lines: %q", p.Text)
			}
		}
		v, _ := rules.Compile(src)
		if v == nil {
			return
		}
		all, problems := v.Campaigns()
		if report.OK() && len(problems) > 0 {
			t.Errorf("it was checked, and cannot be run: %v", problems)
		}
		for _, c := range all {
			keepsCampaign(t, c)
		}
		planned, last := 0, time.Time{}
		for verdict := range campaigns.Plan(&campaigns.Account{Campaigns: all}, now, now, now.AddDate(0, 2, 0)) {
			id, err := campaigns.ParseSlotID(verdict.Slot.ID.String())
			if err != nil || id != verdict.Slot.ID {
				t.Errorf("a slot is called %q: %v, %v", verdict.Slot.ID, id, err)
			}
			if verdict.Slot.Minute.Before(last) || verdict.Slot.Minute.Before(now) {
				t.Errorf("%s comes behind what is at %v", verdict.Slot.ID, last)
			}
			last = verdict.Slot.Minute
			if planned++; planned == 500 {
				return
			}
		}
	})
}

// keepsCampaign reports whether a campaign is read from the store as it was put there.
func keepsCampaign(t *testing.T, c *campaigns.Campaign) {
	t.Helper()
	kept, err := campaigns.Encode(c)
	if err != nil {
		t.Fatal(err)
	}
	again, err := campaigns.Decode(kept)
	if err != nil {
		t.Fatalf("%s is kept, and cannot be read: %v", c.ID, err)
	}
	if twice, err := campaigns.Encode(again); err != nil || !bytes.Equal(kept, twice) {
		t.Errorf("%s: %v\nkept  %s\nagain %s", c.ID, err, kept, twice)
	}
}
