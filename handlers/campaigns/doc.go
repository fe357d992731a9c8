// Package campaigns (nothing is promised of it) decides what a campaign does, and when: which post goes in which slot, at which minute, and
// why a slot stays empty.
//
//	Campaign ────────┐
//	Memory ──────────┤
//	Uses ────────────┼─► decide ─► Verdict ─► Take ─► Memory, Uses
//	AccountFacts ────┤      ▲
//	Facts ───────────┘      └── Plan: the same, over all slots of an account in the order of their minutes
//
// Everything here is pure: it reads no clock, no file and no generator, and changes nothing that it is given. decide is the
// one function that decides a slot. [Plan] is decide folded over time, with what it decided taken for done; by [Find] the bot calls
// it with what it has read on the platform. So a plan is what will happen, as far as nothing else happens.
//
//   - slot.go, calendar.go: which slots there are, and when each comes
//   - campaign.go: what was written
//   - memory.go, uses.go: what is remembered of a campaign, and of its account
//   - facts.go: what is known of the account, and of the platform
//   - decide*.go, turn.go: the decision
//   - verdict.go: what comes of it, with its reason
//   - take.go: what is remembered of it
//   - plan.go: the decisions to come
//   - revise.go: an edit takes effect
package campaigns
