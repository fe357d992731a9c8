// Package replay (nothing is promised of it) decides again what was recorded.
//
// [Explain] decides one stored turn again, by the rules that it names, and says why it ended as it did. A [Replay] lets a
// whole recording happen again by other rules, on a clock of its own, and reports each [Exchange] with what is said in the
// place of what was; with base it compares two versions in this way.
//
//	r := replay.NewReplay(base, v, func(x *replay.Exchange) { fmt.Println(x.Change) })
//	for _, turn := range recorded {
//		if err := r.Add(turn); err != nil {
//			return err
//		}
//	}
//	r.End()
//
// Nothing is read from the platform, and nothing leaves: what a turn had read is stored with it.
package replay
