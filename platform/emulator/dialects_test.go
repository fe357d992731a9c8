package emulator_test

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/platform"
	. "github.com/nectar-bot/nectar/platform/emulator"
)

// stage is a small platform in some dialect, with what most answers need.
type stage struct {
	*api
	p            *Platform
	account, ana platform.UserID
	own, theirs  platform.PostID
}

func newStage(t *testing.T, d Dialect) stage {
	t.Helper()
	p, account, a := signedIn(t, Config{})
	s := stage{api: a, p: p, account: account}
	s.ana = p.AddPerson(Person{Username: "ana_k", FirstName: "Ana", Verified: true})
	p.SetDialect(d)
	s.own = p.Post(account, "own")
	s.theirs = p.Post(s.ana, "theirs")
	p.Say(s.ana, account, " hi <you> ")
	p.Like(s.ana, s.own)
	p.Follow(account, s.ana)
	return s
}

func (s stage) messages(pairs ...string) answer {
	s.t.Helper()
	return s.get("get_messages", append(pairs, "user_id", text(s.ana))...)
}

func (s stage) notifs() answer {
	s.t.Helper()
	return s.get("get_notifications", "type", "notifs")
}

func (s stage) login() answer {
	s.t.Helper()
	return s.post("login", "email", email, "password", password)
}

func (s stage) renew() answer {
	s.t.Helper()
	return s.post("refresh_access_token", "refresh_token", s.refresh)
}

