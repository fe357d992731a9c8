package judge_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/platform"
	. "github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
	"pgregory.net/rapid"
)

func TestVerdictTellsTheFirstFindings(t *testing.T) {
	t.Parallel()
	var b book
	for i := range 30 {
		b.say(ana, fmt.Sprintf("message %d", i))
	}
	v := judge.Entries(b, everything)
	if v.OK() || v.Lost != 30 || len(v.Details) != 20 {
		t.Errorf("OK %v, %d lost, %d details", v.OK(), v.Lost, len(v.Details))
	}
	const want = "not clear: 30 messages, 0 replies, 30 lost, 0 doubled, 0 out of order, 0 late; " +
		"wrong at the end: 0 likes, 0 reposts, 0 follows; 0 flickers; 0 logins, 0 refreshes; p50 0s, p99 0s"
	if got := v.String(); got != want {
		t.Errorf("String():\n got %s\nwant %s", got, want)
	}
}

func TestVerdictPercentiles(t *testing.T) {
	t.Parallel()
	var b book
	for i := range 200 {
		b.say(ana, fmt.Sprint(i))
	}
	for i := range 200 {
		b.answer(ana, fmt.Sprint("echo: ", i))
	}
	for i := range b[200:] {
		b[i].Message, b[200+i].At = platform.MessageID(1000+i), b[i].At.Add(time.Duration(i+1)*time.Millisecond)
	}
	var told []platform.MessageID
	expect := everything
	expect.Answered = func(said platform.MessageID, at time.Time) {
		if told = append(told, said); !at.Equal(b[199+len(told)].At) {
			t.Errorf("the answer to %d came at %v", said, at)
		}
	}
	v := judge.Entries(b, expect)
	if len(told) != 200 || told[0] != 1000 || told[199] != 1199 {
		t.Errorf("answers were told to %v", told)
	}
	if v.P50 != 100*time.Millisecond || v.P99 != 198*time.Millisecond {
		t.Errorf("p50 %v, p99 %v", v.P50, v.P99)
	}
}

// perfect draws a run in which everything is answered once and in order.
func perfect(t *rapid.T, text func(n int) string) book {
	var b book
	said := 0
	open := map[platform.UserID][]string{}
	for range rapid.IntRange(1, 80).Draw(t, "steps") {
		who := platform.UserID(rapid.IntRange(2, 4).Draw(t, "who"))
		if todo := open[who]; len(todo) > 0 && rapid.Bool().Draw(t, "answer") {
			b.answer(who, todo[0])
			open[who] = todo[1:]
			continue
		}
		said++
		b.say(who, text(said))
		open[who] = append(open[who], "echo: "+text(said))
	}
	for who := range platform.UserID(5) {
		b.answer(who, open[who]...)
	}
	return b
}

// some draws positions of arrivals in b, rising.
func some(t *rapid.T, b book) []int {
	var arrivals []int
	for i, e := range b {
		if e.Kind == Arrived {
			arrivals = append(arrivals, i)
		}
	}
	chosen := rapid.SliceOfNDistinct(rapid.SampledFrom(arrivals), 0, min(10, len(arrivals)), rapid.ID[int]).Draw(t, "chosen")
	slices.Sort(chosen)
	return chosen
}

func findings(v judge.Verdict) [3]int { return [3]int{v.Lost, v.Doubled, v.OutOfOrder} }

func TestVerdictCountsExactly(t *testing.T) {
	t.Parallel()
	// Few texts: nearly every message has twins, and still nothing but the damage may be counted.
	twins := func(n int) string { return string(rune('a' + n%3)) }
	distinct := func(n int) string { return fmt.Sprint(n) }
	check := func(t *rapid.T, b book, want [3]int) {
		if got := findings(judge.Entries(b, everything)); got != want {
			t.Fatalf("lost, doubled, out of order: got %v, want %v in %v", got, want, b)
		}
	}
	t.Run("perfect", rapid.MakeCheck(func(t *rapid.T) {
		check(t, perfect(t, twins), [3]int{})
	}))
	t.Run("removed", rapid.MakeCheck(func(t *rapid.T) {
		b := perfect(t, twins)
		chosen := some(t, b)
		for _, i := range slices.Backward(chosen) {
			b = slices.Delete(b, i, i+1)
		}
		check(t, b, [3]int{len(chosen), 0, 0})
	}))
	t.Run("duplicated", rapid.MakeCheck(func(t *rapid.T) {
		b := perfect(t, twins)
		chosen := some(t, b)
		for _, i := range slices.Backward(chosen) {
			b = slices.Insert(b, rapid.IntRange(i+1, len(b)).Draw(t, "later"), b[i])
		}
		check(t, b, [3]int{0, len(chosen), 0})
	}))
	t.Run("swapped", rapid.MakeCheck(func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "messages")
		var b book
		for i := range n {
			b.say(ana, distinct(i))
		}
		for i := range n {
			b.answer(ana, "echo: "+distinct(i))
		}
		swaps := 0
		for i := n; i+1 < 2*n; i++ {
			if rapid.Bool().Draw(t, "swap") {
				b[i].Text, b[i+1].Text = b[i+1].Text, b[i].Text
				swaps++
				i++
			}
		}
		check(t, b, [3]int{0, 0, swaps})
	}))
}

// A conversation in complete disorder is counted too, and in reasonable time.
func TestVerdictOnHopelessDisorder(t *testing.T) {
	t.Parallel()
	var b book
	const n = 20_000
	for i := range n {
		b.say(ana, fmt.Sprint(i))
	}
	for i := range n {
		b.answer(ana, fmt.Sprint("echo: ", n-1-i))
	}
	if got := findings(judge.Entries(b, everything)); got != [3]int{0, 0, n - 1} {
		t.Errorf("lost, doubled, out of order: %v", got)
	}
}

func BenchmarkVerdict(b *testing.B) {
	var entries book
	const people, each = 1000, 500
	for i := range each {
		for who := range people {
			entries.say(platform.UserID(who+2), fmt.Sprint("message ", i))
		}
		for who := range people {
			entries.answer(platform.UserID(who+2), fmt.Sprint("echo: message ", i))
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if v := judge.Entries(entries, everything); !v.OK() {
			b.Fatal(v)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(entries)), "ns/entry")
}
