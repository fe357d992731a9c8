package poll_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"path"
	"testing"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/poll"
	"github.com/nectar-bot/nectar/platform"
)

// canned answers calls from memory, without a server, so that a benchmark shows the poller and the
// client. Its chat list has a row for each of rows; those below moved have a message for each poll.
type canned struct {
	rows, moved int
	polls       int
	body        []byte
}

// RoundTrip implements http.RoundTripper.
func (c *canned) RoundTrip(r *http.Request) (*http.Response, error) {
	body := []byte(`{"code":204,"data":[]}`)
	switch path.Base(r.URL.Path) {
	case "get_chats":
		c.polls++
		body = c.list()
	case "get_messages":
		body = fmt.Appendf(nil, `{"code":200,"data":[{"id":%d,"sent_by":%s,"sent_to":7,"owner":false,"message":"message %d",`+
			`"media_file":"","media_type":"none","seen":"0","deleted_fs1":"N","deleted_fs2":"N","time":"03 Mar, 2024 09:15","side":"left"}]}`,
			1000+c.polls, r.URL.Query().Get("user_id"), c.polls)
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(body)), Request: r}, nil
}

// list returns the chat list. The times tick, so no two lists are equal.
func (c *canned) list() []byte {
	if c.polls > 1 && c.moved == 0 {
		return c.body
	}
	b := bytes.NewBuffer(c.body[:0])
	b.WriteString(`{"code":200,"message":"Chats successfully","data":[`)
	for i := range c.rows {
		if i > 0 {
			b.WriteByte(',')
		}
		message := 0
		if i < c.moved {
			message = c.polls
		}
		fmt.Fprintf(b, `{"user_id":%d,"username":"person_%d","name":"Person Number %d",`+
			`"avatar":"https:\/\/social.example\/upload\/avatars\/%d.jpg","verified":"0","chat_id":%d,`+
			`"time":"%d minutes ago","last_message":"message %d","new_messages":"%d",`+
			`"chat_url":"https:\/\/social.example\/conversation\/@person_%d"}`, 1000+i, i, i, i, 70+i, i%59+1, message, message, i)
	}
	b.WriteString(`]}`)
	c.body = b.Bytes()
	return c.body
}

// blind is a sink and a store that keep nothing.
type blind struct{ events int }

// Deliver implements poll.Sink.
func (s *blind) Deliver(_ context.Context, b poll.Batch) error {
	s.events += len(b.Events)
	return nil
}

// Cursors implements poll.Cursors.
func (s *blind) Cursors(context.Context, event.Account, event.Source, []platform.UserID) ([]poll.Cursor, error) {
	return nil, nil
}

func BenchmarkPoll(b *testing.B) {
	for _, moved := range []int{0, 1, 1000} {
		b.Run(fmt.Sprintf("chats=1000/moved=%d", moved), func(b *testing.B) {
			sink := &blind{}
			server := &canned{rows: 1000, moved: moved}
			p, err := poll.New(poll.Config{
				Account: "shop", Client: client(b, server), Cursors: sink, Sink: sink, Sources: poll.Sources{Messages: true},
			})
			if err != nil {
				b.Fatal(err)
			}
			for range 3 { // the first start, and what is learned once
				if _, err := p.Poll(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			sink.events = 0
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				if _, err := p.Poll(b.Context()); err != nil {
					b.Fatal(err)
				}
				n++
			}
			if sink.events != n*moved {
				b.Fatalf("%d events in %d polls", sink.events, n)
			}
		})
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
