package poll_test

import (
	"fmt"
	"io"
	"net/http"
	"path"
	"runtime"
	"testing"

	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/platform"
)

// endless answers with a chat list of so many rows that is made while it is read, so that only the poller takes memory.
// The rows are those of canned. In each list, so many of the last chats have come to the top.
type endless struct {
	rows, moved int
	lists       int
}

// RoundTrip implements http.RoundTripper.
func (e *endless) RoundTrip(r *http.Request) (*http.Response, error) {
	var body io.Reader
	switch path.Base(r.URL.Path) {
	case "get_chats":
		body = &rowsOf{endless: e, shift: e.lists * e.moved}
		e.lists++
	default:
		c := canned{step: e.lists}
		return c.RoundTrip(r)
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(body), ContentLength: -1, Request: r}, nil
}

// rowsOf is the body of a list.
type rowsOf struct {
	*endless
	shift, at int
	row, rest []byte
}

// Read implements io.Reader.
func (l *rowsOf) Read(b []byte) (n int, err error) {
	for n < len(b) {
		if len(l.rest) == 0 {
			switch {
			case l.at == 0:
				l.rest = []byte(`{"code":200,"message":"Chats successfully","data":[`)
				l.row = []byte(`,{"user_id":1000000000,"username":"person_1000000000","name":"Person Number 1000000000",` +
					`"avatar":"https:\/\/social.example\/upload\/avatars\/1000000000.jpg","verified":"0","chat_id":1000000000,` +
					`"time":"10 minutes ago","last_message":"message 1000000000","new_messages":"1",` +
					`"chat_url":"https:\/\/social.example\/conversation\/@person_1000000000"}`)
			case l.at <= l.rows:
				l.rest = l.next()
			case l.at == l.rows+1:
				l.rest = []byte(`]}`)
			default:
				return n, io.EOF
			}
			l.at++
		}
		m := copy(b[n:], l.rest)
		n, l.rest = n+m, l.rest[m:]
	}
	return n, nil
}

// next makes the next row: of the lists before, the last chats have come to the top.
func (l *rowsOf) next() []byte {
	id := (l.at - 1 - l.shift%l.rows + l.rows) % l.rows
	for i, digit := range [...]int{18, 17, 16, 15, 14, 13, 12} { // of user_id
		l.row[i+15] = byte('0' + id/pow10(digit-12)%10)
	}
	age := 10 + 49*l.at/l.rows
	at := len(`,{"user_id":1000000000,"username":"person_1000000000","name":"Person Number 1000000000",` +
		`"avatar":"https:\/\/social.example\/upload\/avatars\/1000000000.jpg","verified":"0","chat_id":1000000000,"time":"`)
	l.row[at], l.row[at+1] = byte('0'+age/10), byte('0'+age%10)
	if l.at == 1 {
		return l.row[1:]
	}
	return l.row
}

func pow10(n int) int {
	p := 1
	for range n {
		p *= 10
	}
	return p
}

// BenchmarkLongList polls an account with many chats. It reports what a row takes while the account is at rest, and what a
// poll allocates for each.
func BenchmarkLongList(b *testing.B) {
	for _, rows := range []int{1000, 30_000, 1_000_000} {
		for _, moved := range []int{0, 1} {
			b.Run(fmt.Sprintf("rows=%d/moved=%d", rows, moved), func(b *testing.B) {
				sink, server := &blind{}, &endless{rows: rows, moved: moved}
				used := func() (m runtime.MemStats) {
					runtime.GC()
					runtime.ReadMemStats(&m)
					return m
				}
				before := used()
				c, err := platform.New(platform.Config{BaseURL: "http://localhost/mobile_api", Transport: server, MaxList: 1 << 30})
				if err != nil {
					b.Fatal(err)
				}
				p, err := poll.New(poll.Config{
					Account: "shop", Client: c.WithSession(open{}), Cursors: sink, Sink: sink, Sources: poll.Sources{Messages: true},
				})
				if err != nil {
					b.Fatal(err)
				}
				cycle := func() {
					if _, err := p.Poll(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
				cycle() // the first start
				cycle()
				resting := used()
				polls := 0
				for b.Loop() {
					cycle()
					polls++
				}
				after := used()
				b.ReportMetric(float64(resting.HeapAlloc-before.HeapAlloc)/float64(rows), "B-at-rest/row")
				b.ReportMetric(float64(after.TotalAlloc-resting.TotalAlloc)/float64(polls*rows), "B-in-a-poll/row")
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(polls*rows), "ns/row")
				if h := p.Health()[0]; h.List.Rows != rows || h.Cut != "" {
					b.Errorf("%+v", h)
				}
			})
		}
	}
}