// TestDialects asks, in each dialect, for the answer that differs.
func TestDialects(t *testing.T) {
	t.Parallel()
	own := func(s stage) any { return at(s.get("thread_data", "thread_id", text(s.own)).Data, "post") }
	chat := func(s stage, key string) any { return at(s.get("get_chats").Data, 0, key) }
	profile := func(s stage) any { return s.get("profile", "user_id", text(s.ana)).Data }
	for name, c := range map[string]struct {
		ask  func(stage) any
		want any
	}{
		"login-nested":    {func(s stage) any { return at(s.login().Data, "user", "user_name") }, "nectar"},
		"tokens-in-data":  {func(s stage) any { g := s.login(); return at(g.Data, "auth_token") != nil && g.Auth == nil }, true},
		"refresh-in-auth": {func(s stage) any { return s.renew().Auth["refresh_token"] != nil }, true},
		"expiry-millis": {func(s stage) any {
			return s.login().Auth["auth_token_expiry"].(float64) > float64(time.Now().UnixMilli())
		}, true},
		"expiry-absent": {func(s stage) any { return s.login().Auth["auth_token_expiry"] }, nil},
		"refresh-keeps": {func(s stage) any {
			return at(s.renew().Data, "refresh_token") == s.refresh && s.renew().Code == 200
		}, true},
		"refresh-omits": {func(s stage) any {
			return fmt.Sprint(at(s.renew().Data, "refresh_token"), s.renew().Code)
		}, "<nil> 200"},
		"old-session-lives": {func(s stage) any { s.renew(); return s.get("get_chats").Code }, 200},
		"unauthorized-400": {func(s stage) any {
			s.p.Revoke(s.account)
			return fmt.Sprint(s.get("get_chats").Code, s.renew().Code)
		}, "400 400"},
		"stale-is-anonymous": {func(s stage) any { s.p.Expire(s.account); return at(profile(s), "is_following") }, false},
		"status-follows-code": {func(s stage) any {
			s.post("clear_chat", "user_id", text(s.ana), "delete_chat", "1")
			return fmt.Sprint(s.get("profile").Status, s.get("get_chats").Status, s.post("follow", "user_id", "1").Status)
		}, "400 204 400"},
		"old-keys": {func(s stage) any {
			good, bad := s.get("get_chats").All, s.get("profile").All
			return []any{good["valid"], good["err_code"], bad["valid"], bad["err_code"]}
		}, []any{true, 0.0, false, "invalid_user_id"}},
		"error-code-key": {func(s stage) any { return s.get("profile").All["error_code"] }, "invalid_user_id"},
		"no-message":     {func(s stage) any { return s.get("get_chats").All["message"] }, nil},
		"code-last":      {func(s stage) any { return strings.HasPrefix(s.get("get_chats").Body, `{"data":[{`) }, true},
		"extra-keys": {func(s stage) any {
			g := s.get("get_chats")
			return g.All["build"] != nil && at(g.Data, 0, "build") != nil
		}, true},
		"wrong-charset": {func(s stage) any { return s.get("get_chats").Header.Get("Content-Type") }, "application/json; charset=ISO-8859-1"},
		"empty-list":    {func(s stage) any { return at(s.get("follow_requests").All) }, map[string]any{"code": 200.0, "data": []any{}, "message": "Fetched successfully"}},
		"empty-204":     {func(s stage) any { return s.get("get_notifications", "type", "mentions").Code }, 204},
		"empty-object":  {func(s stage) any { return s.get("follow_requests").Data }, map[string]any{}},
		"localised": {func(s stage) any {
			return fmt.Sprint(chat(s, "time"), " ", s.get("profile").Message, " ", s.post("block_user", "user_id", text(s.ana)).Message)
		}, "только что Запрос отклонён Пользователь заблокирован"},
		"toggle-nested": {func(s stage) any {
			return at(s.post("publication_repost", "post_id", text(s.theirs)).Data, "repost", "repost")
		}, true},
		"toggle-bare":       {func(s stage) any { return s.post("like_post", "post_id", text(s.theirs)).Data }, true},
		"toggle-silent":     {func(s stage) any { return s.post("like_post", "post_id", text(s.theirs)).Data }, []any{}},
		"lists-as-objects":  {func(s stage) any { return at(s.get("get_chats").Data, "0", "username") }, "ana_k"},
		"numbers-as-text":   {func(s stage) any { return fmt.Sprintf("%T", chat(s, "user_id")) }, "string"},
		"counts-as-numbers": {func(s stage) any { return at(own(s), "likes_count") }, 1.0},
		"flags-as-text":     {func(s stage) any { return fmt.Sprintf("%q", at(own(s), "is_owner")) }, `"1"`},
		"flags-as-numbers":  {func(s stage) any { return at(own(s), "has_liked") }, 0.0},
		"digits-as-flags":   {func(s stage) any { return chat(s, "verified") }, true},
		"unicode-escapes": {func(s stage) any {
			s.p.Say(s.ana, s.account, "ж/🙂")
			return strings.Contains(s.get("get_chats").Body, `"\u0436\/\ud83d\ude42"`)
		}, true},
		"raw-text":     {func(s stage) any { return chat(s, "last_message") }, "hi <you>"},
		"keeps-spaces": {func(s stage) any { return chat(s, "last_message") }, " hi &lt;you&gt; "},
		"at-names":     {func(s stage) any { return chat(s, "username") }, "@ana_k"},
		"no-at-names":  {func(s stage) any { return at(s.get("fetch_following").Data, 0, "username") }, "ana_k"},
		"last-cut": {func(s stage) any {
			s.p.Say(s.ana, s.account, strings.Repeat("я", 51))
			return chat(s, "last_message")
		}, strings.Repeat("я", 50) + "..."},
		"unread-number":       {func(s stage) any { s.p.MarkSeen(s.account, s.ana); return chat(s, "new_messages") }, 0.0},
		"unread-text":         {func(s stage) any { return chat(s, "new_messages") }, "1"},
		"no-get-messages":     {func(s stage) any { g := s.messages(); return g.Status == http.StatusNotFound && g.All == nil }, true},
		"no-get-messages-400": {func(s stage) any { return s.messages().Code }, 400},
		"newest-page-first": {func(s stage) any {
			ids := talk(s.p, s.ana, s.account, 30)
			return cmp.Diff(ids[28:], column(s.messages("offset_down", "1", "page_size", "2").Data, "id"))
		}, ""},
		"messages-descending": {func(s stage) any {
			s.p.Say(s.ana, s.account, "last")
			return at(s.messages().Data, 0, "message")
		}, "last"},
		"read-keeps-unseen": {func(s stage) any { s.messages(); return chat(s, "new_messages") }, 1.0},
		"page-cap": {func(s stage) any {
			talk(s.p, s.ana, s.account, 30)
			return len(column(s.messages("page_size", "50").Data, "id"))
		}, 20},
		"adverts": {func(s stage) any {
			return column(at(s.get("feeds", "page_size", "2").Data, "feeds"), "advertising")
		}, []any{false, true, false}},
		"code-in-status": {func(s stage) any { return at(s.notifs().All, "status") }, 200.0},
		"nameless": {func(s stage) any {
			return s.post("send_message", "user_id", text(s.ana), "type", "text", "message", "hi").Data
		}, []any{}},
		"no-code": {func(s stage) any {
			a := s.post("like_post", "post_id", "77").All
			return []any{at(a, "code"), at(a, "valid"), at(a, "err_code")}
		}, []any{nil, false, "invalid_post_id"}},
		"null-owners":      {func(s stage) any { o, ok := at(own(s), "owner").(map[string]any); return ok && o["username"] == nil }, true},
		"no-post-id":       {func(s stage) any { return at(s.notifs().Data, 0, "post_id") }, nil},
		"unknown-subjects": {func(s stage) any { return column(s.notifs().Data, "subject") }, []any{"like", "announcement"}},
		"reply-mentions-too": {func(s stage) any {
			s.p.Reply(s.ana, s.own, "@nectar yes")
			return at(s.get("get_notifications", "type", "mentions").Data, 0, "subject")
		}, "mention"},
		"fetch-reads": {func(s stage) any { s.notifs(); return at(s.notifs().Data, 0, "status") }, "1"},
		"visits-by-profile": {func(s stage) any {
			before := s.p.Ledger().Len()
			profile(s)
			return s.p.Ledger().Len() - before
		}, int64(1)},
		"profile-nested": {func(s stage) any { return at(profile(s), "user", "is_following") }, true},
		"replies-listed": {func(s stage) any {
			reply := s.p.Reply(s.account, s.theirs, "reply")
			return at(s.get("profile_posts", "user_id", text(s.account)).Data, "posts", 0, "id") == num(reply)
		}, true},
		"search-messages-old": {func(s stage) any {
			s.p.Say(s.ana, s.account, "hi again")
			return at(s.get("search_messages", "user_id", text(s.ana), "query", "hi").Data, 1, "message")
		}, "hi again"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := ParseDialect(name)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, c.ask(newStage(t, d))); diff != "" {
				t.Error(diff)
			}
			if reflect.DeepEqual(c.want, c.ask(newStage(t, Dialect{}))) {
				t.Errorf("the documented dialect answers the same")
			}
		})
	}
}

