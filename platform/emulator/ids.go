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

// nextAfter returns the id that follows last: one to three further, by the seed.
func (i *ids) nextAfter(last *int64) int64 {
	*last += 1 + int64(draw.MixBits(i.seed^uint64(*last))%3)
	return *last
}

func (i *ids) nextUser() platform.UserID       { return platform.UserID(i.nextAfter(&i.user)) }
func (i *ids) nextPost() platform.PostID       { return platform.PostID(i.nextAfter(&i.post)) }
func (i *ids) nextMessage() platform.MessageID { return platform.MessageID(i.nextAfter(&i.message)) }
func (i *ids) nextChat() platform.ChatID       { return platform.ChatID(i.nextAfter(&i.chat)) }
func (i *ids) nextMedia() platform.MediaID     { return platform.MediaID(i.nextAfter(&i.media)) }
func (i *ids) nextRow() platform.RowID         { return platform.RowID(i.nextAfter(&i.row)) }
func (i *ids) nextNotification() platform.NotificationID {
	return platform.NotificationID(i.nextAfter(&i.notification))
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
