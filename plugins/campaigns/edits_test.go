package campaigns_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
)

// edit saves the campaign with other words, and lets that be seen.
func (f *filed) edit(changes ...string) {
	f.t.Helper()
	f.write("50-menu.yaml", strings.NewReplacer(changes...).Replace(f.menuFile()))
	f.Advance(5 * time.Minute)
}

// counts checks how often people were told something.
func (d *market) counts(want int, part string) {
	d.t.Helper()
	if told := d.told(); strings.Count(told, part) != want {
		d.t.Errorf("people are told %d times, and not %d, that %s:\n%s", strings.Count(told, part), want, part, told)
	}
}

// asks asks something of the campaigns, and checks the answer.
func (d *market) asks(subject, text, want string) {
	d.t.Helper()
	if a := d.Account("bot").Tell("campaigns/"+subject, text); a.Note != want {
		d.t.Errorf("%s %s: the answer is %s %q, and not %q", subject, text, a.Outcome, a.Note, want)
	}
}

// repost is the line of a repost by Ledger.
func (f *filed) repost(at string, n int) string { return fmt.Sprintf("%s repost %d", at, f.posts[n]) }

// runMenu runs a test with the campaign in a file; meanwhile is what the bot does between two steps of it.
func runMenu(t *testing.T, test func(f *filed, meanwhile func())) {
	t.Helper()
	runFile(t, (*filed).menuFile, test)
}

// runFile is runMenu with another file.
func runFile(t *testing.T, content func(f *filed) string, test func(f *filed, meanwhile func())) {
	t.Helper()
	for name, meanwhile := range map[string]func(f *filed){
		"undisturbed": func(*filed) {}, "restarts": func(f *filed) { f.Restart() }, "crashes": func(f *filed) { f.Crash() },
	} {
		if effort.Few() && name != "crashes" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			inFiles(t, nil, func(f *filed) { f.write("50-menu.yaml", content(f)) }, func(f *filed) { test(f, func() { meanwhile(f) }) })
		})
	}
}

// waiting checks that the n-th post waits for approval in a slot.
func (f *filed) waiting(clock string, n int) {
	f.t.Helper()
	for _, a := range f.held() {
		if strings.Contains(a.Key, clock) && a.Post == f.posts[n] {
			return
		}
	}
	f.t.Errorf("at %s %d does not wait for approval, but: %+v", clock, f.posts[n], f.held())
}

const waits = "An edit of the campaigns waits: it "

// What removes a slot waits until people have seen it, over starts, and its team is told once. What only adds is in force at once.
func TestEditWaits(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	runMenu(t, func(f *filed, meanwhile func()) {
		f.edit("      - Sun 09:30\n", "      - Sun 09:30\n      - Sun 12:30\n")
		f.counts(0, waits)
		meanwhile()
		f.edit("      - Sat 12:45\n", "", "      - Sun 09:30\n", "      - Sun 09:30\n      - Sun 12:30\n")
		meanwhile()
		f.Advance(time.Minute)
		f.counts(1, waits+"removes 2")
		f.until("03-13 13:00")
		f.same(f.repost("03-13 14:30", 0), f.repost("03-13 17:45", 1))
		meanwhile()
		f.asks("apply", "", "in force now: the edit removes 1")
		meanwhile()
		f.asks("apply", "", "no edit of the campaigns waits")
		f.until("03-14 10:00")
		f.same(f.repost("03-13 14:30", 0), f.repost("03-13 17:45", 1), f.repost("03-14 13:30", 2))
		f.counts(1, waits)
		if s := f.stored(); s.Waiting != nil || len(s.Campaigns) != 1 || len(s.Campaigns[0].Lines) != 3 {
			t.Errorf("in force is %+v", s)
		}
	})
}

// Of a post that an edit takes out nothing comes until people have seen the edit, and nothing in its place. Its team is told at once, and again an hour
// before its slot stays empty.
func TestEditThatTakesAPostOut(t *testing.T) {
	t.Parallel()
	runMenu(t, func(f *filed, meanwhile func()) {
		const empty = "stays empty: an edit waits that takes out or rewords"
		f.edit(fmt.Sprintf("      - link: https://social.example/thread/%d\n", f.posts[1]), "")
		f.counts(1, waits+"uses 4 otherwise")
		meanwhile()
		f.until("03-13 11:35")
		f.counts(0, empty)
		meanwhile()
		f.until("03-13 11:55")
		f.counts(1, "spring-menu@2027-03-13T12:45 "+empty)
		meanwhile()
		f.until("03-13 13:00")
		f.same(f.repost("03-13 14:30", 0))
		f.asks("apply", "", "in force now: the edit changes no slot")
		meanwhile()
		f.until("03-14 10:00")
		f.same(f.repost("03-13 14:30", 0), f.repost("03-14 13:30", 2))
		f.counts(1, empty)
		f.counts(1, waits)
	})
}

