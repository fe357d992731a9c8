// Package campaigns runs campaigns: it reposts and publishes what their files plan, at the minute that the plan shows.
//
// What comes in a slot is decided by handlers/campaigns, which the plan is made by, too. The plugin gives it what is remembered
// and what it has to know of the platform, in turns of the account itself, and does what it says: a turn a minute before a slot
// leaves, one when an approval is to be asked for, one when it is known what became of a slot.
//
//   - plugin.go: the plugin and its routes; module.go: in an fx application
//   - files.go: which campaigns are wanted; edits.go: which are in force, and what waits
//   - look.go: one turn
//   - campaign.go: a campaign as it is kept; values.go: what is kept, by name; memory.go: what a turn knows; booked.go: the same from outside
//   - reading.go: what the platform says of posts
//   - doing.go: what a decision does
//   - concluding.go: what became of what was done
//   - lifts.go: whether renewals lift posts on the platform
//   - stop.go: what ends a campaign, also replies to what it has published
//   - sick.go: what keeps one campaign, or one turn, from stopping the others
//   - asks.go: what people ask
//   - report.go: what they are told of how it went
package campaigns
