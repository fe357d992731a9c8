package recorder

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// machine is one whose clock the test sets.
type machine struct {
	boot string
	now  time.Duration
}

func (m *machine) as() Machine {
	return Machine{Boot: m.boot, Steady: func() time.Duration { return m.now }}
}

type world struct {
	t    *testing.T
	path string
	machine
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return &world{t: t, path: filepath.Join(t.TempDir(), "nectar.db"+Suffix), machine: machine{boot: "first", now: time.Hour}}
}

func (w *world) incarnation(start int64) Incarnation {
	return Incarnation{Boot: w.boot, Database: "d", Start: start, Version: "v1"}
}

// open begins the incarnation of a start; the database has stored as many groups.
func (w *world) open(start, number int64) (*Recorder, *Report) {
	w.t.Helper()
	r, last, err := Open(w.path, w.incarnation(start), number, w.as())
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = r.Close() })
	r.Begin(Served, "main", "")
	return r, last
}

func TestWhatIsLeftIsReported(t *testing.T) {
	w := newWorld(t)
	r, last := w.open(1, 5)
	if last != nil || r.FoundReport() != nil {
		t.Fatalf("a first start was told %+v", last)
	}
	long := strings.Repeat("x", 400)
	r.Begin(Running, "main", "message:1")
	done := r.Begin(Running, "main", "message:2")
	gone := r.Begin(OnWire, "main", "message:2/0")
	r.Begin(OnWire, "main", "message:1/0")
	r.Begin(OnWire, "main", long)
	r.Begin(Running, "main", long) // it would not be known who it is
	r.ChangeState(r.Begin(Running, "main", "message:3"), Alone)
	r.End(done)
	r.Clear(gone)
	if err := r.SetVerdict([]byte("well")); err != nil {
		t.Fatal(err)
	}
	if err := r.SetVerdict([]byte("not well")); err != nil {
		t.Fatal(err)
	}
	if err := r.NoteAlive(); err != nil {
		t.Fatal(err)
	}
	w.now += 7 * time.Second
	_, last = w.open(2, 5)
	if last == nil {
		t.Fatal("the start after a death was told nothing")
	}
	if last.Clean || last.Silent != 7*time.Second || last.Version != "v1" || last.Start != 1 || string(last.Verdict) != "not well" {
		t.Errorf("the report says %+v", last)
	}
	if want := []Entry{{Alone, "main", "message:3"}, {Running, "main", "message:1"}}; !slices.Equal(last.Entries, want) {
		t.Errorf("the triggers are %v, not %v", last.Entries, want)
	}
	for id, left := range map[string]bool{"message:1/0": true, long: true, "message:2/0": false, "message:9/0": false, long + "x": false} {
		if got := last.HasLeft("main", id); got != left {
			t.Errorf("HasLeft(%.20s) = %v", id, got)
		}
		if !last.HasLeft("other", id) {
			t.Errorf("%.20s of an account that was not served has not left", id)
		}
	}
}

func TestAnEndShowsLaterAndAReuseAtOnce(t *testing.T) {
	w := newWorld(t)
	r, _ := w.open(1, 0)
	r.End(r.Begin(Running, "main", "message:1"))
	if p := w.read(); len(p.Entries) != 1 {
		t.Errorf("after the end the file shows %v", p.Entries)
	}
	slot := r.Begin(Running, "main", "message:2")
	if p := w.read(); len(p.Entries) != 1 || p.Entries[0].ID != "message:2" {
		t.Errorf("a slot was not used again: %v", p.Entries)
	}
	r.End(slot)
	if err := r.NoteAlive(); err != nil {
		t.Fatal(err)
	}
	if p := w.read(); len(p.Entries) != 0 {
		t.Errorf("after a beat the file shows %v", p.Entries)
	}
}

