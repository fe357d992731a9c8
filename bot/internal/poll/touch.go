package poll

import (
	"sync"

	"github.com/nectar-bot/nectar/platform"
)

// touched remembers chats whose messages somebody else of ours has read. That may have marked them
// as seen, so the chat list no longer tells that there is something to read.
type touched struct {
	mu    sync.Mutex // guards the field below
	peers map[platform.UserID]struct{}
}

func (t *touched) add(peer platform.UserID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.peers == nil {
		t.peers = map[platform.UserID]struct{}{}
	}
	t.peers[peer] = struct{}{}
}

// takeTouched returns the chats touched since the last call.
func (t *touched) takeTouched() map[platform.UserID]struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	peers := t.peers
	t.peers = nil
	return peers
}

// NoteTouched tells the poller that the messages with peer were read by another part of the program. The
// next cycle reads them too, whatever the chat list says.
func (p *Poller) NoteTouched(peer platform.UserID) { p.touched.add(peer) }

// pendTouched queues the chats that were touched. The rows are in the order of seen.
func (cr *chatReader) pendTouched(c *cycle, seen *listing) {
	peers := c.touched.takeTouched()
	if len(peers) == 0 {
		return
	}
	for i := range seen.glances {
		if _, ok := peers[cr.in.rows[i].peer]; ok {
			cr.queueChat(cr.chatOfRow(seen, i))
		}
	}
}
