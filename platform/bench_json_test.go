package platform_test

import (
	"encoding/json"
	"testing"
)

// What a chat list of 1,000 rows would cost to read with encoding/json, when all its members had always the same types:
// BenchmarkChats is the other side, with the request.
func BenchmarkChatsByEncodingJSON(b *testing.B) {
	body := chatList(1000)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		var list struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
			Data    []struct {
				UserID      int64  `json:"user_id"`
				Username    string `json:"username"`
				Name        string `json:"name"`
				Avatar      string `json:"avatar"`
				Verified    string `json:"verified"`
				ChatID      int64  `json:"chat_id"`
				Time        string `json:"time"`
				LastMessage string `json:"last_message"`
				NewMessages string `json:"new_messages"`
				ChatURL     string `json:"chat_url"`
			} `json:"data"`
		}
		if err := json.Unmarshal(body, &list); err != nil || len(list.Data) != 1000 {
			b.Fatal(len(list.Data), err)
		}
	}
}
