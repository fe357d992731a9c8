package platform_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/platform"
)

// oddSession needs escaping in every place where it may turn up.
const oddSession = `s3ss10n/+"id"&<with>=odd characters`

// printings returns err in every way somebody may print it, its causes included.
func printings(err error) []string {
	var all []string
	for ; err != nil; err = errors.Unwrap(err) {
		var logged bytes.Buffer
		slog.New(slog.NewJSONHandler(&logged, nil)).Error("failed", "err", err, "any", slog.AnyValue(err))
		slog.New(slog.NewTextHandler(&logged, nil)).Error("failed", "err", err)
		data, _ := json.Marshal(err)
		all = append(all, err.Error(), logged.String(), string(data),
			fmt.Sprintf("%v", err), fmt.Sprintf("%+v", err), fmt.Sprintf("%#v", err),
			fmt.Sprintf("%s", err), fmt.Sprintf("%q", err), fmt.Sprintf("%x", err))
		if unreadable, ok := errors.AsType[*platform.Unreadable](err); ok {
			all = append(all, string(unreadable.Head))
		}
	}
	return all
}

func mustNotShow(t *testing.T, err error, secrets ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error to print")
	}
	for _, secret := range secrets {
		quoted, _ := json.Marshal(secret)
		forms := []string{
			secret, url.QueryEscape(secret), url.PathEscape(secret), html.EscapeString(secret),
			strings.Trim(string(quoted), `"`), fmt.Sprintf("%x", secret),
		}
		for _, text := range printings(err) {
			for _, form := range forms {
				if strings.Contains(text, form) {
					t.Errorf("%q is in %s", form, text)
				}
			}
		}
	}
}

func TestErrorsShowNoSession(t *testing.T) {
	answer := func(status int, location, body string) transportFunc {
		return func(r *http.Request) (*http.Response, error) {
			resp := respond(r, status, body)
			if location != "" {
				resp.Header.Set("Location", location+r.URL.RawQuery)
			}
			return resp, nil
		}
	}
	// echo answers with what the server was told, in the form that shape gives it.
	echo := func(shape func(string) string) transportFunc {
		return func(r *http.Request) (*http.Response, error) {
			return respond(r, http.StatusInternalServerError, "Debug: "+shape(oddSession)), nil
		}
	}
	quote := func(s string) string { data, _ := json.Marshal(s); return string(data) }
	for name, transport := range map[string]http.RoundTripper{
		"no connection": nil,
		"url.Error": transportFunc(func(r *http.Request) (*http.Response, error) {
			return nil, &url.Error{Op: "Get", URL: r.URL.String(), Err: io.ErrUnexpectedEOF}
		}),
		"url.Error, wrapped": transportFunc(func(r *http.Request) (*http.Response, error) {
			return nil, fmt.Errorf("middleware: %w", &url.Error{Op: "Get", URL: r.URL.String(), Err: io.EOF})
		}),
		"a transport that prints the address": transportFunc(func(r *http.Request) (*http.Response, error) {
			return nil, fmt.Errorf("GET %s: %w", r.URL, io.ErrUnexpectedEOF)
		}),
		"redirect":          answer(http.StatusFound, "https://other.example/?", ""),
		"redirect in path":  answer(http.StatusFound, "https://other.example/"+url.PathEscape(oddSession)+"?", ""),
		"echo":              echo(func(s string) string { return s }),
		"echo, as query":    echo(url.QueryEscape),
		"echo, as HTML":     echo(html.EscapeString),
		"echo, as JSON":     echo(quote),
		"echo at the edge":  echo(func(s string) string { return strings.Repeat("x", 180) + s }),
		"echo in a message": answer(http.StatusOK, "", `{"code":400,"message":"no such session: `+strings.Trim(quote(oddSession), `"`)+`"}`),
		"echo, cut off":     answer(http.StatusOK, "", `{"code":200,"session_id":`+quote(oddSession)+`,"da`),
	} {
		t.Run(name, func(t *testing.T) {
			cfg := platform.Config{Transport: transport}
			if transport == nil {
				cfg.BaseURL = "http://127.0.0.1:1/mobile_api"
			}
			client := clientOf(t, cfg).WithSession(fixedSession(oddSession))
			_, err := client.Chats(t.Context())
			mustNotShow(t, err, oddSession)
			_, err = client.LikePost(t.Context(), 410)
			mustNotShow(t, err, oddSession)
		})
	}
}

