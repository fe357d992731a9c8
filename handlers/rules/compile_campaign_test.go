package rules_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/rules/check"
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

// campaignFile is a file of one campaign, which lasts from 8 to 26 March 2027.
func campaignFile(what string) rules.Sources {
	return rules.Sources{"a.yaml": []byte("version: 1\nname: x\nstatus: live\ncampaigns:\n  - id: a\n    timezone: Europe/Lisbon\n    starts: 2027-03-08\n" + what)}
}

// What texts, slots and repeat say is planned as it is written.
func TestCampaignsAreCompiled(t *testing.T) {
	t.Parallel()
	one := func(what string) *campaigns.Campaign {
		t.Helper()
		all, problems := compiled(t, campaignFile(what)).Campaigns()
		if len(problems) > 0 || len(all) != 1 {
			t.Fatal(all, problems)
		}
		return all[0]
	}
	c := one("    ends: 2027-03-26\n    do: publish\n    texts: [good morning, good evening]\n    slots: [Tue 09:30, { at: 2027-03-18 12:00, text: noon }, { at: 2027-03-19 12:00, text: good evening }]\n" +
		"    except: [2027-03-16]\n    repeat: { each_text: 2 times, gap: 1d }\n")
	if c.Each != 2 || len(c.Items) != 3 || c.Items[1].Text != "good evening" || c.Items[1].Only || !c.Items[2].Only || c.Items[2].Text != "noon" {
		t.Errorf("items: %+v", c.Items)
	}
	if own := c.Lines[1].Own; own != campaigns.TextKey("noon") || c.Lines[2].Own != campaigns.TextKey("good evening") || c.Lines[0].Own != "" {
		t.Errorf("slots: %+v", c.Lines)
	}
	if len(c.Except) != 1 || c.Except[0].String() != "2027-03-16" {
		t.Errorf("except %v", c.Except)
	}
	src := campaignFile("    ends: 2027-03-26\n    do: publish\n    texts: [\"asparagus {{ saved: tags }}\", plums]\n    slots: [Tue 09:30]\n")
	src["replies.yaml"] = []byte("version: 1\nreplies: { tags: \"#spring\" }\n")
	all, problems := compiled(t, src).Campaigns()
	if len(problems) > 0 || all[0].Items[0].Text != "asparagus #spring" || all[0].Items[0].Key != campaigns.TextKey("asparagus #spring") {
		t.Errorf("%v: with a saved reply it says %+v", problems, all[0].Items)
	}
	c = one("    ends: never\n    do: repost\n    posts: [{ link: https://social.example/thread/1 }]\n    slots: [Tue 09:30, { at: 2027-03-18 12:00, post: https://social.example/thread/2 }]\n" +
		"    limits: { total: 1 per 1d, whole_campaign: 5 }\n    repeat: { gap: 7d, how: undo_then_repost, stop_after: 20 times, until_older: 1y }\n")
	if c.Ends != (text.Day{}) || c.StopAfter != 20 || c.UntilOlder != 365*24*time.Hour || c.Each != 0 || !c.Renews || c.Whole != 5 || c.Lines[1].Own != campaigns.PostKey(2) {
		t.Errorf("it is %+v", c)
	}
	c = one("    ends: 2027-03-26\n    do: repost\n    posts: [{ link: https://social.example/thread/1 }]\n    slots: [Tue 09:30]\n")
	if c.Each != 1 || c.StopAfter != 0 || c.Whole != 0 || c.Report != nil || c.Stop.Replies {
		t.Errorf("it is %+v", c)
	}
}

