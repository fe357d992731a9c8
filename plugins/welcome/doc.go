// Package welcome greets new followers and thanks those who repost: the pattern for plugins.
//
// Each follower is greeted once ever, also one who leaves and comes back. Each repost is thanked once for
// a person and post. Both hold over crashes. What the plugin remembers of a person is a Guest, kept in
// the conversation and stored with the turn that changes it.
//
//	fx.New(config.Module, bot.Module, welcome.Module, fx.Supply(welcome.Config{FollowBack: true})).Run()
package welcome
