package poll_test

import (
	"testing"

	"github.com/nectar-bot/nectar/bot/internal/poll"
)

// A reading has a quarter of the room at most, all together no more than there is, and what is given back others can have.
func TestRoom(t *testing.T) {
	room := poll.NewRoom(100)
	var shares [5]poll.Share
	for i := range shares {
		shares[i] = room.NewShare()
		if fits, more := shares[i].TakeRoom(25), shares[i].TakeRoom(1); fits != (i < 4) || more && i < 4 {
			t.Errorf("share %d: %v, %v", i, fits, more)
		}
	}
	shares[1].GiveBack()
	if !shares[4].TakeRoom(20) || shares[1].TakeRoom(20) {
		t.Error("what was given back is gone, or there twice")
	}
	var unbound poll.Share
	if !unbound.TakeRoom(1 << 40) {
		t.Error("a share of nothing has a bound")
	}
	unbound.GiveBack()
}
