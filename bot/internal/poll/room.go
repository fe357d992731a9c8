package poll

import "sync/atomic"

// RoomSize is how many bytes the rows may take that all pollers of a process have read and not handed over yet.
const RoomSize = 64 << 20

// roomShare is the share that one reading may have: the others go on beside one that finds no end.
const roomShare = 4

// Room bounds the memory of rows that were read and not handed over yet. All pollers of a process share one.
type Room struct {
	size int64
	used atomic.Int64
}

// NewRoom returns a room of so many bytes.
func NewRoom(size int64) *Room { return &Room{size: size} }

// Share is what one reading has of a room.
type Share struct {
	room *Room
	held int64
}

// NewShare returns a share of the room, of which nothing is taken yet. The zero Share has no bound.
func (r *Room) NewShare() Share { return Share{room: r} }

// TakeRoom takes so many bytes more, and reports whether there were as many.
func (s *Share) TakeRoom(bytes int64) bool {
	if s.room != nil && (s.held+bytes > s.room.size/roomShare || !s.room.takeRoom(bytes)) {
		return false
	}
	s.held += bytes
	return true
}

// GiveBack gives back all that was taken.
func (s *Share) GiveBack() {
	if s.room != nil {
		s.room.used.Add(-s.held)
	}
	s.held = 0
}

func (r *Room) takeRoom(bytes int64) bool {
	if r.used.Add(bytes) > r.size { //mutate:room
		r.used.Add(-bytes)
		return false
	}
	return true
}
