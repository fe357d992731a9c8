package platform_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/platform"
)

// scripted is an Authorizer that hands out sessions in order and notes what it is told.
type scripted struct {
	sessions []platform.Secret
	again    bool
	err      error
	told     []int // codes of the refusals
}

func (s *scripted) SessionID(context.Context) (platform.Secret, error) {
	if len(s.sessions) == 0 {
		return "", s.err
	}
	return s.sessions[0], nil
}

func (s *scripted) Rejected(_ context.Context, id platform.Secret, refusal *platform.Refused) (bool, error) {
	if id != s.sessions[0] {
		return false, errors.New("told of a session that was not sent")
	}
	s.told = append(s.told, refusal.Code)
	s.sessions = s.sessions[1:]
	return s.again, s.err
}

// doorkeeper lets only one session in. It notes what it is asked, and answers others with a code.
type doorkeeper struct {
	good  string
	code  string
	asked []string
}

func (d *doorkeeper) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		data, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(data))
	}
	if err := r.ParseMultipartForm(1 << 20); err != nil && !errors.Is(err, http.ErrNotMultipart) {
		return nil, err
	}
	id := r.Form.Get("session_id")
	d.asked = append(d.asked, id)
	if id != d.good {
		return respond(r, http.StatusOK, `{"code":`+d.code+`,"message":"Unauthorized Access","data":[]}`), nil
	}
	return respond(r, http.StatusOK, `{"code":200,"data":{"id":501,"media_id":5}}`), nil
}

func TestRefusedSessionIsRenewedOnce(t *testing.T) {
	broken := errors.New("the password is wrong")
	for _, test := range []struct {
		name  string
		door  doorkeeper
		auth  scripted
		asked []string
		told  []int
		kind  string
	}{
		{"good", doorkeeper{good: "a"}, scripted{sessions: []platform.Secret{"a"}}, []string{"a"}, nil, ""},
		{
			"401",
			doorkeeper{good: "b", code: "401"},
			scripted{sessions: []platform.Secret{"a", "b"}, again: true},
			[]string{"a", "b"},
			[]int{401},
			"",
		},
		{
			"400",
			doorkeeper{good: "b", code: `"400"`},
			scripted{sessions: []platform.Secret{"a", "b"}, again: true},
			[]string{"a", "b"},
			[]int{400},
			"",
		},
		{
			"another refusal",
			doorkeeper{good: "b", code: "402"},
			scripted{sessions: []platform.Secret{"a", "b"}, again: true},
			[]string{"a"},
			nil, "refused",
		},
		{
			"no other session",
			doorkeeper{good: "b", code: "401"},
			scripted{sessions: []platform.Secret{"a", "b"}},
			[]string{"a"},
			[]int{401},
			"refused",
		},
		{
			"refused twice",
			doorkeeper{good: "c", code: "401"},
			scripted{sessions: []platform.Secret{"a", "b", "c"}, again: true},
			[]string{"a", "b"},
			[]int{401},
			"refused",
		},
		{
			"refused twice with 400",
			doorkeeper{good: "c", code: "400"},
			scripted{sessions: []platform.Secret{"a", "b", "c"}, again: true},
			[]string{"a", "b"},
			[]int{400, 400},
			"session",
		},
		{
			"renewal fails",
			doorkeeper{good: "b", code: "401"},
			scripted{sessions: []platform.Secret{"a", "b"}, err: broken},
			[]string{"a"},
			[]int{401},
			"session",
		},
		{"none", doorkeeper{}, scripted{err: broken}, nil, nil, "session"},
		{"an empty one", doorkeeper{}, scripted{sessions: []platform.Secret{""}}, nil, nil, "session"},
	} {
		t.Run(test.name, func(t *testing.T) {
			door, auth := test.door, test.auth
			client := clientOf(t, platform.Config{Transport: &door}).WithSession(&auth)
			_, err := client.SendMessage(t.Context(), platform.SendMessageParams{To: 90, Text: "hello"})
			if kind(err) != test.kind {
				t.Errorf("kind %q, want %q: %v", kind(err), test.kind, err)
			}
			if test.kind == "session" && test.auth.err != nil && !errors.Is(err, broken) {
				t.Errorf("the cause is lost: %v", err)
			}
			if test.kind == "session" && !errors.Is(err, platform.ErrNoSession) || platform.InDoubt(err) {
				t.Errorf("got %v, unsure %v", err, platform.InDoubt(err))
			}
			if diff := cmp.Diff(test.asked, door.asked); diff != "" {
				t.Errorf("sessions sent (-want +got):\n%s", diff)
			}
			if !slices.Equal(test.told, auth.told) {
				t.Errorf("the authorizer was told %v, want %v", auth.told, test.told)
			}
		})
	}
}