// What people have approved does not come either once an edit waits that takes it out; taken back in time, the edit changes nothing.
func TestEditThatTakesOutWhatIsApproved(t *testing.T) {
	t.Parallel()
	runMenu(t, func(f *filed, meanwhile func()) {
		ask := []string{"status: live", "status: ask", "    if_missed", "    approve: { who: marketing, at_least: 1h before }\n    if_missed"}
		f.edit(ask...)
		f.approve()
		link := func(n int) string { return fmt.Sprintf("      - link: https://social.example/thread/%d\n", f.posts[n]) }
		f.edit(append(ask, link(0), "")...)
		meanwhile()
		f.until("03-13 10:00")
		f.same()
		f.edit(append(ask, link(1), "")...)
		f.edit(ask...)
		meanwhile()
		f.until("03-13 13:00")
		f.same(f.repost("03-13 17:45", 1))
	})
}

// Who puts an edit in force while no bot runs is not called about it by the next start; who asks for something else is, once.
func TestEditAppliedWhileDown(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	runMenu(t, func(f *filed, meanwhile func()) {
		ask := func(subject, text string) {
			f.Ask(event.Request{Key: event.Own("bot"), Wish: event.WishTell, Subject: "campaigns/" + subject, Text: text, By: "mia"})
		}
		f.Stop()
		f.write("50-menu.yaml", strings.Replace(f.menuFile(), "      - Sat 12:45\n", "", 1))
		ask("skip", "spring-menu@2027-03-14T09:30")
		ask("apply", "")
		f.Start()
		meanwhile()
		f.Advance(time.Minute)
		f.counts(0, waits)
		if s := f.stored(); s.Waiting != nil || len(s.Campaigns[0].Lines) != 2 {
			t.Errorf("in force is %+v, and %+v waits", s.Campaigns[0].Lines, s.Waiting)
		}
		f.Stop()
		f.write("50-menu.yaml", strings.Replace(f.menuFile(), "      - Sun 09:30\n", "", 1))
		ask("unskip", "spring-menu@2027-03-14T09:30")
		f.Start()
		meanwhile()
		f.Advance(time.Minute)
		f.counts(1, waits)
	})
}

// An edit that was undone waits no more, and people are told; of several edits the newest counts; a more careful status does so
// at once, and is not undone by what waits.
func TestEditOfAnEdit(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	runMenu(t, func(f *filed, meanwhile func()) {
		f.edit("      - Sat 12:45\n", "")
		meanwhile()
		f.edit()
		f.counts(1, "was taken back: nothing waits any more")
		meanwhile()
		f.edit("Sat 09:30", "Sat 09:45")
		f.edit("Sat 09:30", "Sat 09:50", "      - Sat 12:45\n", "")
		meanwhile()
		f.counts(1, waits+"moves 2\n")
		f.counts(1, waits+"moves 2, removes 2")
		f.edit("Sat 09:30", "Sat 09:50", "      - Sat 12:45\n", "", "status: live", "status: watch")
		meanwhile()
		f.until("03-13 13:00")
		f.same()
		f.says("03-13T09:30 watch")
		f.says("03-13T12:45 watch")
		if w := f.stored().Waiting; w == nil || w.Since.After(spring.Add(time.Hour)) {
			t.Errorf("what waits is %+v", w)
		}
	})
}

// A file that is removed waits, and so does a campaign that gets another id; what was edited while the bot was down does, too.
func TestRemovedFileWaits(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	runMenu(t, func(f *filed, meanwhile func()) {
		f.write("10-faq.yaml", faq)
		f.Stop()
		f.edit("id: spring-menu", "id: autumn-menu", "status: live", "status: watch")
		f.Start()
		f.Advance(time.Minute)
		f.counts(1, waits+"removes 5, adds 5")
		f.remove("50-menu.yaml")
		f.until("03-13 10:00")
		f.same(f.repost("03-13 14:30", 0))
		f.counts(1, waits+"removes 5\n")
		meanwhile()
		f.asks("apply", "", "in force now: the edit removes 4")
		f.until("03-13 13:00")
		f.same(f.repost("03-13 14:30", 0))
		meanwhile()
		f.edit() // it is put back: what was missed stays missed
		f.until("03-14 10:00")
		f.same(f.repost("03-13 14:30", 0), f.repost("03-14 13:30", 1))
	})
}

