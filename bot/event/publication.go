package event

import (
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// The names of the bot's own limits, in limit uses and in the reason of what was withdrawn.
const (
	PublishingLimit = "nectar/publishing" // what an account publishes
	CeilingLimit    = "nectar/ceiling"    // what is said to one person
	// OthersLimit is what those publish for whom nothing is kept: rules and programs, where campaigns have slots.
	OthersLimit = "nectar/publishing/others"
)

// Publishes reports whether the action publishes something on the account's page: an own post, a repost or a renewal. A public
// reply does not, although it has the verb of a post, nor does a repost that is taken back.
func (a *Action) Publishes() bool {
	switch a.Verb {
	case VerbRenew:
		return true
	case VerbRepost:
		return a.Want
	case VerbPost:
		return a.Post == 0
	default:
		return false
	}
}

// Publication is something that an account has published, or is to publish: an own post, a repost or a renewal, by a
// rule, a campaign or a person.
type Publication struct {
	At    time.Time       // when its request left; as long as it has not, when it is to leave at the earliest
	Ended time.Time       // when it was over; zero as long as it is not
	Verb  Verb            // VerbPost, VerbRepost or VerbRenew; "" when that is not kept any more
	Post  platform.PostID // what is reposted, or the post that came of it; 0 while that is not known
	By    string          // what it comes from: the name of its action, see bot.Keyed, or else its rule, or else its route
	Key   string          // of its action
	State State           // due, sending, in doubt, done, or held when it may have left and nobody knows
	Apart time.Duration   // the least time to other publications that it asks for itself; 0 for none
}

// Happened reports whether it was published, as far as the platform has told.
func (p *Publication) Happened() bool { return p.State == StateDone }
