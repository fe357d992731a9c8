package recorder

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Suffix is what the file is called behind the name of its database.
const Suffix = ".recorder"

// Incarnation is one run of a process on a database.
type Incarnation struct {
	Boot     string // see Machine
	Database string // an id
	Start    int64  // which of its incarnations this is: each start has one more than the one before
	Version  string // of the program
	Deaths   int    // how many incarnations in a row before this one died while triggers were Interrupted, or ran alone
}

// Recorder writes the file. The zero pointer is one that writes nothing.
type Recorder struct {
	// Set by Open.
	path    string
	file    *os.File
	machine Machine
	before  *Report
	carried []Carried

	number atomic.Uint64 // of the last group that the database has stored

	mu     sync.Mutex // guards the fields below
	head   head
	beat   beat
	window *window // nil: slots are written like everything else
	buf    [slotSize]byte
	slots  []place
	free   []int // places; those used last come last: they are used again first
	stale  []int // free places that the file still shows as used, each once
	begun  uint64
	turn   uint64 // of the verdict
	broken error
	closed bool
}

// place is what is known of a place in the file.
type place struct {
	use           uint64 // what stands in it; 0: nothing
	stale, listed bool
}

// Open begins a file for an incarnation of a process, and returns what the one before has left: nil where that says nothing; see
// Report.isConclusive. number is that of the last group that the database has stored, so that a copy of one that was put back is known. The error is one
// of the file system: then nothing is recorded, and an older file says nothing any more, since its start is not the last one.
func Open(path string, i Incarnation, number int64, m Machine) (*Recorder, *Report, error) {
	before, err := parse(path, m)
	if err != nil {
		before = nil
	}
	last := before
	if before != nil && !before.isConclusive(&i, number) {
		last = nil
	}
	i.Deaths = deathsAfter(last)
	r := &Recorder{path: path, machine: m, before: before, head: head{Incarnation: i}}
	r.number.Store(uint64(number))
	if err := r.create(last); err != nil {
		return nil, last, fmt.Errorf("make %s: %w", path, err)
	}
	return r, last, nil
}

// create makes the file, and puts it in the place of the one before: until then the old one is whole, however the process ends.
func (r *Recorder) create(last *Report) error {
	fresh := r.path + ".new"
	f, err := os.OpenFile(fresh, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600) //nolint:gosec // beside the database
	if err != nil {
		return err
	}
	r.file = f
	r.head.device, r.head.inode = inodeOf(f)
	err = allocateRoom(f, 0, slotsAt+firstSlots*slotSize)
	if err == nil {
		r.mu.Lock()
		r.window = openWindow(f, mostFile)
		r.growLocked(firstSlots)
		r.writeLocked(r.head.encode(), 0)
		r.beatLocked()
		r.mu.Unlock()
		r.carryOver(last)
		err = r.NoteAlive()
	}
	if err == nil {
		err = os.Rename(fresh, r.path)
	}
	if err != nil {
		r.window.close()
		return errors.Join(err, f.Close(), os.Remove(fresh))
	}
	return nil
}

// FoundReport returns what lay there when the file was opened, also where that says nothing: from another boot, say, or of a database that is
// older than it. nil when nothing could be read.
func (r *Recorder) FoundReport() *Report {
	if r == nil {
		return nil
	}
	return r.before
}

// NoteStored notes the number of the last group that the database has stored. What is written from now on counts only for a database with that group.
func (r *Recorder) NoteStored(number int64) {
	if r != nil {
		r.number.Store(uint64(number))
	}
}

// Begin puts something into the file, and returns when it stands there. Where that cannot be, an action counts as on the wire with all
// others for as long as the file is there; a trigger is left out.
func (r *Recorder) Begin(s State, account, id string) Slot {
	if r == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return 0
	}
	w := row{state: s, begun: r.begun + 1, number: r.number.Load(), account: account, id: id}
	if len(account)+len(id) > slotSize-slotHead {
		if s != OnWire {
			return 0 // who it is could not be told
		}
		w.digested = true
	}
	if len(r.free) == 0 && !r.moreLocked() {
		if s == OnWire {
			r.loseLocked()
		}
		return 0
	}
	n := r.free[len(r.free)-1]
	r.free = r.free[:len(r.free)-1]
	r.begun++
	p := &r.slots[n]
	p.use, p.stale = r.begun, false
	w.encode(&r.buf)
	r.putLocked(r.buf[:], at(n))
	return Slot(r.begun<<placeBits | uint64(n+1))
}

// ChangeState notes how something stands that is in a slot.
func (r *Recorder) ChangeState(slot Slot, s State) {
	if r == nil || slot == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	n, ok := r.usedLocked(slot)
	if !ok {
		return
	}
	var b [slotSize]byte
	if _, err := r.file.ReadAt(b[:], at(n)); err != nil {
		r.failLocked(err)
		return
	}
	b[4] = byte(s)
	sign(b[:], 0)
	r.writeLocked(b[:], at(n))
}

