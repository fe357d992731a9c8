package recorder

import (
	"cmp"
	"errors"
	"io"
	"os"
	"slices"
	"time"
)

// Report is what stands in a file.
type Report struct {
	Incarnation

	Here    bool          // it is of this boot of the machine
	Clean   bool          // the incarnation was ended, and has not died
	Silent  time.Duration // since its last sign of life, which it gives every BeatEvery; only if Here
	At      time.Time     // when that was by the clock on the wall
	Number  int64         // the highest number of a group that the database is known to have stored
	Verdict []byte        // nil: none
	Entries []Entry       // those begun last first

	torn   bool // not all of it could be read
	copied bool
	lossy  bool
	onWire map[[2]string]struct{}
	served map[string]struct{}
}

// Entry is a trigger that stands in a file.
type Entry struct {
	State       State
	Account, ID string
}

// BeatEvery is how often a process gives a sign of life.
const BeatEvery = 2 * time.Second

// errTorn is the error of a file that is none, or not whole.
var errTorn = errors.New("it is no recorder file, or not whole")

// Read returns what stands in a file now, also beside the process that writes it. A part that was just being written is left out.
func Read(path string, m Machine) (*Report, error) {
	var p *Report
	var err error
	for range 3 {
		if p, err = parse(path, m); err == nil && !p.torn {
			break
		}
	}
	return p, err
}

// HasLeft reports whether the request of an action may have left without the database knowing its end. Where nothing is known, any may: of a report
// that is nil, and of an account that was not served.
func (p *Report) HasLeft(account, id string) bool {
	if p == nil || p.lossy { //mutate:recorder-lossy
		return true
	}
	if _, served := p.served[account]; !served { //mutate:recorder-served
		return true
	}
	_, on := p.onWire[[2]string{account, id}]
	if !on && len(account)+len(id) > slotSize-slotHead {
		_, on = p.onWire[[2]string{"", digestOf(account, id)}]
	}
	return on
}

// isConclusive reports whether a report tells how the incarnation before i has ended. In all other cases an action that is not in it may have left all
// the same, and something in it may be long over.
func (p *Report) isConclusive(i *Incarnation, number int64) bool {
	switch {
	case p.torn, p.copied, !p.Here: //mutate:recorder-boot
	case p.Database != i.Database:
	case p.Start != i.Start-1: // there was one in between that has left no file
	case p.Number > number: // the database is a copy from before
	default:
		return true
	}
	return false
}

// CrashReport returns the report of the incarnation before this one when that was not stopped; nil when it was, or nothing is known of it. Unlike what
// Open returns, it says nothing of what was under way: the machine may have died with it.
func (r *Recorder) CrashReport() *Report {
	p := r.FoundReport()
	if p == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if p.Clean || p.copied || p.Database != r.head.Database || p.Start != r.head.Start-1 {
		return nil
	}
	return p
}

// IsLater reports whether a report is of a later state of a database than the one that an incarnation has found: an older copy of it was put
// back.
func (p *Report) IsLater(i *Incarnation, number int64) bool {
	if p == nil || p.copied || p.Database != i.Database {
		return false
	}
	return p.Start >= i.Start || p.Start == i.Start-1 && p.Number > number
}

// parse reads a file.
func parse(path string, m Machine) (*Report, error) {
	f, err := os.Open(path) //nolint:gosec // beside the database
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, mostFile))
	if err != nil {
		return nil, err
	}
	p, h, err := decode(b)
	if err != nil {
		return nil, err
	}
	device, number := inodeOf(f)
	p.copied = device != h.device || number != h.inode
	if p.Here = m.Boot != "" && p.Boot == m.Boot; p.Here {
		p.Silent = max(0, m.Steady()-p.Silent)
	} else {
		p.Silent = 0
	}
	return p, nil
}

// decode reads the content of a file. Silent is when its last sign of life was.
func decode(b []byte) (*Report, *head, error) {
	if len(b) < slotsAt || (len(b)-slotsAt)%slotSize != 0 {
		return nil, nil, errTorn
	}
	h, ok := decodeHead(b)
	if !ok {
		return nil, nil, errTorn
	}
	v, ok := decodeBeat(b[beatAt : beatAt+beatSize])
	p := &Report{Incarnation: h.Incarnation, torn: !ok, onWire: map[[2]string]struct{}{}, served: map[string]struct{}{}}
	if ok {
		p.Clean, p.Silent, p.At, p.lossy = v.clean, time.Duration(v.steady), time.Unix(0, v.wall), v.lossy
	}
	p.Verdict, _ = decodeVerdict(b[verdictAt:slotsAt])
	number := v.number
	var rows []row
	for at := slotsAt; at < len(b); at += slotSize {
		w, ok := decodeRow(b[at : at+slotSize])
		p.torn = p.torn || !ok //mutate:recorder-torn
		number = max(number, w.number)
		switch w.state {
		case free, states:
		case OnWire:
			p.onWire[[2]string{w.account, w.id}] = struct{}{}
		case Served:
			p.served[w.account] = struct{}{}
		case Running, Interrupted, Alone, Asking:
			rows = append(rows, w)
		}
	}
	p.Number = int64(number)
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(b.begun, a.begun) })
	for _, w := range rows {
		p.Entries = append(p.Entries, Entry{w.state, w.account, w.id})
	}
	return p, &h, nil
}
