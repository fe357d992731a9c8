package record

import (
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// Having is something that an account may have.
type Having struct {
	Thing  Thing
	Event  event.ID
	Source event.Source
	Peer   platform.UserID
	Text   string // the key, id or name
	List   string
	State  string
	Since  time.Time
}

// Thing is what an account may have, and which fields of a Having say more about it.
type Thing uint8

// The things.
const (
	HasEvent      Thing = iota + 1 // Event
	HasEventsOf                    // events of Source
	HasActions                     // actions in State, which is not an end
	HasAction                      // the action of the key Text
	HasTurn                        // an action, or a turn that no event started, of the id Text, or of what it begins with up to a slash; or a timer that has had no turn yet
	HasTimer                       // the timer Text of Peer is set
	HasTimersIn                    // timers that are quarantined or orphaned, as State says
	HasOwned                       // conversations that the person or team Text has; "" for anybody
	HasNamed                       // knows somebody by the user name Text, as PeersNamed does
	HasPeer                        // has dealt with Peer
	HasSeen                        // an event of somebody with the user name Text, as PeersSeen finds it
	HasAnythingOf                  // keeps anything of Peer; see Person
	HasEntries                     // entries on lists
	HasEntriesOn                   // entries on List
	HasEntry                       // the entry Text on List
	HasIgnored                     // leaves somebody alone
	HasValues                      // values that the plugin Text keeps for the account
	HasHandled                     // has handled something since Since; see Recorded
)