func (w *world) read() *Report {
	w.t.Helper()
	p, err := Read(w.path, w.as())
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

// Whatever is not proven is not said: from another boot, of another database, of another incarnation than the last, a copy, torn.
func TestNothingIsSaidThatIsNotProven(t *testing.T) {
	for name, change := range map[string]func(w *world, i *Incarnation, number *int64){
		"another boot":         func(w *world, i *Incarnation, _ *int64) { w.boot, i.Boot = "second", "second" },
		"no boot is known":     func(w *world, i *Incarnation, _ *int64) { w.boot, i.Boot = "", "" },
		"another database":     func(_ *world, i *Incarnation, _ *int64) { i.Database = "e" },
		"one in between":       func(_ *world, i *Incarnation, _ *int64) { i.Start++ },
		"an older database":    func(_ *world, _ *Incarnation, number *int64) { *number = 6 },
		"the file is a copy":   func(w *world, _ *Incarnation, _ *int64) { w.rewrite(func(b []byte) []byte { return b }) },
		"its head is torn":     func(w *world, _ *Incarnation, _ *int64) { w.spoil(20) },
		"its beat is torn":     func(w *world, _ *Incarnation, _ *int64) { w.spoil(beatAt + 10) },
		"a slot is torn":       func(w *world, _ *Incarnation, _ *int64) { w.spoil(slotsAt + 30) },
		"it is cut in a slot":  func(w *world, _ *Incarnation, _ *int64) { w.cut(slotsAt + 30) },
		"it is cut":            func(w *world, _ *Incarnation, _ *int64) { w.cut(100) },
		"it is empty":          func(w *world, _ *Incarnation, _ *int64) { w.cut(0) },
		"it is of another use": func(w *world, _ *Incarnation, _ *int64) { w.spoil(0) },
		"it is gone":           func(w *world, _ *Incarnation, _ *int64) { _ = os.Remove(w.path) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			r, _ := w.open(1, 5)
			r.NoteStored(7)
			r.Begin(OnWire, "main", "message:1/0")
			i, number := w.incarnation(2), int64(7)
			change(w, &i, &number)
			next, last, err := Open(w.path, i, number, w.as())
			if err != nil {
				t.Fatal(err)
			}
			_ = next.Close()
			if last != nil {
				t.Fatalf("it said %+v", last)
			}
			if !last.HasLeft("main", "message:2/0") {
				t.Error("where nothing is known, something has not left")
			}
		})
	}
}

