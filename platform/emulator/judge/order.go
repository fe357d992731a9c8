package judge

import "slices"

// editLimit bounds the search for the fewest differences between what was due and what arrived. A
// conversation with more of them is counted by a coarser rule.
const editLimit = 2000

// outOfOrder returns how many of the replies that arrived would have to be moved to put the
// conversation in the order in which it was said. Missing replies and surplus ones are no disorder.
func (c *conversation) outOfOrder() int {
	var places []int // of the replies that arrived, as they arrived
	for _, a := range c.arrived {
		if a.due >= 0 {
			places = append(places, a.due)
		}
	}
	if slices.IsSorted(places) {
		return 0
	}
	expected, got := make([]string, len(c.due)), make([]string, len(c.arrived))
	for i, d := range c.due {
		expected[i] = d.text
	}
	for i, a := range c.arrived {
		got[i] = a.text
	}
	// Texts count, not places: among twins nobody can tell which one is missing.
	if kept, ok := common(expected, got); ok {
		return max(0, len(places)-kept)
	}
	return len(places) - longestRise(places)
}

// firstOvertaking returns the first two replies that arrived in the wrong order.
func (c *conversation) firstOvertaking() (first, second string) {
	highest := -1
	for _, a := range c.arrived {
		if a.due < 0 {
			continue
		}
		if a.due < highest {
			return c.due[highest].text, a.text
		}
		highest = a.due
	}
	return "", ""
}

// common returns the length of the longest common subsequence of a and b. It gives up, and reports
// so, when they differ in more than editLimit places.
func common(a, b []string) (int, bool) {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	a, b = a[head:], b[head:]
	tail := 0
	for tail < len(a) && tail < len(b) && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	a, b = a[:len(a)-tail], b[:len(b)-tail]
	n, ok := edits(a, b)
	return head + tail + (len(a)+len(b)-n)/2, ok
}

// edits returns the fewest insertions and deletions that make b of a, by Myers' greedy algorithm.
func edits(a, b []string) (int, bool) {
	limit := min(len(a)+len(b), editLimit)
	reach := make([]int, 2*limit+3) // by diagonal: how far into a one gets with this many edits
	at := func(diagonal int) *int { return &reach[limit+1+diagonal] }
	for n := 0; n <= limit; n++ {
		for k := -n; k <= n; k += 2 {
			x := *at(k - 1) + 1
			if k == -n || k != n && *at(k - 1) < *at(k + 1) {
				x = *at(k + 1)
			}
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			*at(k) = x
			if x >= len(a) && x-k >= len(b) {
				return n, true
			}
		}
	}
	return limit, false
}

// longestRise returns the length of the longest rising subsequence of places.
func longestRise(places []int) int {
	var ends []int // by length: the lowest end of a rise of that length
	for _, p := range places {
		i, _ := slices.BinarySearch(ends, p)
		if i == len(ends) {
			ends = append(ends, p)
		} else {
			ends[i] = p
		}
	}
	return len(ends)
}
