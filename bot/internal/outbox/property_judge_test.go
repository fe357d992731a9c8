package outbox_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// open says what did not come to an end.
func (x *telling) open() []string {
	var problems []string
	for _, a := range x.disk.all() {
		if !a.State.Final() && (!x.story.Held || a.State != event.StateHeld) {
			problems = append(problems, fmt.Sprintf("%s %s %q: %s, %s", a.Key, a.Verb, a.Text, a.State, a.Reason))
		}
	}
	return problems
}

// stuck lets a day pass in which the platform may be hard to read, and tells what was in doubt all the time.
func (x *telling) stuck() []string {
	if !x.story.Held {
		return nil
	}
	inDoubt := func() map[string]bool {
		keys := map[string]bool{}
		_ = x.ledger.MarkNow(x.ctx)
		for _, a := range x.disk.all() {
			if a.State == event.StateInDoubt {
				keys[a.Key] = true
			}
		}
		return keys
	}
	before := inDoubt()
	x.until(24*time.Hour, x.quiet)
	var problems []string
	for key := range inDoubt() {
		if before[key] {
			problems = append(problems, key+" was unsure for a day")
		}
	}
	return problems
}

func (x *telling) judge() []string {
	problems := x.open()
	for i, who := range x.people {
		problems = append(problems, x.judgeRow(fmt.Sprint("to person ", i), x.arrived(who), func(a *event.Action) bool {
			return a.Verb == event.VerbMessage && a.Peer == who
		})...)
		problems = append(problems, x.judgeRanks(who)...)
		problems = append(problems, x.judgeLike(i)...)
	}
	for _, post := range append(x.posts, 0) {
		var got []string
		for _, e := range x.entries(emulator.Published) {
			if x.parent(e) == post {
				got = append(got, e.Text)
			}
		}
		if post == 0 {
			problems = append(problems, x.judgeWall(got)...)
			continue
		}
		problems = append(problems, x.judgeRow(fmt.Sprint("below ", post), got, func(a *event.Action) bool {
			return a.Verb == event.VerbPost && a.Post == post
		})...)
	}
	return problems
}

// judgeWall wants of posts, which different conversations publish in no order, what judgeRow wants of rows.
func (x *telling) judgeWall(got []string) []string {
	least, most := map[string]int{}, map[string]int{}
	for _, a := range slices.Concat(x.disk.all(), slices.Collect(maps.Values(x.disk.strays))) {
		if a.Verb == event.VerbPost && a.Post == 0 {
			text := strings.TrimSpace(a.Text)
			most[text]++
			if a.State == event.StateDone {
				least[text]++
			}
		}
	}
	for _, text := range got {
		least[text]--
		most[text]--
	}
	for text := range most {
		if least[text] > 0 || most[text] < 0 {
			return []string{fmt.Sprintf("on the wall: %q is missing %d times, got %q", text, least[text], got)}
		}
	}
	return nil
}

// judgeRow wants what is done to be there once, in the order of its release, and what was left to a person at most
// once.
func (x *telling) judgeRow(name string, got []string, in func(*event.Action) bool) []string {
	reached := make([]bool, len(got)+1) // how much of what is there may be explained so far
	reached[0] = true
	var want []string
	seen := map[string]bool{}
	for _, key := range x.disk.released {
		a := x.disk.action(key)
		if !in(&a) {
			continue
		}
		there := x.there[a.Key] && !seen[a.Key] // what is known is what became of it first
		seen[a.Key] = true
		text := strings.TrimSpace(a.Text)
		want = append(want, fmt.Sprintf("%s %q", a.State, text))
		for n := len(got); n >= 0; n-- {
			here := n > 0 && reached[n-1] && got[n-1] == text
			reached[n] = here || reached[n] && a.State != event.StateDone && !there
		}
	}
	if reached[len(got)] {
		return nil
	}
	return []string{fmt.Sprintf("%s: want %v, got %q", name, want, got)}
}

// judgeRanks wants messages of the same priority to be released in the order in which they were decided or their
// time came.
func (x *telling) judgeRanks(who platform.UserID) []string {
	var problems []string
	for rank := event.Answer; rank <= event.Broadcast; rank++ {
		var got []event.Action
		for _, key := range x.disk.released {
			if a := x.disk.action(key); a.Verb == event.VerbMessage && a.Peer == who && x.ranks[a.Key] == rank {
				got = append(got, a)
			}
		}
		if !slices.IsSortedFunc(got, func(a, b event.Action) int {
			return later(a.DecidedAt, x.dues[a.Key]).Compare(later(b.DecidedAt, x.dues[b.Key]))
		}) {
			problems = append(problems, fmt.Sprintf("to %d, priority %d: released as %+v", who, rank, got))
		}
	}
	return problems
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// parent returns the post that a reply of the account answers.
func (x *telling) parent(e emulator.Entry) platform.PostID {
	if i := slices.Index(x.people, e.To); i >= 0 {
		return x.posts[i]
	}
	return 0
}

// judgeLike wants the switches of a like to be among the wishes, in their order, and to end with the
// last one, unless a person has to see to it.
func (x *telling) judgeLike(i int) []string {
	wishes := x.wishes[i]
	liked := x.p.Liked(x.bot, x.posts[i])
	if len(wishes) == 0 {
		return nil
	}
	var problems []string
	held := slices.ContainsFunc(x.disk.all(), func(a event.Action) bool {
		return a.Verb == event.VerbLike && a.Post == x.posts[i] && a.State == event.StateHeld
	})
	if last := wishes[len(wishes)-1]; liked != last && !held {
		problems = append(problems, fmt.Sprintf("post %d: liked %t after the wishes %v", i, liked, wishes))
	}
	at := 0
	for _, e := range x.entries(emulator.Liked, emulator.Unliked) {
		if e.Post != x.posts[i] {
			continue
		}
		n := slices.Index(wishes[at:], e.Kind == emulator.Liked)
		if n < 0 {
			return append(problems, fmt.Sprintf("post %d flickers: %v", i, wishes))
		}
		at += n + 1
	}
	return problems
}
