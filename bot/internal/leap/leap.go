// Package leap tells which ids of the platform are believed.
//
// The ids of messages, and those of the rows of notification lists, grow over the whole platform. Nobody promises
// that a row never shows another one: after a repair, a restored copy or an overflow, one may stand for a second at
// an id that no row will reach for years. A bot that remembers how far a list was read by the highest id it showed
// would hear nothing any more. So an id that leaps is not believed before later rows stand above it.
//
// Over reports whether an id lies too far above another one. A Level is the highest id of a kind that is believed, and
// learns of each that is shown; Believable is the same for ids of which nobody knows when they were seen.
package leap

import (
	"cmp"
	"slices"
	"time"
)

const (
	// leapAtLeast is what a platform gives out in any case while nobody looks.
	leapAtLeast = 1 << 20
	// leapShare is the share of all ids so far that is given out in any case: where as much happens each day, those
	// of a sixteenth of the platform's age.
	leapShare = 16
	// farthest is where no sequence has got to; the ids of platforms that count time in them are below it until 2045
	// at least.
	farthest = 1 << 62

	sureRising = 3  // rows, each seen later than the one below it
	sureRun    = 8  // rows, whenever they were seen
	mostOdd    = 64 // ids that leap are remembered
)

// IsLeap reports whether an id lies implausibly far above another one of its kind that was given out before. From 0, where
// none is known, it does when no platform has got there yet.
func IsLeap(from, to int64) bool {
	if from <= 0 {
		return to >= farthest
	}
	return to > from && to-from > max(leapAtLeast, from/leapShare) //mutate:leap
}

// Level is the highest id of a kind that is believed. Ids above it have leapt: they are remembered until several rows
// above the leap show that the ids have really grown there – three of which each was first seen later than the one
// below it, or eight. That a row is shown again shows nothing. The zero Level knows no id.
type Level struct {
	top int64
	odd *oddIDs // nil while there are none: levels are small
}

// oddIDs are ids that have leapt, in ascending order, all above the level.
type oddIDs []oddID

// oddID is an id that has leapt.
type oddID struct {
	id   int64
	seen int64 // when first, in Unix nanoseconds
}

// NewLevel returns a level that starts at an id, which is believed without a check; 0 for none.
func NewLevel(top int64) Level { return Level{top: top} }

// TopID returns the highest id that is believed, 0 for none.
func (l *Level) TopID() int64 { return l.top }

// IsOdd reports whether an id is not believed.
func (l *Level) IsOdd(id int64) bool { return id > l.top }

// NoteID notes an id that a reading at a time showed, and returns the highest one that is believed now. Those of one
// reading come in ascending order, with one time.
func (l *Level) NoteID(at time.Time, id int64) int64 {
	switch {
	case id <= l.top:
	case IsLeap(l.top, id):
		l.remember(oddID{id, at.UnixNano()})
		l.confirm()
	default:
		l.raise(id)
	}
	return l.top
}

// SetTop puts the level at top, above which nothing is believed any more.
func (l *Level) SetTop(top int64) { *l = Level{top: top} }

func (l *Level) raise(top int64) {
	l.top = top
	if l.odd == nil {
		return
	}
	*l.odd = slices.DeleteFunc(*l.odd, func(o oddID) bool { return o.id <= top })
	if len(*l.odd) == 0 {
		l.odd = nil
	}
}

func (l *Level) remember(o oddID) {
	if l.odd == nil {
		l.odd = &oddIDs{}
	}
	at, known := slices.BinarySearchFunc(*l.odd, o.id, func(x oddID, id int64) int { return cmp.Compare(x.id, id) })
	if known { //mutate:shown-again
		return
	}
	*l.odd = slices.Insert(*l.odd, at, o)
	if len(*l.odd) > mostOdd {
		*l.odd = (*l.odd)[:mostOdd] // without the most absurd one
	}
}

// confirm believes the highest run of ids without a leap in it that shows that the ids have grown, and all below it.
func (l *Level) confirm() {
	odd := *l.odd
	for end := len(odd); end > 0; {
		start := end - 1
		for start > 0 && !IsLeap(odd[start-1].id, odd[start].id) {
			start--
		}
		if sure(odd[start:end]) {
			l.raise(odd[end-1].id)
			return
		}
		end = start
	}
}

// sure reports whether a run of ids shows that the ids have grown there.
func sure(run []oddID) bool {
	rising, last := 0, int64(0)
	for _, o := range run {
		if rising == 0 || o.seen > last {
			rising, last = rising+1, o.seen
		}
	}
	return rising >= sureRising || len(run) >= sureRun
}

// HighestBelievable returns the highest of some ids of which nobody knows when they were seen that is believed; 0 for none.
func HighestBelievable(ids []int64) int64 {
	var l Level
	for _, id := range slices.Sorted(slices.Values(ids)) {
		l.NoteID(time.Time{}, id)
	}
	return l.top
}
