// Package crowd (nothing is promised of it) fills a platform with made-up people who write to an account, and do what people do beside that: they
// mention it, answer its posts, like and repost them, follow it, and take some of it back.
//
// They write in several languages, with emoji, twins of the same text, long texts and stray spaces, in bursts. Who they are
// and what each of them does is decided by a seed, not by the timing, so that a run can be repeated:
//
//	people := crowd.New(p, crowd.Config{Seed: 7, People: 20, Messages: 1000, Account: bot, Reactions: true})
//	if err := people.Run(ctx); err != nil {
//		return err
//	}
//	fmt.Println(judge.Platform(p, expect))
//
// A load is a crowd that writes as fast as the platform takes it (the default), a rehearsal one that waits for its answers
// (Wait) and pauses to think (Pauses). One that writes at moments of its own, whatever the account does (Lasts), shows how long answers
// take at a rate. nectar demo and nectar emulate are made of it.
package crowd
