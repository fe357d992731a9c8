// Package transcript (nothing is promised of it) tells what happens between an account and people, one line each, for people to read.
//
//	10:02:31 ana      hello there
//	10:02:31 bot  →   ana: hello, ana
//	10:02:33 leo      ♥ likes "spring menu"
//
// Write tells what happened until now, for a test that compares it or shows it when it fails. Follow tells it while it
// happens, for somebody who watches:
//
//	err := transcript.Follow(ctx, p, os.Stdout, transcript.Config{Account: bot})
package transcript
