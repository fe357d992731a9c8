package platform_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/platform"
)

// chatList returns the body of a chat list with n rows.
func chatList(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"code":200,"message":"Chats successfully","data":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"user_id":%d,"username":"person_%d","name":"Person %d",`+
			`"avatar":"https:\/\/s.example\/a\/%d.jpg","verified":"0","chat_id":%d,`+
			`"time":"%d minutes ago","last_message":"are you open on sunday?","new_messages":"",`+
			`"chat_url":"https:\/\/s.example\/chat\/@person_%d"}`,
			1000+i, i, i, i, 70+i, i%59+1, i)
	}
	b.WriteString(`]}`)
	return b.Bytes()
}

// messageJSON returns a message as the platform shows it.
func messageJSON(id int) string {
	return fmt.Sprintf(`{"id":%d,"sent_by":90,"sent_to":12,"owner":false,`+
		`"message":"do you deliver to the harbour? I am there until six &amp; then at home",`+
		`"media_file":"","media_type":"none","seen":"0","deleted_fs1":"N","deleted_fs2":"N",`+
		`"time":"03 Mar, 2024 09:15","side":"left"}`, id)
}

func BenchmarkChatRows(b *testing.B) {
	for _, rows := range []int{207, 1000} {
		body := chatList(rows)
		b.Run(fmt.Sprintf("rows=%d/KB=%d", rows, len(body)>>10), func(b *testing.B) {
			client := answering(b, string(body))
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				got, err := client.ChatRows(b.Context(), func(int, *platform.ChatRow) {})
				if err != nil || got.Rows != rows {
					b.Fatal(got.Rows, err)
				}
			}
		})
	}
}

func BenchmarkChats(b *testing.B) {
	body := chatList(1000)
	client := answering(b, string(body))
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := client.Chats(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMessages(b *testing.B) {
	for _, n := range []int{1, 20} {
		rows := make([]string, n)
		for i := range rows {
			rows[i] = messageJSON(500 + i)
		}
		body := `{"code":200,"data":[` + strings.Join(rows, ",") + `]}`
		b.Run(fmt.Sprintf("messages=%d", n), func(b *testing.B) {
			client := answering(b, body)
			b.ReportAllocs()
			for b.Loop() {
				got, err := client.Messages(b.Context(), platform.MessagesParams{Peer: 90, After: 499})
				if err != nil || len(got) != n {
					b.Fatal(len(got), err)
				}
			}
		})
	}
}

func BenchmarkSendMessage(b *testing.B) {
	body := `{"code":200,"message":"Message sent","data":` + messageJSON(501) + `}`
	send := func(b *testing.B, client *platform.Client) {
		b.Helper()
		b.ReportAllocs()
		for b.Loop() {
			got, err := client.SendMessage(b.Context(), platform.SendMessageParams{To: 90, Text: "yes, until six"})
			if err != nil || got.ID != 501 {
				b.Fatal(got, err)
			}
		}
	}
	b.Run("decode", func(b *testing.B) { send(b, answering(b, body)) })

	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, body)
	})
	b.Run("loopback", func(b *testing.B) {
		server := httptest.NewServer(handler)
		b.Cleanup(server.Close)
		send(b, clientOf(b, platform.Config{BaseURL: server.URL}))
	})
	b.Run("bare", func(b *testing.B) { // net/http without this package, for comparison
		server := httptest.NewServer(handler)
		b.Cleanup(server.Close)
		client := &http.Client{Transport: platform.NewTransport()}
		b.ReportAllocs()
		for b.Loop() {
			req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, server.URL+"/send_message",
				strings.NewReader("user_id=90&type=text&message=yes%2C+until+six&session_id=a-session"))
			if err != nil {
				b.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			resp, err := client.Do(req)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := io.ReadAll(resp.Body); err != nil {
				b.Fatal(err)
			}
			_ = resp.Body.Close()
		}
	})
}
