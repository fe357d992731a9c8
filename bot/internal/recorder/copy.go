package recorder

import "os"

// Copy makes a file that is believed as that from which it is copied, for tests that let a process die by going on with a copy of what it has left. Where
// there is none it makes none.
func Copy(to, from string) error {
	b, err := os.ReadFile(from) //nolint:gosec // a test says which
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	f, err := os.OpenFile(to, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600) //nolint:gosec // a test says which
	if err != nil {
		return err
	}
	if h, ok := decodeHead(b); ok {
		h.device, h.inode = inodeOf(f)
		copy(b, h.encode())
	}
	_, err = f.Write(b)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
