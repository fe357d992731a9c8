package grammar

import "github.com/nectar-bot/nectar/internal/textfile"

// HeldReason is why a rule that matched was held back.
type HeldReason string

// What holds a rule back, in the words of when: held_back.
const (
	HeldLimit   HeldReason = "limit"    // a limit of it is used up
	HeldTooMany HeldReason = "too_many" // its if_too_many has stopped it
	HeldHours   HeldReason = "hours"    // quiet hours dropped what it says, or kept it from beginning
	HeldCeiling HeldReason = "ceiling"  // so much was said to the person that no more leaves: NECTAR_CEILING
	HeldPaused  HeldReason = "paused"   // somebody of ours has paused it
)

// FromText reads a reason.
func (h *HeldReason) FromText(n textfile.Node) textfile.Problems {
	return textfile.OneOf(n, h, HeldLimit, HeldTooMany, HeldHours, HeldCeiling, HeldPaused)
}