// usedLocked returns the place of a slot; false when it has ended.
func (r *Recorder) usedLocked(slot Slot) (n int, ok bool) {
	n = slot.placeIndex()
	return n, !r.closed && r.slots[n].use == slot.useCount()
}

// End empties a slot when the database has stored the end of what stands in it. The file may show it for a moment more, which does no harm: its
// reader asks the database, too. So a slot is mostly written once for each use.
func (r *Recorder) End(slot Slot) {
	if r == nil || slot == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	n, ok := r.usedLocked(slot)
	if !ok {
		return
	}
	p := &r.slots[n]
	p.use, p.stale = 0, true
	r.free = append(r.free, n)
	if !p.listed {
		p.listed = true
		r.stale = append(r.stale, n)
	}
}

// Clear empties a slot when the database knows of no end, as for a request that came to nothing: the file shows it no more.
func (r *Recorder) Clear(slot Slot) {
	if r == nil || slot == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if n, ok := r.usedLocked(slot); ok {
		r.slots[n].use = 0
		r.free = append(r.free, n)
		r.clearLocked(n)
	}
}

func (r *Recorder) clearLocked(n int) {
	r.slots[n].stale = false
	clear(r.buf[:word])
	r.putLocked(r.buf[:word], at(n))
}

// NoteAlive is a sign of life. The error is that nothing is recorded any more; it is returned from then on.
func (r *Recorder) NoteAlive() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	for _, n := range r.stale {
		p := &r.slots[n]
		p.listed = false
		if p.stale {
			r.clearLocked(n)
		}
	}
	r.stale = r.stale[:0]
	r.beatLocked()
	return r.broken
}

// NoteCalm notes that nothing is Interrupted any more: deaths count anew from here on.
func (r *Recorder) NoteCalm() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.head.Deaths != 0 && !r.closed {
		r.head.Deaths = 0
		r.writeLocked(r.head.encode(), 0)
	}
}

// SetVerdict puts a verdict in the place of the last one.
func (r *Recorder) SetVerdict(verdict []byte) error {
	if r == nil {
		return nil
	}
	if len(verdict) > MostVerdict {
		return fmt.Errorf("a verdict of %d bytes does not fit: at most %d do", len(verdict), MostVerdict)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	r.turn++
	// Never over the last one, which somebody may be reading.
	r.writeLocked(encodeVerdict(verdict, r.turn), verdictAt+int64(r.turn%2)*verdictSize)
	return r.broken
}

// NoteFinished notes that the incarnation is over, and that all that it had begun was ended or stands in the file. Close must follow.
func (r *Recorder) NoteFinished() {
	if r == nil {
		return
	}
	_ = r.NoteAlive()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.beat.clean = true
		r.beatLocked()
	}
}

// Close closes the file, which stays. Where nothing was begun, as by a command that only brings the database up to date, it says no more than the one
// before.
func (r *Recorder) Close() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	if r.begun == uint64(len(r.carried)) && (r.before == nil || r.before.Clean) {
		r.beat.clean = true
		r.beatLocked()
	}
	r.closed = true
	r.window.close()
	return r.file.Close()
}

func (r *Recorder) beatLocked() {
	r.beat.steady, r.beat.wall, r.beat.number = int64(r.machine.Steady()), time.Now().UnixNano(), r.number.Load()
	r.writeLocked(r.beat.encode(), beatAt)
}

// moreLocked gives the file more slots.
func (r *Recorder) moreLocked() bool {
	n := len(r.slots)
	if n >= mostSlots {
		return false
	}
	if err := allocateRoom(r.file, slotsAt+int64(n)*slotSize, slotsAt+int64(2*n)*slotSize); err != nil {
		return false
	}
	r.growLocked(2 * n)
	return true
}

// growLocked makes as many slots as there is room for now.
func (r *Recorder) growLocked(n int) {
	for i := n - 1; i >= len(r.slots); i-- {
		r.free = append(r.free, i)
	}
	r.slots = append(r.slots, make([]place, n-len(r.slots))...)
}

// loseLocked notes that something is on the wire that has no slot: from then on the file does not tell what is.
func (r *Recorder) loseLocked() {
	if !r.beat.lossy {
		r.beat.lossy = true
		r.beatLocked()
	}
}

func (r *Recorder) writeLocked(b []byte, at int64) {
	if _, err := r.file.WriteAt(b, at); err != nil {
		r.failLocked(err)
	}
}

// putLocked writes a slot, or the word that it begins with.
func (r *Recorder) putLocked(b []byte, at int64) {
	if r.window == nil {
		r.writeLocked(b, at)
		return
	}
	if err := r.window.put(b, at); err != nil {
		r.failLocked(err)
	}
}

// failLocked sees to it that a file that cannot be written says nothing: what is not in it would count as not begun.
func (r *Recorder) failLocked(err error) {
	if r.broken != nil {
		return
	}
	r.broken = err
	r.window.close()
	r.window = nil
	if r.file.Truncate(0) != nil {
		_ = os.Remove(r.path) // there is nothing else left to be done
	}
}

// at returns where a place is in the file.
func at(n int) int64 { return slotsAt + int64(n)*slotSize }
