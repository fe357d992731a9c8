package rules_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/text"
)

// The campaign of the reference files is planned as it is written.
func TestCampaignsArePlanned(t *testing.T) {
	t.Parallel()
	src, err := rules.ReadSources("testdata/reference")
	if err != nil {
		t.Fatal(err)
	}
	all, problems := compiled(t, src).Campaigns()
	if len(problems) > 0 || len(all) != 1 {
		t.Fatal(all, problems)
	}
	stop, report := all[0].Stop, all[0].Report
	if want := (campaigns.Stop{Deleted: true, Replies: true, Warnings: true, Words: []string{"scam", "wrong", "error"}, MoreThan: text.Rate{Max: 3, In: time.Hour}}); !reflect.DeepEqual(stop, want) {
		t.Errorf("it stops with %+v, want %+v", stop, want)
	}
	if report == nil || report.To != "marketing" || report.Every.String() != "Fri 17:00" {
		t.Errorf("it reports to %+v", report)
	}
	now := time.Date(2027, 3, 7, 12, 0, 0, 0, time.UTC)
	a := &campaigns.Account{Campaigns: all}
	var got []string
	for v := range campaigns.Plan(a, now, now, now.AddDate(0, 1, 0)) {
		renewed := ""
		if v.Renew {
			renewed = " renewed"
		}
		got = append(got, fmt.Sprintf("%s %s %s %s%s, approved by %s", v.Slot.ID, v.At.Format("15:04"), v.Kind, v.Item.Name(), renewed, v.Deadline.Format("15:04")))
	}
	want := []string{
		"spring-menu@2027-03-09T09:30 09:42 ask 48121, approved by 07:30",
		"spring-menu@2027-03-11T17:45 17:46 ask 48260, approved by 15:45",
		"spring-menu@2027-03-13T11:00 11:11 ask a post of @partner_cafe #springmenu, approved by 09:00",
		"spring-menu@2027-03-16T09:30 09:39 ask 48207, approved by 07:30",
		"spring-menu@2027-03-18T17:45 17:52 ask 48121 renewed, approved by 15:45",
		"spring-menu@2027-03-20T11:00 11:09 ask 48207 renewed, approved by 09:00",
		"spring-menu@2027-03-23T09:30 09:30 ask 48260 renewed, approved by 07:30",
		"spring-menu@2027-03-25T17:45 17:52 ask a post of @partner_cafe #springmenu, approved by 15:45",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("have\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A link that is no post cannot be planned, and says so; a campaign of messages is not run.
func TestCampaignsThatAreNotPlanned(t *testing.T) {
	t.Parallel()
	file := func(what string) rules.Sources {
		return rules.Sources{"a.yaml": []byte("version: 1\nname: x\nstatus: live\ncampaigns:\n  - id: a\n    timezone: Europe/Lisbon\n    starts: 2027-03-08\n    ends: 2027-03-26\n" +
			"    slots: [Tue 09:30]\n" + what)}
	}
	all, problems := compiled(t, file("    do: repost\n    posts:\n      - link: https://social.example/ana\n")).Campaigns()
	if len(all) != 0 || len(problems) != 1 || !strings.Contains(problems[0].Text, "is not the address of a post") {
		t.Errorf("a profile: %v %v", all, problems)
	}
	all, problems = compiled(t, file("    do: message\n    texts: [hello]\n")).Campaigns()
	if len(all) != 0 || len(problems) != 0 {
		t.Errorf("messages: %v %v", all, problems)
	}
	all, problems = compiled(t, file("    do: publish\n    texts: [good morning, good evening]\n")).Campaigns()
	if len(problems) != 0 || len(all) != 1 || all[0].Each != 1 || all[0].Items[1].Text != "good evening" {
		t.Errorf("texts: %v %v", all, problems)
	}
}
