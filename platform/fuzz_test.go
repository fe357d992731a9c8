package platform_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"html"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/platform"
)

// seed adds the bodies of the golden files.
func seed(f *testing.F) {
	f.Helper()
	bodies, err := filepath.Glob("testdata/golden/*/*.body")
	if err != nil || len(bodies) == 0 {
		f.Fatal("no golden files", err)
	}
	for _, path := range bodies {
		body, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
	}
}

// shallow reports whether a body nests no deeper than the client reads.
func shallow(body []byte) bool {
	return bytes.Count(body, []byte("["))+bytes.Count(body, []byte("{")) < 100
}

// members decodes a JSON object with encoding/json, member by member, in order.
func members(data []byte) (keys []string, values []json.RawMessage, ok bool) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil, nil, false
	}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, nil, false
		}
		var v json.RawMessage
		if err := decoder.Decode(&v); err != nil {
			return nil, nil, false
		}
		name, _ := key.(string)
		keys, values = append(keys, name), append(values, v)
	}
	return keys, values, true
}

// member returns the last member with a key.
func member(data []byte, key string) json.RawMessage {
	keys, values, _ := members(data)
	for i, name := range slices.Backward(keys) {
		if name == key {
			return values[i]
		}
	}
	return nil
}

// textOf reads a JSON string, or the digits of a number.
func textOf(data json.RawMessage) string {
	var s string
	if json.Unmarshal(data, &s) == nil {
		return s
	}
	var n json.Number
	if json.Unmarshal(data, &n) == nil {
		return n.String()
	}
	return ""
}

// numberOf reads a number, also from a string.
func numberOf(data json.RawMessage) (int64, bool) {
	var s string
	if json.Unmarshal(data, &s) == nil && strings.ContainsRune(string(data), '\\') {
		return 0, false // numbers are not written with escapes; the client does not read such
	}
	s = strings.TrimSpace(textOf(data))
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, true
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil && f > -(1<<53) && f < 1<<53 {
		return int64(f), true
	}
	return 0, false
}

var entity = regexp.MustCompile(`&[^&;]{1,31};`)

// chatsOf reads a chat list by encoding/json. It reports false for what is no list.
func chatsOf(data json.RawMessage) (chats []platform.Chat, ok bool) {
	var items []json.RawMessage
	switch trimmed := bytes.TrimSpace(data); {
	case len(trimmed) > 0 && trimmed[0] == '[':
		if json.Unmarshal(trimmed, &items) != nil {
			return nil, false
		}
	case len(trimmed) > 0 && trimmed[0] == '{':
		keys, values, _ := members(trimmed)
		for _, key := range keys {
			if key == "" || strings.Trim(key, "0123456789") != "" {
				return nil, false
			}
		}
		items = values
	default:
		return nil, slices.Contains([]string{"", "null", "false", `""`, "0", `"0"`}, string(trimmed))
	}
	for _, item := range items {
		if _, _, isObject := members(item); !isObject {
			continue
		}
		peer, _ := numberOf(member(item, "user_id"))
		chat, _ := numberOf(member(item, "chat_id"))
		unread, _ := numberOf(member(item, "new_messages"))
		if peer == 0 {
			continue
		}
		prose := func(key string) string {
			return entity.ReplaceAllStringFunc(textOf(member(item, key)), html.UnescapeString)
		}
		chats = append(chats, platform.Chat{
			Peer: platform.UserID(peer), Chat: platform.ChatID(chat), Unread: int(unread),
			Username: strings.TrimPrefix(strings.TrimSpace(textOf(member(item, "username"))), "@"),
			Name:     prose("name"), Last: prose("last_message"), Time: prose("time"),
		})
	}
	return chats, len(items) == 0 || len(chats) > 0
}

