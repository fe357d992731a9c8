package platform_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/platform"
)

var update = flag.Bool("update", false, "write the golden files anew")

// goldenCalls has one call per endpoint, under the endpoint's name.
var goldenCalls = map[string]func(context.Context, *platform.Client) (any, error){
	"login": func(ctx context.Context, c *platform.Client) (any, error) {
		in, err := c.Login(ctx, platform.LoginParams{Email: "hive@mail.example", Password: "p&ss word", DeviceType: "ios"})
		return revealed(in), err
	},
	"oauth": func(ctx context.Context, c *platform.Client) (any, error) {
		in, err := c.OAuth(ctx, platform.OAuthParams{AccessToken: "proof", Type: "google"})
		return revealed(in), err
	},
	"refresh_access_token": func(ctx context.Context, c *platform.Client) (any, error) {
		tokens, err := c.RefreshAccessToken(ctx, "ref-old")
		return revealed(platform.SignIn{Tokens: tokens}), err
	},
	"logout": func(ctx context.Context, c *platform.Client) (any, error) { return nil, c.Logout(ctx) },
	"get_notifications": func(ctx context.Context, c *platform.Client) (any, error) {
		return c.Notifications(ctx, platform.NotificationsParams{Type: platform.Mentions, PageSize: 30, Offset: 90})
	},
	"delete_notifs": func(ctx context.Context, c *platform.Client) (any, error) {
		return nil, c.DeleteNotifications(ctx, 77, 75)
	},
	"get_chats": func(ctx context.Context, c *platform.Client) (any, error) { return c.Chats(ctx) },
	"get_messages": func(ctx context.Context, c *platform.Client) (any, error) {
		return c.Messages(ctx, platform.MessagesParams{Peer: 90, After: 500})
	},
	"search_messages": func(ctx context.Context, c *platform.Client) (any, error) {
		return c.SearchMessages(ctx, platform.SearchMessagesParams{Peer: 90, Query: "opening hours?", Before: 600})
	},
	"send_message": func(ctx context.Context, c *platform.Client) (any, error) {
		return c.SendMessage(ctx, platform.SendMessageParams{To: 90, Text: "yes & no, +1 ☀"})
	},
	"delete_message": func(ctx context.Context, c *platform.Client) (any, error) {
		return nil, c.DeleteMessage(ctx, 501)
	},
	"clear_chat": func(ctx context.Context, c *platform.Client) (any, error) {
		return nil, c.ClearChat(ctx, 90, true)
	},
	"like_post":          func(ctx context.Context, c *platform.Client) (any, error) { return c.LikePost(ctx, 410) },
	"publication_repost": func(ctx context.Context, c *platform.Client) (any, error) { return c.Repost(ctx, 410) },
	"add_bookmark":       func(ctx context.Context, c *platform.Client) (any, error) { return c.AddBookmark(ctx, 410) },
	"follow":             func(ctx context.Context, c *platform.Client) (any, error) { return c.Follow(ctx, 31) },
	"block_user":         func(ctx context.Context, c *platform.Client) (any, error) { return c.BlockUser(ctx, 31) },
	"profile": func(ctx context.Context, c *platform.Client) (any, error) {
		return c.Profile(ctx, platform.ProfileParams{Username: "@ana_k"})
	},
	"profile_posts": func(ctx context.Context, c *platform.Client) (any, error) {
		return c.ProfilePosts(ctx, platform.ProfilePostsParams{ID: 31})
	},
	"feeds": func(ctx context.Context, c *platform.Client) (any, error) {
		return c.Feed(ctx, platform.PageParams{Offset: 18})
	},
	"get_bookmarks": func(ctx context.Context, c *platform.Client) (any, error) {
		return c.Bookmarks(ctx, platform.PageParams{})
	},
	"publish_post": func(ctx context.Context, c *platform.Client) (any, error) {
		return c.PublishPost(ctx, platform.PublishPostParams{
			Text: "Tea or honey?", Thread: 238, GIF: "https://gif.example/1.gif",
			Poll: []string{"tea", `"honey"`}, Privacy: platform.PrivacyFollowers,
		})
	},
	"upload_post_media": func(ctx context.Context, c *platform.Client) (any, error) {
		return c.UploadPostMedia(ctx, platform.UploadParams{Type: platform.UploadImage, File: platform.Upload{
			Name: `a "bee".jpg`, ContentType: "image/jpeg", Body: strings.NewReader("not really a picture"),
		}})
	},
	"delete_post_media": func(ctx context.Context, c *platform.Client) (any, error) {
		return nil, c.DeletePostMedia(ctx, platform.UploadVideo, 6)
	},
	"delete_post": func(ctx context.Context, c *platform.Client) (any, error) { return nil, c.DeletePost(ctx, 410) },
	"thread_data": func(ctx context.Context, c *platform.Client) (any, error) { return c.Thread(ctx, 238) },
	"thread_replys": func(ctx context.Context, c *platform.Client) (any, error) {
		return c.ThreadReplies(ctx, platform.ThreadRepliesParams{Thread: 238, Offset: 239})
	},
	"fetch_likes": func(ctx context.Context, c *platform.Client) (any, error) {
		return c.Likes(ctx, platform.LikesParams{Post: 410})
	},
	"fetch_followers": func(ctx context.Context, c *platform.Client) (any, error) {
		return c.Followers(ctx, platform.PeopleParams{ID: 31})
	},
	"fetch_following": func(ctx context.Context, c *platform.Client) (any, error) {
		return c.Following(ctx, platform.PeopleParams{ID: 31, Offset: 57})
	},
	"follow_requests": func(ctx context.Context, c *platform.Client) (any, error) {
		return c.FollowRequests(ctx, platform.PageParams{})
	},
	"accept_follow": func(ctx context.Context, c *platform.Client) (any, error) { return c.AcceptFollow(ctx, 9) },
	"ignore_follow": func(ctx context.Context, c *platform.Client) (any, error) { return c.IgnoreFollow(ctx, 9) },
	"search_people": func(ctx context.Context, c *platform.Client) (any, error) {
		return c.SearchPeople(ctx, platform.SearchParams{Query: "ana k"})
	},
	"search_posts": func(ctx context.Context, c *platform.Client) (any, error) {
		return c.SearchPosts(ctx, platform.SearchParams{Query: "#go"})
	},
	"search_hashtags": func(ctx context.Context, c *platform.Client) (any, error) {
		return c.SearchHashtags(ctx, platform.SearchParams{Query: "go"})
	},
}