func TestCallsWithoutASession(t *testing.T) {
	var sent []string
	client, err := platform.New(platform.Config{BaseURL: baseURL, Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
		sent = append(sent, r.URL.Query().Get("session_id"))
		return respond(r, http.StatusOK, `{"code":200,"data":{"id":31,"auth_token":"t"}}`), nil
	})})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Chats(t.Context()); !errors.Is(err, platform.ErrNoSession) || len(sent) != 0 {
		t.Errorf("protected call: %v, %d calls", err, len(sent))
	}
	if _, err := client.Profile(t.Context(), platform.ProfileParams{ID: 31}); err != nil {
		t.Error("public call:", err)
	}
	if _, err := client.WithSession(fixedSession("x")).Profile(t.Context(), platform.ProfileParams{ID: 31}); err != nil {
		t.Error("public call with a session:", err)
	}
	if _, err := client.WithSession(fixedSession("x")).Login(t.Context(), platform.LoginParams{}); err != nil {
		t.Error("sign-in:", err)
	}
	if !slices.Equal(sent, []string{"", "x", ""}) {
		t.Errorf("sessions sent: %q", sent)
	}
}

func TestLogoutDoesNotRenewTheSession(t *testing.T) {
	auth := &scripted{sessions: []platform.Secret{"a", "b"}, again: true}
	client := clientOf(t, platform.Config{Transport: &doorkeeper{good: "b", code: "401"}}).WithSession(auth)
	if err := client.Logout(t.Context()); !errors.Is(err, platform.ErrUnauthorized) || auth.told != nil {
		t.Errorf("got %v, told %v", err, auth.told)
	}
}

func TestUploadIsRepeatedOnlyIfItCanBe(t *testing.T) {
	const picture = "not really a picture"
	skipped := strings.NewReader("header" + picture)
	if _, err := skipped.Seek(int64(len("header")), io.SeekStart); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		body io.Reader
		ok   bool
	}{
		{"a file", strings.NewReader(picture), true},
		{"a file from its middle", skipped, true},
		{"a stream", io.MultiReader(strings.NewReader(picture)), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var files []string
			door := &doorkeeper{good: "b", code: "401"}
			client := clientOf(t, platform.Config{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
				resp, err := door.RoundTrip(r)
				if err != nil {
					return nil, err
				}
				file, _, err := r.FormFile("file")
				if err != nil {
					return nil, err
				}
				data, err := io.ReadAll(file)
				files = append(files, string(data))
				return resp, err
			})}).WithSession(&scripted{sessions: []platform.Secret{"a", "b"}, again: true})
			stored, err := client.UploadPostMedia(t.Context(), platform.UploadParams{
				Type: platform.UploadImage, File: platform.Upload{Name: "bee.jpg", Body: test.body},
			})
			if !test.ok {
				if !errors.Is(err, platform.ErrUnauthorized) || len(files) != 1 {
					t.Errorf("got %v, sent %q", err, files)
				}
				return
			}
			if err != nil || stored.ID != 5 || !slices.Equal(files, []string{picture, picture}) {
				t.Errorf("got %+v, %v, sent %q", stored, err, files)
			}
		})
	}
}
