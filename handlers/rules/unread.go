package rules

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

const leadsNowhere = "it is a link that leads nowhere: delete it, or put back what it leads to"

// irregularError says that something in a folder of rule files is no file, though it is called like one. To open it could wait for ever.
type irregularError struct{ mode fs.FileMode }

func (e *irregularError) Error() string {
	what := "no ordinary file"
	switch {
	case e.mode.IsDir():
		what = "a folder"
	case e.mode&fs.ModeNamedPipe != 0:
		what = "a pipe"
	case e.mode&fs.ModeSocket != 0:
		what = "a socket"
	case e.mode&fs.ModeDevice != 0:
		what = "a device"
	}
	return "it is " + what + ": delete it, or give it a name that does not end in .yaml"
}

// whyUnread says why a file of a folder cannot be read, and what to do where that is known.
func whyUnread(root *os.Root, name string, err error) error {
	_, irregular := errors.AsType[*irregularError](err)
	if irregular || errors.Is(err, fs.ErrPermission) || !isLink(root.Lstat(name)) {
		return withoutPath(err)
	}
	// The root follows no link out of it, and calls that alike whether there is something or not.
	switch _, end := os.Stat(filepath.Join(root.Name(), name)); {
	case errors.Is(end, fs.ErrNotExist):
		return errors.New(leadsNowhere)
	case end == nil:
		return errors.New("it is a link that leads out of the folder: put the file itself in its place")
	}
	return withoutPath(err)
}

func isLink(info fs.FileInfo, err error) bool { return err == nil && info.Mode()&fs.ModeSymlink != 0 }
