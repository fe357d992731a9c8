package emulator_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/platform"
	. "github.com/nectar-bot/nectar/platform/emulator"
)

func TestTogglesOfPosts(t *testing.T) {
	t.Parallel()
	p, account, a := signedIn(t, Config{})
	ana := p.AddPerson(Person{Username: "ana"})
	id := p.Post(ana, "theirs")
	closed := p.Post(p.AddPerson(Person{Username: "shy", Private: true}), "for friends")
	for _, c := range []struct {
		endpoint, key, flag string
		state               func() bool
		kinds               []EntryKind
	}{
		{"like_post", "like", "has_liked", func() bool { return p.Liked(account, id) }, []EntryKind{Liked, Unliked}},
		{
			"publication_repost", "repost", "has_reposted",
			func() bool { return p.Reposted(account, id) },
			[]EntryKind{Reposted, Unreposted},
		},
		{"add_bookmark", "bookmark", "has_saved", nil, nil},
	} {
		before := p.Ledger().Len()
		for _, on := range []bool{true, false} {
			got := a.post(c.endpoint, "post_id", text(id)).want(t, 200)
			if at(got.Data, c.key) != on || (c.state != nil && c.state() != on) {
				t.Errorf("%s: %s, want %v", c.endpoint, got.Body, on)
			}
			flag := at(a.get("thread_data", "thread_id", text(id)).Data, "post", c.flag)
			if flag != on {
				t.Errorf("%s: %s = %v, want %v", c.endpoint, c.flag, flag, on)
			}
		}
		var kinds []EntryKind
		for _, e := range p.Ledger().Since(before) {
			kinds = append(kinds, e.Kind)
			if !e.ByAPI || e.From != account || e.To != ana || e.Post != id {
				t.Errorf("entry %+v", e)
			}
		}
		if diff := cmp.Diff(c.kinds, kinds); diff != "" {
			t.Errorf("%s: %s", c.endpoint, diff)
		}
		a.post(c.endpoint, "post_id", "1").want(t, 400)
		a.post(c.endpoint, "post_id", text(closed)).want(t, 400)
		a.post(c.endpoint).want(t, 400)
	}
}

func TestFollow(t *testing.T) {
	t.Parallel()
	p, account, a := signedIn(t, Config{})
	ana := p.AddPerson(Person{Username: "ana"})
	shy := p.AddPerson(Person{Username: "shy", Private: true})
	foe := p.AddPerson(Person{Username: "foe"})
	p.Block(foe, account)
	follow := func(who platform.UserID, code int) any {
		t.Helper()
		return at(a.post("follow", "user_id", text(who)).want(t, code).Data, "follow")
	}
	flag := func(who platform.UserID, key string) any {
		return at(a.get("profile", "user_id", text(who)).Data, key)
	}
	if follow(ana, 200) != true || !p.Following(account, ana) || flag(ana, "is_following") != true {
		t.Error("ana is not followed")
	}
	if follow(ana, 200) != false || p.Following(account, ana) || flag(ana, "is_following") != false {
		t.Error("ana is still followed")
	}
	if follow(shy, 201) != false || !p.Requested(account, shy) || flag(shy, "follow_requested") != true {
		t.Error("shy was not asked")
	}
	if follow(shy, 200) != false || p.Requested(account, shy) {
		t.Error("shy is still asked")
	}
	follow(shy, 201)
	if p.Following(account, shy) || flag(shy, "can_view_profile") != false {
		t.Error("shy is followed before accepting")
	}
	if !p.Accept(shy, account) || !p.Following(account, shy) || flag(shy, "can_view_profile") != true {
		t.Error("shy is not followed after accepting")
	}
	rows := a.get("get_notifications", "type", "notifs").want(t, 200).Data
	if at(rows, 0, "subject") != "subscribe_accept" || at(rows, 0, "notifier_id") != num(shy) {
		t.Errorf("row %v", at(rows, 0))
	}
	follow(foe, 400)
	follow(account, 400)
	follow(1, 400)
	p.Block(ana, account)
	follow(ana, 400)
	p.Unblock(ana, account)
	follow(ana, 200)
	p.Block(ana, account)
	if p.Following(account, ana) {
		t.Error("a block leaves the follow in place")
	}
}

func TestFollowRequests(t *testing.T) {
	t.Parallel()
	p, account, a := signedIn(t, Config{})
	p.SetPrivacy(account, true, false)
	ana, leo, mia := p.AddPerson(Person{Username: "ana"}), p.AddPerson(Person{Username: "leo"}), p.AddPerson(Person{})
	for _, who := range []platform.UserID{ana, leo, mia} {
		p.Follow(who, account)
	}
	rows := a.get("follow_requests").want(t, 200).Data
	if diff := cmp.Diff([]any{num(mia), num(leo), num(ana)}, column(rows, "id")); diff != "" {
		t.Error(diff)
	}
	if at(rows, 1, "username") != "@leo" || at(rows, 1, "pending_req") != true || at(rows, 1, "followers") != nil {
		t.Errorf("row %v", at(rows, 1))
	}
	req := func(i int) string { return text(int64(at(rows, i, "offset_id").(float64))) }
	if got := a.post("accept_follow", "req_id", req(1)).want(t, 200); at(got.Data, "total") != float64(2) {
		t.Errorf("answer %s", got.Body)
	}
	if got := a.post("ignore_follow", "req_id", req(0)).want(t, 200); at(got.Data, "total") != float64(1) {
		t.Errorf("answer %s", got.Body)
	}
	a.post("accept_follow", "req_id", req(0)).want(t, 400)
	a.post("ignore_follow").want(t, 400)
	p.Unfollow(ana, account)
	a.get("follow_requests").want(t, 204)
	if !p.Following(leo, account) || p.Following(mia, account) || p.Following(ana, account) {
		t.Error("only leo follows")
	}
}

func TestBlockTellsItsStateInWordsOnly(t *testing.T) {
	t.Parallel()
	p, account, a := signedIn(t, Config{})
	ana := p.AddPerson(Person{Username: "ana"})
	for _, on := range []bool{true, false} {
		got := a.post("block_user", "user_id", text(ana)).want(t, 200)
		words := "User has been unblocked successfully"
		if on {
			words = "User has been blocked successfully"
		}
		if diff := cmp.Diff([]any{}, got.Data); diff != "" || got.Message != words || p.HasBlocked(account, ana) != on {
			t.Errorf("%s\n%s", got.Body, diff)
		}
		profile := a.get("profile", "user_id", text(ana)).want(t, 200)
		if at(profile.Data, "is_blocked_profile") != on || at(profile.Data, "is_blocked_visitor") != false {
			t.Errorf("profile %s", profile.Body)
		}
		if said := p.Say(ana, account, "hi"); (said == 0) != on {
			t.Errorf("blocked %v, message %d", on, said)
		}
	}
	a.post("block_user", "user_id", text(account)).want(t, 400)
}
