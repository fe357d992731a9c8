// Package judge (nothing is promised of it) says what a bot did, by the ledger of the platform that it worked on: what was lost, doubled or out of
// order, and which likes, reposts and follows are in the wrong state at the end.
//
// An Expect is what a correct bot does; everything that an account does beyond it counts against the bot:
//
//	expect := judge.Expect{
//		Account: bot,
//		Replies: func(said emulator.Entry) []string { return []string{"You said: " + said.Text} },
//	}
//	if err := judge.AwaitQuiet(ctx, p, expect, time.Minute); err != nil {
//		return err
//	}
//	if verdict := judge.Platform(p, expect); !verdict.OK() {
//		fmt.Println(verdict, verdict.Details)
//	}
//
// AwaitQuiet waits until nothing is missing any more. Platform judges what happened so far, Entries a part of a ledger that the
// caller has picked. None of them asks the bot: the judge knows only what reached the platform.
package judge