// Each account has its own campaigns, and nobody those that name none where several act by the files.
func TestCampaignsOfAccounts(t *testing.T) {
	t.Parallel()
	const rest = "    do: repost\n    timezone: Europe/Lisbon\n    starts: 2027-03-08\n    ends: 2027-03-26\n    slots: [Tue 09:30]\n    posts: [{ link: https://social.example/thread/1 }]\n"
	file := func(accounts ...string) rules.Sources {
		s := "version: 1\nstatus: live\ncampaigns:\n"
		for i, a := range accounts {
			s += fmt.Sprintf("  - id: c%d\n", i) + a + rest
		}
		return rules.Sources{"a.yaml": []byte(s)}
	}
	ids := func(v *rules.Version, account event.Account) (ids string) {
		t.Helper()
		all, problems := v.CampaignsOf(account)
		for _, c := range all {
			if ids += c.ID + " "; c.Account != account {
				t.Errorf("%s is of %q", c.ID, c.Account)
			}
		}
		if len(problems) > 0 {
			t.Error(problems)
		}
		return ids
	}
	const shop = "    account: shop\n"
	two := rules.ForAccounts("main", "shop")
	v, report := check.Check(file(shop, "    account: main\n", shop), two)
	if v == nil {
		t.Fatal(report.Problems)
	}
	if ids(v, "shop") != "c0 c2 " || ids(v, "main") != "c1 " || ids(v, "bar") != "" {
		t.Errorf("shop has %s, main has %s", ids(v, "shop"), ids(v, "main"))
	}
	several, report := check.Check(file("    account: [shop, main]\n", shop), two)
	if several == nil {
		t.Fatal(report.Problems)
	}
	if ids(several, "shop") != "c0@shop c1 " || ids(several, "main") != "c0@main " {
		t.Errorf("shop has %s, main has %s", ids(several, "shop"), ids(several, "main"))
	}
	if all, _ := several.CampaignsOf("main"); all[0].Behind != 2*time.Minute || all[0].Of != "c0" {
		t.Errorf("the second account comes %v behind the first, and is of %q", all[0].Behind, all[0].Of)
	}
	for accounts, want := range map[string]string{"[shop, shop]": "shop is there twice", "[shop, cafe]": `there is no account "cafe"`} {
		if v, report := check.Check(file("    account: "+accounts+"\n"), two); v != nil || !strings.Contains(report.Problems.Error(), want) {
			t.Errorf("%s: %v", accounts, report.Problems)
		}
	}
	// What is wrong with its slots is told as of any other campaign, once.
	near := strings.NewReplacer("[Tue 09:30]", "[Tue 09:30, Tue 10:00]\n    keep_apart: 90m").Replace
	for _, accounts := range []string{shop, "    account: [shop, main]\n"} {
		src := file(accounts)
		src["a.yaml"] = []byte(near(string(src["a.yaml"])))
		v, report := check.Check(src, two)
		if bad := report.Problems.Errors(); v != nil || len(bad) != 1 || !strings.Contains(bad.Error(), "write Tue 11:00") {
			t.Errorf("%s: %v", accounts, report.Problems)
		}
	}
	if v, _ := check.Check(file(""), two); v != nil {
		t.Error("a campaign of two accounts may name none")
	}
	for _, options := range [][]rules.Option{nil, {rules.ForAccounts("main")}} {
		v, report := check.Check(file(""), options...)
		if v == nil {
			t.Fatal(report.Problems)
		}
		if got := ids(v, "main"); got != "c0 " {
			t.Errorf("the only account has %s", got)
		}
	}
	if v, report := check.Check(file(shop), rules.ForAccounts("main")); v != nil || len(report.Problems.Errors()) != 1 {
		t.Errorf("an account that is not there: %v", report.Problems)
	}
}

// What settings say of publishing and of edits.
func TestPublishingSettings(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]struct {
		budget  campaigns.Budget
		written bool
		atOnce  bool
	}{
		"": {campaigns.DefaultBudget, false, false},
		"publishing: { most: 12 per 1d, at_least_apart: 10m }\napply: at_once\n": {campaigns.Budget{Most: text.Limit{Max: 12, Per: 24 * time.Hour}, Apart: 10 * time.Minute}, true, true},
		"publishing: { most: 3 per 2h }\n":                                       {campaigns.Budget{Most: text.Limit{Max: 3, Per: 2 * time.Hour}, Apart: 2 * time.Minute}, true, false},
		"publishing: { at_least_apart: 0s }\n":                                   {campaigns.Budget{Most: text.Limit{Max: 24, Per: 24 * time.Hour}}, true, false},
	} {
		v := compiled(t, rules.Sources{rules.SettingsFile: []byte("version: 1\n" + written), "a.yaml": []byte("version: 1\nrules: []\n")})
		if b, is := v.Budget(); b != want.budget || is != want.written || v.AppliesAtOnce() != want.atOnce {
			t.Errorf("%q is %v %v, at once: %v", written, b, is, v.AppliesAtOnce())
		}
	}
}
