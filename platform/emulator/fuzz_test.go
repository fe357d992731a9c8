package emulator_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	. "github.com/nectar-bot/nectar/platform/emulator"
)

// FuzzCalls sends forms that no client would send: each gets an envelope, in every dialect.
func FuzzCalls(f *testing.F) {
	for _, seed := range []struct{ name, form string }{
		{"send_message", "user_id=12&type=text&message=hi"},
		{"get_messages", "user_id=12&offset_up=501&offset_down=999&page_size=-1"},
		{"publish_post", "post_text=@ana+%23tag&thread_id=201&poll_data=[]"},
		{"get_notifications", "type=notifs&offset=x"},
		{"profile_posts", "user_id=12&type=liked&offset=9223372036854775807"},
		{"delete_notifs", "scope=[1,2]&scope[]=3"},
		{"search_messages", "user_id=12&query=%ff"},
		{"follow", "user_id=14"},
		{"block_user", "user_id=14"},
		{"clear_chat", "user_id=12&delete_chat=1"},
		{"thread_data", "thread_id=202"},
		{"like_post", "post_id=202"},
		{"fetch_likes", "post_id=202"},
	} {
		f.Add(seed.name, seed.form, uint8(0))
	}
	dialects := Dialects()
	f.Fuzz(func(t *testing.T, name, form string, dialect uint8) {
		p := New(Config{})
		account := p.AddAccount(Person{Username: "nectar"}, email, password)
		ana := p.AddPerson(Person{Username: "ana"})
		p.Say(ana, account, "hi")
		p.Like(ana, p.Post(account, "news"))
		in := serve(t, p, "login", url.Values{"email": {email}, "password": {password}}.Encode())
		var signIn struct{ Auth map[string]any }
		if err := json.Unmarshal(in.Body.Bytes(), &signIn); err != nil {
			t.Fatal(err)
		}
		token, _ := signIn.Auth["auth_token"].(string)
		d := dialects[int(dialect)%len(dialects)]
		p.SetDialect(d.Dialect)
		for range 2 {
			got := serve(t, p, name, form+"&session_id="+token)
			if got.Code == http.StatusNotFound && strings.HasPrefix(got.Body.String(), "<!DOCTYPE") ||
				got.Code == http.StatusNoContent && got.Body.Len() == 0 {
				continue
			}
			var envelope map[string]any
			if err := json.Unmarshal(got.Body.Bytes(), &envelope); err != nil || envelope["code"] == nil && envelope["status"] == nil && envelope["valid"] == nil {
				t.Fatalf("%s in %s: %v in %s", name, d.Name, err, got.Body)
			}
		}
	})
}

func serve(t *testing.T, p *Platform, name, form string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mobile_api/x", strings.NewReader(form))
	r.URL.Path = "/mobile_api/" + name
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w
}