func FuzzChatRows(f *testing.F) {
	seed(f)
	f.Add(chatList(3))
	f.Fuzz(func(t *testing.T, body []byte) {
		client := answering(t, string(body))
		chats, chatsErr := client.Chats(t.Context())
		// However it is divided on its way, it is the same list.
		for _, piece := range []int{1, 7, 100} {
			slow := clientOf(t, platform.Config{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
				resp := respond(r, http.StatusOK, "")
				resp.Body, resp.ContentLength = io.NopCloser(&pieces{body, piece}), -1
				return resp, nil
			})})
			rows, _, rowsErr := readRows(t, slow)
			if kind(chatsErr) != kind(rowsErr) || (chatsErr == nil || kind(chatsErr) == "cut") && len(chats) != len(rows) {
				t.Fatalf("Chats: %d rows, %v; ChatRows: %d rows, %v", len(chats), chatsErr, len(rows), rowsErr)
			}
			for i, want := range chats {
				if got := rows[i]; got.Chat != want || got.Peer != want.Peer || got.Unread != want.Unread || got.Time != want.Time {
					t.Errorf("row %d: got %+v, want %+v", i, got, want)
				}
			}
		}
		// What encoding/json accepts, it must read in the same way.
		code, _ := numberOf(member(body, "code"))
		if !json.Valid(body) || !shallow(body) || code != 200 {
			return
		}
		want, isList := chatsOf(member(body, "data"))
		if isList != (chatsErr == nil) {
			t.Fatalf("encoding/json finds a list: %v; got %v", isList, chatsErr)
		}
		if diff := cmp.Diff(want, chats); isList && diff != "" {
			t.Errorf("encoding/json reads otherwise (-want +got):\n%s", diff)
		}
	})
}

// pieces is a body that arrives piece by piece.
type pieces struct {
	body []byte
	size int
}

// Read implements io.Reader.
func (p *pieces) Read(b []byte) (int, error) {
	n := copy(b[:min(len(b), p.size)], p.body)
	if p.body = p.body[n:]; n == 0 && len(b) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

func FuzzEnvelope(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		err := answering(t, string(body)).Logout(t.Context())
		var refused *platform.Refused
		var unreadable *platform.Unreadable
		switch {
		case err == nil:
		case errors.As(err, &refused):
			if refused.Code >= 200 && refused.Code <= 299 && refused.Code != 204 {
				t.Errorf("a refusal with code %d", refused.Code)
			}
			if !utf8.ValidString(refused.Message) || len(refused.Message) > 500 {
				t.Errorf("message: %q", refused.Message)
			}
		case errors.As(err, &unreadable):
			if !utf8.Valid(unreadable.Head) || len(unreadable.Head) > 200 {
				t.Errorf("head: %q", unreadable.Head)
			}
		default:
			t.Errorf("an error of no kind: %v", err)
		}
		if !json.Valid(body) || !shallow(body) {
			return
		}
		code, known := numberOf(member(body, "code"))
		if _, _, isObject := members(body); !isObject || !known {
			return
		}
		success := code >= 200 && code <= 299 && code != 204
		if unreadable != nil || success != (err == nil) || refused != nil && int64(refused.Code) != code {
			t.Errorf("code %d: got %v", code, err)
		}
	})
}

func FuzzLists(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		ctx := t.Context()
		client := clientOf(t, platform.Config{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
			return respond(r, http.StatusOK, string(body)), nil
		})})
		messages, _ := client.Messages(ctx, platform.MessagesParams{Peer: 90, After: 5})
		for i, m := range messages {
			if m.ID <= 5 || i > 0 && m.ID <= messages[i-1].ID || !utf8.ValidString(m.Text) {
				t.Errorf("message %d: %+v", i, m)
			}
		}
		seen := map[platform.NotificationID]bool{}
		for n, err := range platform.All(ctx, client.Notifications, platform.NotificationsParams{PageSize: 1}) {
			if err == nil && (n.ID == 0 || seen[n.ID]) {
				t.Errorf("notification without an id, or twice: %+v", n)
			}
			seen[n.ID] = true
		}
		for post, err := range platform.All(ctx, client.Feed, platform.PageParams{PageSize: 1}) {
			if err == nil && (post.ID == 0 || post.Advertising || !utf8.ValidString(post.Text)) {
				t.Errorf("post: %+v", post)
			}
		}
		for person, err := range platform.All(ctx, client.Followers, platform.PeopleParams{ID: 31, PageSize: 1}) {
			if err == nil && person.ID == 0 {
				t.Errorf("person: %+v", person)
			}
		}
		for tag, err := range platform.All(ctx, client.SearchHashtags, platform.SearchParams{Query: "x", PageSize: 1}) {
			if err == nil && tag.ID == 0 {
				t.Errorf("hashtag: %+v", tag)
			}
		}
		if thread, err := client.Thread(ctx, 238); err == nil && thread.Post.ID == 0 {
			t.Errorf("thread: %+v", thread)
		}
		if profile, err := client.Profile(ctx, platform.ProfileParams{ID: 31}); err == nil && profile.ID == 0 {
			t.Errorf("profile: %+v", profile)
		}
		if in, err := client.Login(ctx, platform.LoginParams{}); err == nil && in.SessionID == "" {
			t.Errorf("sign-in: %+v", in)
		}
	})
}
