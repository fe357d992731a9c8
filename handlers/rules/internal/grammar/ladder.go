package grammar

import "github.com/nectar-bot/nectar/handlers/rules/decision"

// MoreCareful returns the more careful one of two. An empty one says nothing.
func MoreCareful(s decision.Status, most decision.Status) decision.Status {
	ladder := map[decision.Status]int{decision.Paused: 1, decision.Watch: 2, decision.Ask: 3, decision.Live: 4}
	if s == "" || ladder[most] < ladder[s] {
		return most
	}
	return s
}
