// Package script plays scenes on a platform: what people do to an account, step by step, and what they expect back.
//
//	ana, leo := script.Actor("ana"), script.Actor("leo")
//	err := script.Play(ctx, p, script.Script{Account: bot, Steps: []script.Step{
//		ana.Says("hello"),
//		ana.Expects("hello, ana"),
//		leo.Reposts(menu),
//		leo.Expects("thank you"),
//	}})
//
// The bot may be any program: a scene needs nothing of it but its account. The error names the step that failed, and
// why. Tests of a bot that runs in the same process are shorter with package bottest.
package script
