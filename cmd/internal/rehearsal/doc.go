// Package rehearsal plays the campaigns of an account on a clock of their own, over a platform that is made up: nothing leaves.
//
//   - rehearsal.go: time passes, and slots are decided
//   - edit.go: files are saved meanwhile
//   - hand.go: what people do, on the platform and as operators
//   - stage.go: the platform
package rehearsal