func TestErrorsOfTransportsKeepTheirMeaning(t *testing.T) {
	client := clientOf(t, platform.Config{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
		return nil, fmt.Errorf("GET %s: %w", r.URL, io.ErrUnexpectedEOF)
	})})
	_, err := client.Chats(t.Context())
	mustNotShow(t, err, "a-session")
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the cause is lost: %v", err)
	}
}

func TestErrorsOfSignInsShowNoSecret(t *testing.T) {
	const password, newToken, newRefresh = "hunter2&co", "tok-3f9a77", "ref-77c133"
	for _, body := range []string{
		`{"code":200,"auth":{"auth_token":"` + newToken + `","refresh_token":"` + newRefresh + `"},"da`,
		`{"code":200,"data":{"auth_token" : "` + newToken + `", "refresh_token":"` + newRefresh,
		`Array ( [auth_token] => x ) auth_token=` + newToken + `&refresh_token=` + newRefresh,
		`{"code":500,"message":"cannot store auth_token: ` + newToken + `"}`,
		`You sent password=` + url.QueryEscape(password),
	} {
		client := answering(t, body)
		_, err := client.Login(t.Context(), platform.LoginParams{Email: "me@mail.example", Password: password})
		mustNotShow(t, err, password, newToken, newRefresh, "me@mail.example")
		_, err = client.OAuth(t.Context(), platform.OAuthParams{AccessToken: password, Type: "google"})
		mustNotShow(t, err, password, newToken, newRefresh)
		_, err = client.RefreshAccessToken(t.Context(), password)
		mustNotShow(t, err, password, newToken, newRefresh)
	}
}

func TestErrorsShowNoAddressesOfPeople(t *testing.T) {
	for _, body := range []string{
		`{"code":200,"data":{"id":31,"email":"ana.k@mail.example","ip_address":"203.0.113.7"`,
		`{"code":200,"data":{"email" : "ana.k@mail.example" , "ip_address" : "2001:db8::7:1:2" `,
		"ana.k@mail.example from 203.0.113.7 and 2001:db8:0:0:7:1:2:3 was here",
	} {
		_, err := answering(t, body).Profile(t.Context(), platform.ProfileParams{ID: 31})
		mustNotShow(t, err, "ana.k@", "mail.example", "203.0.113", "2001:db8")
	}
}

func TestSecretsPrintAsRedacted(t *testing.T) {
	in := platform.SignIn{Tokens: platform.Tokens{SessionID: "tok-3f9a", RefreshToken: "ref-77c1"}}
	params := platform.LoginParams{Email: "me", Password: "hunter2"}
	data, err := json.Marshal([]any{in, params})
	if err != nil {
		t.Fatal(err)
	}
	var logged bytes.Buffer
	slog.New(slog.NewJSONHandler(&logged, nil)).Info("signed in", "in", in, "params", params, "token", in.SessionID)
	for _, text := range []string{
		string(data), logged.String(),
		fmt.Sprint(in, params), fmt.Sprintf("%+v %+v", in, params), fmt.Sprintf("%#v %#v", in, params),
		fmt.Sprintf("%s %q %x %d", in.SessionID, in.SessionID, in.SessionID, in.SessionID),
	} {
		if strings.Contains(text, "3f9a") || strings.Contains(text, "77c1") || strings.Contains(text, "hunter2") ||
			strings.Contains(text, fmt.Sprintf("%x", "tok-3f9a")) {
			t.Errorf("a secret is in %s", text)
		}
	}
	if in.SessionID.Reveal() != "tok-3f9a" || platform.Secret("").String() != "" {
		t.Error("Reveal or the empty secret is wrong")
	}
}
