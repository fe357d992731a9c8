// Package rehearse (nothing is promised of it) is a small world around rules: people, a clock, limits and timers, all in memory.
//
//	world := rehearse.NewRehearsal(v, rehearse.Begins(v, nil))
//	scenes, err := world.Writes(world.Guest("ana"), "When do you open?")
//	for _, s := range scenes {
//		fmt.Println(s.Decision.Outcome, s.Decision.Rule)
//	}
//
// Nothing leaves it. The tests in rule files and the chat in the terminal are played in it; what was recorded is decided
// again by handlers/rules/replay.
package rehearse
