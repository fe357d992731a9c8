package emulator_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nectar-bot/nectar/platform"
	. "github.com/nectar-bot/nectar/platform/emulator"
)

// crowded is a platform with 10,000 people and 200,000 messages, on a real port, and a client with
// kept connections.
func crowded(b *testing.B) (*api, []platform.UserID) {
	b.Helper()
	p := New(Config{Seed: 1})
	account := p.AddAccount(Person{Username: "nectar"}, email, password)
	people := make([]platform.UserID, 10_000)
	for i := range people {
		people[i] = p.AddPerson(Person{Username: fmt.Sprintf("person_%d", i), FirstName: "Ana", LastName: "K"})
	}
	for i := range 200_000 {
		p.Say(people[i%len(people)], account, fmt.Sprintf("What does number %d cost?", i))
	}
	s, err := Serve(b.Context(), "127.0.0.1:0", p)
	if err != nil {
		b.Fatal(err)
	}
	tr := &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}
	b.Cleanup(func() {
		tr.CloseIdleConnections()
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	})
	a := &api{t: b, http: &http.Client{Transport: tr}, base: s.BaseURL()}
	a.signIn()
	return a, people
}

func (a *api) hit(ctx context.Context, path string, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, a.base+"/"+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := a.http.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }() // all of it was read
	var head [16]byte
	if _, err := io.ReadFull(res.Body, head[:]); err != nil {
		return err
	}
	if !strings.HasPrefix(string(head[:]), `{"code":200,`) {
		return fmt.Errorf("%s: answer begins with %s", path, head)
	}
	_, err = io.Copy(io.Discard, res.Body)
	return err
}

func benchmarkCalls(b *testing.B, path string, form func(n int64, session string, people []platform.UserID) string) {
	b.Helper()
	a, people := crowded(b)
	var n atomic.Int64
	b.SetParallelism(16)
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := a.hit(b.Context(), path, []byte(form(n.Add(1), a.session, people))); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
}

func BenchmarkSendMessage(b *testing.B) {
	benchmarkCalls(b, "send_message", func(n int64, session string, people []platform.UserID) string {
		return fmt.Sprintf("session_id=%s&type=text&user_id=%d&message=It+costs+%d+euros%%21",
			session, people[n%int64(len(people))], n)
	})
}

func BenchmarkGetMessages(b *testing.B) {
	benchmarkCalls(b, "get_messages", func(n int64, session string, people []platform.UserID) string {
		return fmt.Sprintf("session_id=%s&user_id=%d&page_size=20", session, people[n%int64(len(people))])
	})
}

// BenchmarkGetChats reads a list of 10,000 chats.
func BenchmarkGetChats(b *testing.B) {
	benchmarkCalls(b, "get_chats", func(_ int64, session string, _ []platform.UserID) string {
		return "session_id=" + session
	})
}