// revealed shows the tokens, which do not print themselves.
func revealed(in platform.SignIn) any {
	return map[string]any{
		"session_id": in.SessionID.Reveal(), "refresh_token": in.RefreshToken.Reveal(),
		"expiry": in.Expiry, "user": in.User,
	}
}

// golden is what a golden file holds.
type golden struct {
	Request string // as it was sent
	Result  any    // without the fields that are zero
	Error   string `json:",omitempty"`
}

// TestGolden reads each testdata/golden/<endpoint>/<case>.body as the answer to a call of the
// endpoint, and compares the request and what came of it with <case>.golden.json.
func TestGolden(t *testing.T) {
	bodies, err := filepath.Glob("testdata/golden/*/*.body")
	if err != nil || len(bodies) == 0 {
		t.Fatal("no golden files", err)
	}
	seen := map[string]bool{}
	for _, path := range bodies {
		endpoint := filepath.Base(filepath.Dir(path))
		seen[endpoint] = true
		call, known := goldenCalls[endpoint]
		if !known {
			t.Errorf("%s: no call for this endpoint", path)
			continue
		}
		t.Run(endpoint+"/"+strings.TrimSuffix(filepath.Base(path), ".body"), func(t *testing.T) {
			body, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var got golden
			client := clientOf(t, platform.Config{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
				got.Request = printRequest(t, r)
				return respond(r, http.StatusOK, string(body)), nil
			})})
			result, err := call(t.Context(), client)
			got.Result = result
			if err != nil {
				got.Error = err.Error()
			}
			compareGolden(t, strings.TrimSuffix(path, ".body")+".golden.json", got)
		})
	}
	for endpoint := range goldenCalls {
		if !seen[endpoint] {
			t.Errorf("no golden files for %s", endpoint)
		}
	}
}

func compareGolden(t *testing.T, path string, got golden) {
	t.Helper()
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	got.Result = withoutZeros(t, got.Result)
	if err := encoder.Encode(got); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text.String()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
	for _, private := range []string{"mail.example", "203.0.113."} {
		if strings.Contains(got.Error, private) || strings.Contains(fmt.Sprintf("%+v", got.Result), private) {
			t.Errorf("the e-mail or IP address of somebody was kept")
		}
	}
}

// withoutZeros returns the JSON form of a value, without the members that were not set.
func withoutZeros(t *testing.T, v any) any {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&tree); err != nil {
		t.Fatal(err)
	}
	var prune func(any) any
	prune = func(node any) any {
		switch node := node.(type) {
		case []any:
			for i := range node {
				node[i] = prune(node[i])
			}
		case map[string]any:
			for key, inner := range node {
				switch inner = prune(inner); fmt.Sprint(inner) {
				case "", "0", "false", "<nil>", "map[]", "0001-01-01T00:00:00Z":
					delete(node, key)
				default:
					node[key] = inner
				}
			}
		}
		return node
	}
	return prune(tree)
}

// printRequest shows a request in one line per parameter.
func printRequest(t *testing.T, r *http.Request) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s://%s%s", r.Method, r.URL.Scheme, r.URL.Host, r.URL.Path)
	if r.Header.Get("Authorization") != "" {
		t.Error("an Authorization header was sent")
	}
	if r.Body == nil {
		b.WriteString(" ?" + printValues(t, r.URL.RawQuery))
		return b.String()
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	if r.ContentLength != int64(len(body)) {
		t.Errorf("ContentLength is %d, the body has %d bytes", r.ContentLength, len(body))
	}
	mediaType, attributes, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	b.WriteString(" " + mediaType + ":")
	if mediaType == "application/x-www-form-urlencoded" {
		b.WriteString(" " + printValues(t, string(body)))
		return b.String()
	}
	form, err := multipart.NewReader(bytes.NewReader(body), attributes["boundary"]).ReadForm(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	b.WriteString(" " + printValues(t, url.Values(form.Value).Encode()))
	for field, files := range form.File {
		for _, file := range files {
			fmt.Fprintf(&b, ", file %s: %q %s %d bytes", field, file.Filename, file.Header.Get("Content-Type"), file.Size)
		}
	}
	return b.String()
}

// printValues shows encoded parameters in their order, decoded.
func printValues(t *testing.T, encoded string) string {
	t.Helper()
	var shown []string
	for pair := range strings.SplitSeq(encoded, "&") {
		text, err := url.QueryUnescape(pair)
		if err != nil {
			t.Fatal(err)
		}
		shown = append(shown, text)
	}
	return strings.Join(shown, " | ")
}