// A slot that has happened is not there a second time under another clock, whether its edit waits or not.
func TestEditAfterTheSlot(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	runMenu(t, func(f *filed, meanwhile func()) {
		f.until("03-13 09:45")
		f.edit("Sat 09:30", "Sat 10:00", "ends: 2027-03-20", "ends: 2027-03-19") // no other Saturday is moved
		meanwhile()
		f.until("03-13 11:00")
		f.same(f.repost("03-13 14:30", 0))
		f.counts(1, waits)
		f.asks("apply", "", "in force now: the edit removes 2")
		f.until("03-13 13:00")
		f.same(f.repost("03-13 14:30", 0), f.repost("03-13 17:45", 1))
	})
}

// With apply: at_once nothing waits.
func TestApplyAtOnce(t *testing.T) {
	t.Parallel()
	inFiles(t, nil, func(f *filed) {
		f.write("settings.yaml", "version: 1\ntimezone: America/New_York\nwho: { marketing: {} }\napply: at_once\n")
		f.write("50-menu.yaml", f.menuFile())
	}, func(f *filed) {
		f.edit("      - Sat 12:45\n", "")
		f.counts(0, waits)
		f.until("03-13 13:00")
		f.same(f.repost("03-13 14:30", 0))
	})
}

// What is prepared stays so while the edit waits that voids it, and is asked for anew when that is in force.
func TestEditVoidsAnApproval(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	runMenu(t, func(f *filed, meanwhile func()) {
		ask := []string{"status: live", "status: ask", "    if_missed", "    approve: { who: marketing, at_least: 1h before }\n    if_missed"}
		f.edit(ask...)
		if n := len(f.held()); n != 2 {
			t.Fatalf("%d slots wait for approval", n)
		}
		post := fmt.Sprintf("      - link: https://social.example/thread/%d\n", f.posts[1])
		f.edit(append(ask, post, "")...)
		meanwhile()
		f.counts(1, "marketing "+waits)
		f.waiting("12:45", 1)
		f.asks("apply", "", "in force now: the edit voids 1 prepared, uses 4 otherwise")
		f.Advance(time.Minute)
		meanwhile()
		f.waiting("12:45", 2)
		f.approve()
		f.until("03-13 13:00")
		f.same(f.repost("03-13 14:30", 0), f.repost("03-13 17:45", 2))
	})
}

// With an edit at once, what waits as the file became live is not asked for any more, and comes once.
func TestNoApprovalAnyMore(t *testing.T) {
	t.Parallel()
	runMenu(t, func(f *filed, meanwhile func()) {
		f.edit("status: live", "status: ask", "    if_missed", "    approve: { who: marketing, at_least: 1h before }\n    if_missed")
		f.waiting("09:30", 0)
		f.edit()
		meanwhile()
		f.until("03-13 10:00")
		f.same(f.repost("03-13 14:30", 0))
		for _, a := range f.held() {
			if strings.HasSuffix(a.Key, "09:30") {
				t.Errorf("it still waits for its approval: %+v", a)
			}
		}
	})
}

// An edit that has waited until the slots were over that it takes away is in force then: there is nothing left to see.
func TestEditThatWaitedLong(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	runMenu(t, func(f *filed, meanwhile func()) {
		f.edit("ends: 2027-03-20", "ends: 2027-03-14")
		f.counts(1, waits+"removes 2\n")
		f.asks("apply", "", "in force now: the edit removes 2")
		f.edit("ends: 2027-03-20", "ends: 2027-03-14", "      - Sat 12:45\n", "", "      - Sun 09:30\n", "      - Sun 09:30\n      - Sun 10:30\n")
		f.counts(1, waits+"removes 1, adds 1")
		meanwhile()
		f.until("03-13 13:00")
		meanwhile()
		if w := f.stored().Waiting; w != nil {
			t.Errorf("it still waits: %+v", w)
		}
		f.until("03-14 11:00")
		f.same(f.repost("03-13 14:30", 0), f.repost("03-13 17:45", 1), f.repost("03-14 13:30", 2), f.repost("03-14 14:30", 3))
		f.asks("apply", "", "no edit of the campaigns waits")
	})
}

// After its last slot an edit of a campaign only adds; what was told of its end is told again at the next one.
func TestEditAfterTheLastSlot(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	runMenu(t, func(f *filed, meanwhile func()) {
		f.edit("ends: 2027-03-20", "ends: 2027-03-13", "      - Sun 09:30\n", "")
		f.asks("apply", "", "in force now: the edit removes 3")
		f.until("03-14 01:00")
		f.counts(1, "is over: 2 published, 0 skipped")
		meanwhile()
		f.edit("ends: 2027-03-20", "ends: 2027-03-14")
		f.counts(1, waits)
		f.until("03-15 01:00")
		f.counts(1, "is over: 3 published, 0 skipped")
	})
}
