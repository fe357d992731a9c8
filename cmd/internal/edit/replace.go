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
	info, err := os.Stat(path)
	if err != nil {
		return failed(err)
	}
	is, err := os.ReadFile(path) //nolint:gosec // the user names the rule files
	if err != nil {
		return failed(err)
	}
	if !bytes.Equal(is, old) {
		return failed(errors.New("somebody has just changed it; save again"))
	}
	beside, err := os.CreateTemp(filepath.Dir(path), ".nectar-*.tmp") // hidden: nobody takes it for a rule file
	if err != nil {
		return failed(err)
	}
	defer func() { _ = os.Remove(beside.Name()) }() // gone when everything went well
	_, err = beside.Write(content)
	err = errors.Join(err, beside.Chmod(info.Mode().Perm()), beside.Sync(), beside.Close())
	if err == nil {
		err = os.Rename(beside.Name(), path)
	}
	if err != nil {
		return failed(err)
	}
	return nil
}
