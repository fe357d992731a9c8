package poll_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"testing"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// versions is the number of chat lists that a benchmark goes through, over and over.
const versions = 16

// canned answers calls from memory, without a server, so that a benchmark shows the poller and the
// client. Every step, the first rows of the chat list have a new message.
type canned struct {
	lists [versions][]byte
	step  int
}

func newCanned(rows, moved int) *canned {
	c := &canned{}
	ages := [...]string{"20 minutes ago", "20 min ago"} // they tick, so no two lists are equal
	for v := range c.lists {
		b := bytes.NewBufferString(`{"code":200,"message":"Chats successfully","data":[`)
		for i := range rows {
			message := v
			if i >= moved {
				message = 0
			}
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(b, `{"user_id":%d,"username":"person_%d","name":"Person Number %d",`+
				`"avatar":"https:\/\/social.example\/upload\/avatars\/%d.jpg","verified":"0","chat_id":%d,`+
				`"time":"%s","last_message":"message %d","new_messages":"1",`+
				`"chat_url":"https:\/\/social.example\/conversation\/@person_%d"}`, 1000+i, i, i, i, 70+i, ages[(i+v)%2], message, i)
		}
		b.WriteString(`]}`)
		c.lists[v] = b.Bytes()
	}
	return c
}

// RoundTrip implements http.RoundTripper.
func (c *canned) RoundTrip(r *http.Request) (*http.Response, error) {
	body := c.lists[c.step%versions]
	switch path.Base(r.URL.Path) {
	case "get_notifications":
		body = []byte(`{"code":404,"message":"No data found","data":[]}`)
	case "get_messages":
		body = c.messages(r.URL.Query())
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(body)), Request: r}, nil
}

// messages returns the newest message of a chat, or the newest page.
func (c *canned) messages(query url.Values) []byte {
	rows := 1
	if query.Get("offset_down") == "" {
		rows = 20
	}
	b := bytes.NewBufferString(`{"code":200,"data":[`)
	for i := range rows {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(b, `{"id":%d,"sent_by":%s,"sent_to":7,"owner":false,"message":"message %d",`+
			`"media_file":"","media_type":"none","seen":"0","deleted_fs1":"N","deleted_fs2":"N","time":"03 Mar, 2024 09:15","side":"left"}`,
			1001+c.step-rows+i, query.Get("user_id"), c.step%versions)
	}
	b.WriteString(`]}`)
	return b.Bytes()
}

// blind is a sink and a store that keep nothing.
type blind struct{ events int }

// Deliver implements poll.Sink.
func (s *blind) Deliver(_ context.Context, b poll.Batch) error {
	s.events += len(b.Events)
	return nil
}

// Cursors implements poll.Cursors.
func (s *blind) Cursors(context.Context, event.Account, event.Source, []platform.UserID) ([]record.Cursor, error) {
	return nil, nil
}

// CursorsAfter implements poll.Cursors.
func (s *blind) CursorsAfter(context.Context, event.Account, event.Source, platform.UserID, int) ([]record.Cursor, error) {
	return nil, nil
}

func BenchmarkPoll(b *testing.B) {
	for _, moved := range []int{0, 1, 1000} {
		b.Run(fmt.Sprintf("chats=1000/moved=%d", moved), func(b *testing.B) {
			sink, server := &blind{}, newCanned(1000, moved)
			p, err := poll.New(poll.Config{
				Account: "shop", Client: client(b, server), Cursors: sink, Sink: sink, Sources: poll.Sources{Messages: true},
			})
			if err != nil {
				b.Fatal(err)
			}
			cycle := func() {
				server.step++
				for more := true; more; { // a cycle is bounded
					result, err := p.Poll(b.Context())
					if err != nil {
						b.Fatal(err)
					}
					more = result.Events > 0 && sink.events%max(1, moved) != 0
				}
			}
			cycle() // the first start
			cycle() // the platform's habits are learned
			b.ReportAllocs()
			n := 1
			for b.Loop() {
				cycle()
				n++
			}
			if sink.events != n*moved {
				b.Fatalf("%d events in %d polls", sink.events, n)
			}
		})
	}
}

// BenchmarkChatRows is the share of the client in BenchmarkPoll.
func BenchmarkChatRows(b *testing.B) {
	c := client(b, newCanned(1000, 0))
	b.ReportAllocs()
	for b.Loop() {
		if list, err := c.ChatRows(b.Context(), func(int, *platform.ChatRow) {}); err != nil || list.Rows != 1000 {
			b.Fatal(list.Rows, err)
		}
	}
}

func client(tb testing.TB, transport http.RoundTripper) *platform.Client {
	tb.Helper()
	c, err := platform.New(platform.Config{BaseURL: "http://localhost/mobile_api", Transport: transport})
	if err != nil {
		tb.Fatal(err)
	}
	return c.WithSession(open{})
}
