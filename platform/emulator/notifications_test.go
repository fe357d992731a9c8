package emulator_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/platform"
	. "github.com/nectar-bot/nectar/platform/emulator"
)

func TestNotificationsTellWhatPeopleDid(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, account, a := signedIn(t, Config{})
		ana := p.AddPerson(Person{Username: "ana_k", FirstName: "Ana", Verified: true})
		a.get("get_notifications", "type", "notifs").want(t, 404)
		a.get("get_notifications", "type", "mentions").want(t, 404)
		a.get("get_notifications").want(t, 400)
		a.get("get_notifications", "type", "all").want(t, 400)
		own := p.Post(account, "news")
		p.Like(ana, own)
		p.Repost(ana, own)
		p.Follow(ana, account)
		p.Visit(ana, account)
		answer := p.Reply(ana, own, "nice, @nectar")
		named := p.Mention(ana, account, "look here")
		p.Like(account, own) // an own like tells nobody
		time.Sleep(2 * time.Hour)

		rows := a.get("get_notifications", "type", "notifs").want(t, 200).Data
		for key, want := range map[string][]any{
			"subject":   {"reply", "visit", "subscribe", "repost", "like"},
			"entry_id":  {num(answer), num(ana), num(ana), num(own), num(own)},
			"post_id":   {num(answer), nil, nil, num(own), num(own)},
			"time":      {"2 hours ago", "2 hours ago", "2 hours ago", "2 hours ago", "2 hours ago"},
			"status":    {"0", "0", "0", "0", "0"},
			"username":  {"ana_k", "ana_k", "ana_k", "ana_k", "ana_k"},
			"verified":  {"1", "1", "1", "1", "1"},
			"json":      {"[]", "[]", "[]", "[]", "[]"},
			"name":      {"Ana", "Ana", "Ana", "Ana", "Ana"},
			"recipient": {nil, nil, nil, nil, nil},
		} {
			if diff := cmp.Diff(want, column(rows, key)); diff != "" {
				t.Errorf("%s: %s", key, diff)
			}
		}
		ids := column(rows, "id")
		for i := 1; i < len(ids); i++ {
			if ids[i].(float64) >= ids[i-1].(float64) {
				t.Errorf("ids do not descend: %v", ids)
			}
		}
		rows = a.post("get_notifications", "type", "mentions").want(t, 200).Data
		if diff := cmp.Diff([]any{num(named)}, column(rows, "entry_id")); diff != "" {
			t.Error(diff)
		}
		if at(rows, 0, "notifier_id") != num(ana) || at(rows, 0, "recipient_id") != num(account) {
			t.Errorf("row %v", at(rows, 0))
		}
	})
}

func TestTakingBackTakesTheNotificationBack(t *testing.T) {
	t.Parallel()
	p, account, a := signedIn(t, Config{})
	ana := p.AddPerson(Person{Username: "ana"})
	own := p.Post(account, "news")
	first := func() any { return at(a.get("get_notifications", "type", "notifs").Data, 0, "id") }
	for name, c := range map[string]struct{ do, undo func() bool }{
		"like":   {func() bool { return p.Like(ana, own) }, func() bool { return p.Unlike(ana, own) }},
		"repost": {func() bool { return p.Repost(ana, own) }, func() bool { return p.Unrepost(ana, own) }},
		"follow": {func() bool { return p.Follow(ana, account) }, func() bool { return p.Unfollow(ana, account) }},
	} {
		if !c.do() || c.do() {
			t.Errorf("%s: the first changes, the second does not", name)
		}
		before := first()
		if !c.undo() || c.undo() {
			t.Errorf("undo %s: the first changes, the second does not", name)
		}
		if id := first(); id != nil {
			t.Errorf("%s: taken back, but row %v is there", name, id)
		}
		c.do()
		if again := first(); again == nil || again.(float64) <= before.(float64) {
			t.Errorf("%s: row %v after row %v", name, again, before)
		}
		c.undo()
	}
	reply := p.Reply(ana, own, "nice")
	if first() == nil || !p.DeletePost(ana, reply) || first() != nil {
		t.Error("a deleted reply is still told")
	}
}

func TestNotificationsPage(t *testing.T) {
	t.Parallel()
	p, account, a := signedIn(t, Config{})
	own := p.Post(account, "news")
	var likers []any
	for i := range 45 {
		id := p.AddPerson(Person{Username: fmt.Sprintf("p%d", i)})
		p.Like(id, own)
		likers = append([]any{num(id)}, likers...)
	}
	var got []any
	offset := "0"
	for _, want := range []int{20, 20, 5} {
		rows := a.get("get_notifications", "type", "notifs", "offset", offset).want(t, 200).Data
		from := column(rows, "notifier_id")
		if len(from) != want {
			t.Fatalf("%d rows, want %d", len(from), want)
		}
		got = append(got, from...)
		offset = fmt.Sprint(at(rows, want-1, "id"))
	}
	if diff := cmp.Diff(likers, got); diff != "" {
		t.Error(diff)
	}
	a.get("get_notifications", "type", "notifs", "offset", offset).want(t, 404)
	a.get("get_notifications", "type", "notifs", "offset", "2000000000").want(t, 200)
}

func TestDeleteNotifications(t *testing.T) {
	t.Parallel()
	p, account, a := signedIn(t, Config{})
	ana := p.AddPerson(Person{Username: "ana"})
	for range 3 {
		p.Mention(ana, account, "you")
	}
	p.Follow(ana, account)
	ids := func(kind platform.NotificationType) []any {
		return column(a.get("get_notifications", "type", string(kind)).Data, "id")
	}
	m := ids(platform.Mentions)
	a.post("delete_notifs").want(t, 400)
	a.post("delete_notifs", "scope", "x").want(t, 400)
	a.post("delete_notifs", "scope", fmt.Sprintf("[%v,%v]", m[0], ids(platform.Notifs)[0])).want(t, 200)
	a.post("delete_notifs", "scope[]", fmt.Sprint(m[2])).want(t, 200)
	if diff := cmp.Diff([]any{m[1]}, ids(platform.Mentions)); diff != "" || len(ids(platform.Notifs)) != 0 {
		t.Error(diff)
	}
}
