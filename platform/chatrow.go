package platform

import "github.com/nectar-bot/nectar/platform/internal/wire"

// ChatRow is a row of the chat list as it passes by. What it refers to is gone when whoever got it returns.
type ChatRow struct {
	Peer   UserID // the other person
	Unread int    // messages that are unread, as far as the platform tells
	// Digest is a hash of the row without its time, which ages by itself. Equal rows have equal digests, in
	// every process; that different rows have different ones is as good as certain.
	Digest uint64

	row, time wire.Value
}

// RawTime returns the humanised time as it stands in the answer, to be compared with that of another row.
func (r *ChatRow) RawTime() []byte { return r.time }

// Time returns the humanised time.
func (r *ChatRow) Time() string { return r.time.Name() }

// Decode reads the row.
func (r *ChatRow) Decode() Chat {
	chat, _ := readChat(r.row) // it has a peer, or would be no row
	return chat
}
