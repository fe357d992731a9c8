//go:build unix

package recorder

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// window is the file as memory. What is written there is the kernel's at once, however the process ends, and costs no system call: that of a write takes
// 2 to 10 µs, twice an answer. Its room is allocated beforehand, as that of SQLite's own shared memory is not. If it cannot be written all the same, since the
// disk fails, that is an error here, and not the end of the process.
type window struct{ file []byte }

// openWindow maps a file that may grow up to a size; nothing may be touched behind what is allocated. Where that cannot be, it is nil.
func openWindow(f *os.File, size int) *window {
	b, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil
	}
	return &window{b}
}

func (w *window) close() {
	if w != nil && w.file != nil {
		_ = unix.Munmap(w.file) // the file has it all
		w.file = nil
	}
}

// put writes a slot, or the first word of one. A process that ends in the midst of it leaves a slot that is free: until the last word stands there, it is.
func (w *window) put(b []byte, at int64) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch fault := recover().(type) {
		case nil:
		case interface {
			error
			Addr() uintptr
		}:
			err = fmt.Errorf("the memory of the file: %w", fault)
		default:
			panic(fault)
		}
	}()
	if at < 0 || int(at)+len(b) > len(w.file) {
		return errors.New("the file is smaller than it was")
	}
	first := (*uint64)(unsafe.Pointer(&w.file[at])) //nolint:gosec // a slot begins at a multiple of its size
	atomic.StoreUint64(first, 0)
	copy(w.file[at+word:], b[word:])
	atomic.StoreUint64(first, *(*uint64)(unsafe.Pointer(&b[0]))) //nolint:gosec // as above
	return nil
}
