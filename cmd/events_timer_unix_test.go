//go:build unix

package cmd

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest/stored"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// sets leaves the bot with a timer that failed too often, or that no route is for.
func (o *office) sets(user, name, state string) string {
	o.t.Helper()
	timer := event.Timer{Key: event.Key{Account: "main", Peer: o.platform.UserID(user)}, Name: name, Occurrence: 17, Due: time.Now().Add(-time.Hour)}
	o.keep(func(st bot.Store) error {
		stored.Commit(st, stored.Write{Turn: &stored.Turn{
			Trigger: event.Trigger{Kind: event.ByRequest, Key: timer.Key, Choice: "set " + name}, Timers: []event.Timer{timer}, At: time.Now(),
		}})
		done := make(chan error, 1)
		w := stored.Write{Done: func(err error) { done <- err }, Orphans: []event.Timer{timer}}
		if state == record.TimerQuarantined {
			w.Orphans, w.Attempt = nil, &stored.Attempt{Timer: &timer, Tries: 5, Quarantined: true, Record: event.DecisionRecord{Note: "try 5: no idea"}, At: time.Now()}
		}
		stored.Commit(st, w)
		return <-done
	})
	return timer.ID()
}

// Timers that failed too often are listed and retried like events; those that no route is for are told.
func TestTimersInspected(t *testing.T) {
	o := newOffice(t)
	o.platform.AddPerson(emulator.Person{Username: "ana", FirstName: "Ana"})
	o.end(o.run()) // from now on the account is known
	id, orphan := o.sets("ana", "a cup of tea", record.TimerQuarantined), o.sets("ana", "cake", record.TimerOrphaned)
	is := regexp.QuoteMeta
	peer := fmt.Sprint(o.platform.UserID("ana"))

	o.says(`(?s)^SEEN +ID +WHO +WHAT +STATE +WHY\n.* `+is(id)+` +`+peer+` +timer "a cup of tea" +quarantined +try 5: no idea\n$`, "events", "--quarantined")
	o.says(`(?s)^SEEN +ID +WHO +WHAT +STATE +WHY\n.* `+is(orphan)+` +`+peer+` +timer "cake" +orphaned +the program has no route for it\n$`, "events", "--orphaned")
	o.says(`^nothing is pending\n$`, "events", "--pending")
	o.says(`^nothing has happened\n$`, "events")
	o.says(`^\{"account":"main","id":"`+is(id)+`","kind":"timer","peer":`+peer+`,"timer":"a cup of tea","seen_at":"[^"]+","state":"quarantined","tries":5,"note":"try 5: no idea"\}\n$`,
		"events", "--quarantined", "--json")
	o.says(`^`+is(id)+`: a timer that is due .*, with `+peer+`\nNothing was said: it failed 5 times and is quarantined. nectar events retry '`+is(id)+
		`' lets it be tried again. Last: try 5: no idea\n$`, "why", id)
	o.says(`Nothing was said: the program has no route or flow for it`, "why", orphan)
	o.says(`"kind":"timer".*"state":"orphaned".*"told":"Nothing was said: the program has no route`, "why", orphan, "--json")
	doctor := nectarIn(t, []string{"NECTAR_STORE=sqlite:" + filepath.Join(o.dir, "nectar.db")}, "doctor", "--env-file", filepath.Join(o.dir, ".env")).stdout
	for _, want := range []string{
		`odd      timers  `, `came due while the program had no route, flow or account for them, and wait for one that has: "cake" of account main (people: 1);`,
		"failed too often: 1; nectar events --quarantined lists them",
	} {
		if !strings.Contains(doctor, want) {
			t.Errorf("the doctor does not say %q:\n%s", want, doctor)
		}
	}
	o.refuses(1, orphan+" is orphaned, not quarantined; nectar events --quarantined lists what is quarantined", "events", "retry", orphan)
	o.refuses(1, "there is no timer timer:1/cake/17, or it had its turn; nectar events --quarantined lists what is quarantined", "events", "retry", "timer:1/cake/17")
	o.refuses(2, `"timer:cake" is no id of a timer: it is written like timer:90/reminder/17 (see nectar events retry --help)`, "events", "retry", "timer:cake")
	o.says(peer+`: asked for; no bot runs`, "events", "retry", id)
	o.says(`try 5: no idea; retry by \S+ asked for .*, waits for the bot\n$`, "events", "--quarantined")

	p := o.run() // it has no route for it either
	for range 1000 {
		if strings.Contains(o.nectar("events", "--orphaned").stdout, "a cup of tea") {
			break
		}
		<-time.After(20 * time.Millisecond)
	}
	o.says(`^nothing is quarantined\n$`, "events", "--quarantined")
	o.says(`(?s) timer "cake" +orphaned .* timer "a cup of tea" +orphaned`, "events", "--orphaned")
	o.end(p)
}
