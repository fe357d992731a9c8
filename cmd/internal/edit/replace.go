package edit

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ReplaceFile puts content in place of what a file holds, at once, as long as that is old.
func ReplaceFile(path string, old, content []byte) error {
	failed := func(err error) error { return fmt.Errorf("write %s: %w", filepath.Base(path), err) }
	file, err := filepath.EvalSymlinks(path) // a link stays one
	if err != nil {
		return failed(err)
	}
	info, err := os.Stat(file)
	if err != nil {
		return failed(err)
	}
	is, err := os.ReadFile(file)
	if err != nil {
		return failed(err)
	}
	if !bytes.Equal(is, old) {
		return failed(errors.New("somebody has just changed it; save again"))
	}
	beside, err := os.CreateTemp(filepath.Dir(file), ".nectar-*.tmp") // hidden: nobody takes it for a rule file
	if err != nil {
		return failed(err)
	}
	defer func() { _ = os.Remove(beside.Name()) }() // gone when everything went well
	_, err = beside.Write(content)
	err = errors.Join(err, keepOwner(beside, info), beside.Chmod(info.Mode().Perm()), beside.Sync(), beside.Close())
	if err == nil {
		err = os.Rename(beside.Name(), file)
	}
	if err != nil {
		return failed(err)
	}
	return nil
}