// Each switch has a dialect of its own.
func TestDialectsCoverEverySwitch(t *testing.T) {
	t.Parallel()
	covered := map[string]bool{}
	names := map[string]bool{}
	for _, d := range Dialects() {
		if names[d.Name] {
			t.Errorf("two dialects are called %s", d.Name)
		}
		names[d.Name] = true
		v := reflect.ValueOf(d.Dialect)
		var on []string
		for i := range v.NumField() {
			if !v.Field(i).IsZero() {
				on = append(on, v.Type().Field(i).Name)
			}
		}
		if len(on) <= 2 {
			for _, name := range on {
				covered[name] = true
			}
		}
	}
	kind := reflect.TypeFor[Dialect]()
	for field := range kind.Fields() {
		if !covered[field.Name] {
			t.Errorf("no dialect for %s", field.Name)
		}
	}
	if _, err := ParseDialect("klingon"); err == nil || !strings.Contains(err.Error(), "classic") {
		t.Errorf("ParseDialect: %v", err)
	}
}

// Who reads of a dialect can tell what a deployment was seen to do from what we made up.
func TestDialectsSayWhereTheyWereSeen(t *testing.T) {
	names := map[string]bool{}
	for _, d := range Dialects() {
		if names[d.Name] {
			t.Errorf("%s stands there twice", d.Name)
		}
		names[d.Name] = true
		if word := strings.FieldsFunc(d.Seen, func(r rune) bool { return r == ':' || r == ' ' }); len(word) == 0 || !slices.Contains([]string{"documentation", "client", "invented", "a"}, word[0]) {
			t.Errorf("%s was seen %q", d.Name, d.Seen)
		}
	}
}