func (w *world) spoil(at int64) {
	f, err := os.OpenFile(w.path, os.O_RDWR, 0)
	if err == nil {
		_, err = f.WriteAt([]byte{0xff, 0xfe}, at)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) cut(at int64) {
	if err := os.Truncate(w.path, at); err != nil {
		w.t.Fatal(err)
	}
}

// rewrite puts another file of a content in the place of the file.
func (w *world) rewrite(f func([]byte) []byte) {
	b, err := os.ReadFile(w.path)
	if err == nil {
		err = os.WriteFile(w.path+".copy", f(b), 0o600)
	}
	if err == nil {
		err = os.Rename(w.path+".copy", w.path)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// Who ends twice ends no other's use of the place.
func TestAnEndIsOfOneUse(t *testing.T) {
	w := newWorld(t)
	r, _ := w.open(1, 0)
	first := r.Begin(OnWire, "main", "message:1/0")
	r.End(first)
	r.Begin(OnWire, "main", "message:2/0")
	r.End(first)
	r.Clear(first)
	r.Begin(OnWire, "main", "message:3/0")
	if p := w.read(); !p.HasLeft("main", "message:2/0") || !p.HasLeft("main", "message:3/0") {
		t.Error("one is gone")
	}
}

func TestACopyForTestsIsBelieved(t *testing.T) {
	w := newWorld(t)
	w.open(1, 0)
	from := w.path
	w.path += "-copy"
	if err := Copy(w.path, from); err != nil {
		t.Fatal(err)
	}
	if _, last := w.open(2, 0); last == nil {
		t.Error("it is not")
	}
}

func TestACleanEndIsTold(t *testing.T) {
	w := newWorld(t)
	r, _ := w.open(1, 0)
	r.Begin(OnWire, "main", "message:1/0")
	r.NoteFinished()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	_, last := w.open(2, 0)
	if last == nil || !last.Clean || !last.HasLeft("main", "message:1/0") {
		t.Errorf("the report says %+v", last)
	}
}

func TestTheFileGrows(t *testing.T) {
	w := newWorld(t)
	r, _ := w.open(1, 0)
	for i := range 3 * firstSlots {
		r.Begin(OnWire, "main", fmt.Sprint("message:", i, "/0"))
	}
	_, last := w.open(2, 0)
	for i := range 3 * firstSlots {
		if !last.HasLeft("main", fmt.Sprint("message:", i, "/0")) {
			t.Fatalf("%d is missing", i)
		}
	}
	if last.HasLeft("main", "message:x/0") {
		t.Error("all have left")
	}
}

// What cannot be written down may have left.
func TestWhatHasNoSlotMayHaveLeft(t *testing.T) {
	w := newWorld(t)
	r, _ := w.open(1, 0)
	r.mu.Lock()
	r.free = nil
	r.slots = append(r.slots, make([]place, mostSlots-len(r.slots))...)
	r.mu.Unlock()
	if r.Begin(Running, "main", "message:1") != 0 || r.beat.lossy {
		t.Error("a trigger was not left out")
	}
	r.Begin(OnWire, "main", "message:1/0")
	if _, last := w.open(2, 0); last == nil || !last.HasLeft("main", "message:7/0") {
		t.Errorf("the report says %+v", last)
	}
}

func TestAFileThatCannotBeWrittenSaysNothing(t *testing.T) {
	w := newWorld(t)
	r, _ := w.open(1, 0)
	if err := r.file.Close(); err != nil {
		t.Fatal(err)
	}
	r.Begin(OnWire, "main", "message:1/0")
	if r.NoteAlive() == nil {
		t.Error("nobody is told")
	}
	if _, last := w.open(2, 0); last != nil {
		t.Errorf("it said %+v", last)
	}
}

// What was interrupted stays so until it has run, whatever ends the process, and however.
func TestInterruptedTriggersAreCarriedOn(t *testing.T) {
	w := newWorld(t)
	r, _ := w.open(1, 0)
	r.Begin(Running, "main", "message:1")
	r.Begin(Running, "main", "message:2")
	r, _ = w.open(2, 0)
	carried := r.Carried()
	if len(carried) != 2 || carried[0].Entry != (Entry{Running, "main", "message:2"}) || carried[1].ID != "message:1" {
		t.Fatalf("the next one has %v", carried)
	}
	r.End(carried[0].Slot)
	r.Begin(Running, "main", "message:3") // it ends with the process that is stopped, and is no fault of its
	r.NoteFinished()
	w.open(3, 0)
	if _, last := w.open(4, 0); len(last.Entries) != 1 || last.Entries[0] != (Entry{Interrupted, "main", "message:1"}) {
		t.Errorf("the fourth one has %v", last.Entries)
	}
}

// Deaths count while triggers wait to run alone, or do: not the first one, and not a stop. A death of one that ran alone is told until somebody has counted it.
func TestDeathsCountUntilItIsCalm(t *testing.T) {
	w := newWorld(t)
	r, _ := w.open(1, 0)
	r.Begin(Running, "main", "message:1")
	r, _ = w.open(2, 0)
	if n := r.DeathCount(); n != 0 {
		t.Errorf("%d deaths after the first one", n)
	}
	r.ChangeState(r.Carried()[0].Slot, Alone)
	for start := range int64(2) { // a command opens the database in between
		r, _ = w.open(3+start, 0)
		if c := r.Carried(); r.DeathCount() != int(start)+1 || len(c) != 1 || c[0].State != Alone {
			t.Errorf("%d deaths, carried: %v", r.DeathCount(), c)
		}
	}
	r.ChangeState(r.Carried()[0].Slot, Interrupted)
	r.NoteFinished()
	r, _ = w.open(5, 0)
	if c := r.Carried(); r.DeathCount() != 2 || len(c) != 1 || c[0].State != Interrupted {
		t.Errorf("after a stop: %d deaths, carried: %v", r.DeathCount(), c)
	}
	r.NoteCalm()
	if got := w.read().Deaths; got != 0 {
		t.Errorf("%d deaths when it is calm", got)
	}
}

func TestTheFileIsItsOwnersAlone(t *testing.T) {
	w := newWorld(t)
	w.open(1, 0)
	info, err := os.Stat(w.path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("its mode is %v (%v)", info.Mode(), err)
	}
}

func TestTooLongAVerdictIsRefused(t *testing.T) {
	w := newWorld(t)
	r, _ := w.open(1, 0)
	most := bytes.Repeat([]byte("v"), MostVerdict)
	if err := r.SetVerdict(most); err != nil {
		t.Fatal(err)
	}
	if err := r.SetVerdict(append(most, 'v')); err == nil {
		t.Error("it was taken")
	}
	if !bytes.Equal(w.read().Verdict, most) {
		t.Error("the longest one did not come back")
	}
}

func TestWritingAllocatesNothing(t *testing.T) {
	r, _ := newWorld(t).open(1, 0)
	if n := testing.AllocsPerRun(100, func() { r.End(r.Begin(Running, "main", "message:501")) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestOfThisMachineMuchIsKnown(t *testing.T) {
	m := ThisMachine()
	if a := m.Steady(); m.Steady() < a {
		t.Error("its clock goes back")
	}
}

func BenchmarkBeginAndEnd(b *testing.B) {
	w := &world{path: filepath.Join(b.TempDir(), "nectar.db"+Suffix)}
	r, _, err := Open(w.path, w.incarnation(1), 0, w.as())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		r.End(r.Begin(Running, "main", "message:501"))
	}
	_ = r.Close()
}

// FuzzTornFiles spoils files: whatever stands in one, it is read without a panic, and one whose parts were changed says nothing, or the same.
func FuzzTornFiles(f *testing.F) {
	path := filepath.Join(f.TempDir(), "file")
	m := Machine{Boot: "first", Steady: func() time.Duration { return time.Hour }}
	i := Incarnation{Boot: "first", Database: "d", Start: 1, Version: "v1"}
	r, _, err := Open(path, i, 7, m)
	if err != nil {
		f.Fatal(err)
	}
	r.Begin(Served, "main", "")
	r.Begin(OnWire, "main", "message:1/0")
	_ = r.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	whole = whole[:slotsAt+16*slotSize]
	f.Add(uint32(0), []byte{1}, uint32(0))
	f.Add(uint32(beatAt), []byte("xyz"), uint32(0))
	f.Add(uint32(slotsAt), []byte{0, 0, 0, 0, 0}, uint32(0))
	f.Add(uint32(slotsAt+6), []byte{0xff, 0xff, 0xff, 0xff}, uint32(slotSize))
	f.Add(uint32(verdictAt), []byte{0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}, uint32(300))
	f.Fuzz(func(t *testing.T, at uint32, spoiled []byte, cut uint32) {
		b := bytes.Clone(whole)
		if int(at) < len(b) {
			copy(b[at:], spoiled)
		}
		b = b[:max(0, len(b)-int(cut))]
		p, h, err := decode(b)
		if err != nil || p.torn || h.Start != 1 {
			return
		}
		// A slot of which only the beginning is gone, with its sum, is empty: nothing but our own clearing writes that.
		slot := b[slotsAt+slotSize:]
		if !p.HasLeft("main", "message:1/0") && len(slot) > 8 && !bytes.Equal(slot[:5], make([]byte, 5)) {
			t.Errorf("a file that was changed at %d says that nothing has left", at)
		}
	})
}
