package emulator

import (
	"crypto/sha512"
	"encoding/binary"
	"encoding/hex"

	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator/internal/draw"
)

// ids hands out the numbers of the platform. They grow, with gaps.
type ids struct {
	seed                                           uint64
	user, post, message, notification, chat, media int64
	row, token                                     int64
}

func newIDs(seed uint64) ids {
	return ids{seed: seed, user: 10, post: 200, message: 500, notification: 30, chat: 4, media: 80, row: 15}
}

// after returns the id that follows last: one to three further, by the seed.
func (i *ids) after(last *int64) int64 {
	*last += 1 + int64(draw.Mix(i.seed^uint64(*last))%3)
	return *last
}

func (i *ids) nextUser() platform.UserID       { return platform.UserID(i.after(&i.user)) }
func (i *ids) nextPost() platform.PostID       { return platform.PostID(i.after(&i.post)) }
func (i *ids) nextMessage() platform.MessageID { return platform.MessageID(i.after(&i.message)) }
func (i *ids) nextChat() platform.ChatID       { return platform.ChatID(i.after(&i.chat)) }
func (i *ids) nextMedia() platform.MediaID     { return platform.MediaID(i.after(&i.media)) }
func (i *ids) nextRow() platform.RowID         { return platform.RowID(i.after(&i.row)) }
func (i *ids) nextNotification() platform.NotificationID {
	return platform.NotificationID(i.after(&i.notification))
}

// nextToken returns a long opaque text that no other call returned.
func (i *ids) nextToken() string {
	i.token++
	var in [16]byte
	binary.BigEndian.PutUint64(in[:8], i.seed)
	binary.BigEndian.PutUint64(in[8:], uint64(i.token))
	sum := sha512.Sum512(in[:])
	return hex.EncodeToString(sum[:40])
}
