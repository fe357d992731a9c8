package rules

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// Bounds of what is read at once, far above what people write.
const (
	maxFiles = 2000
	maxTotal = 64 << 20 // bytes
)

// ReadSources reads rule files. A path names a folder, of which every file that ends in .yaml or .yml is
// read, or one such file; the settings.yaml and replies.yaml beside it come with it. Folders in folders
// and hidden files, such as the swap and backup files of editors, are left out. Links are followed as
// long as they stay in the folder, as those of a container's configuration do. An error is one line that
// says what to do.
func ReadSources(paths ...string) (Sources, error) {
	if len(paths) == 0 {
		return nil, errors.New("no rule files are named: write a folder or a file")
	}
	l := loader{src: Sources{}, from: map[string]string{}}
	for _, path := range paths {
		if err := l.path(path); err != nil {
			return nil, err
		}
	}
	return l.src, nil
}

// loader reads files until there are too many.
type loader struct {
	src   Sources
	from  map[string]string // the path of each
	total int
}

// path reads a folder or a file.
func (l *loader) path(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && isLink(os.Lstat(path)) && isRuleFile(filepath.Base(path)):
		return fmt.Errorf("%s cannot be read: %s", path, leadsNowhere)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no file or folder %s: write the folder your rule files are in, or make one with nectar init", path)
	case err != nil:
		return fmt.Errorf("%s cannot be read: %w", path, withoutPath(err))
	}
	dir, name := path, ""
	if !info.IsDir() {
		dir, name = filepath.Split(filepath.Clean(path))
		if dir == "" {
			dir = "."
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", dir, withoutPath(err))
	}
	defer func() { _ = root.Close() }() // it was only read
	if name == "" {
		return l.folder(root, path)
	}
	return l.single(root, name)
}

// folder reads all rule files of a folder.
func (l *loader) folder(root *os.Root, path string) error {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", path, withoutPath(err))
	}
	rules := false
	for _, e := range entries {
		if name := e.Name(); isRuleFile(name) && !e.IsDir() {
			if err := l.file(root, name); err != nil {
				return err
			}
			rules = rules || !grammar.IsShared(name)
		}
	}
	if !rules {
		return noRules(path, entries, l.src)
	}
	return nil
}

// noRules says that a folder has no rule file, and what it has that people may take for one.
func noRules(path string, entries []fs.DirEntry, shared Sources) error {
	for _, e := range entries {
		if say := overlookedText(path, e, nil); say != "" {
			return fmt.Errorf("there is no rule file in %s: %s: %s", path, e.Name(), say)
		}
	}
	if len(shared) > 0 {
		return fmt.Errorf("there is no rule file in %s beside %s; nectar init writes some to begin with", path, strings.Join(shared.Names(), " and "))
	}
	return fmt.Errorf("there is no rule file in %s: they end in .yaml; nectar init writes some to begin with", path)
}

// single reads a file and what it shares with the others of its folder.
func (l *loader) single(root *os.Root, name string) error {
	if !isRuleFile(name) {
		return fmt.Errorf("%s is no rule file: they end in .yaml", filepath.Join(root.Name(), name))
	}
	if err := l.file(root, name); err != nil {
		return err
	}
	for _, shared := range []string{grammar.SettingsFile, grammar.RepliesFile} {
		if _, err := root.Lstat(shared); err != nil || shared == name {
			continue
		}
		if err := l.file(root, shared); err != nil {
			return err
		}
	}
	return nil
}

// file reads a file, unless it has been read.
func (l *loader) file(root *os.Root, name string) error {
	path := filepath.Join(root.Name(), name)
	whole, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", path, err)
	}
	switch from, known := l.from[name]; {
	case known && from == whole:
		return nil
	case known:
		return fmt.Errorf("two files have the name %s: %s and %s. Give one of them another name, or check them one after the other", name, from, whole)
	case len(l.src) == maxFiles:
		return fmt.Errorf("there are more than %d rule files", maxFiles)
	}
	content, err := readFile(root, name)
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", path, whyUnread(root, name, err))
	}
	if l.total += len(content); l.total > maxTotal {
		return fmt.Errorf("the rule files have more than %d MB in all", maxTotal>>20)
	}
	l.src[name], l.from[name] = content, whole
	return nil
}

// readFile reads a file. Of one that is larger than allowed it reads enough to tell.
func readFile(root *os.Root, name string) ([]byte, error) {
	// Asked before it is opened: opening a pipe would wait for its other end.
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &irregularError{info.Mode()}
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	var content bytes.Buffer
	content.Grow(int(min(max(info.Size(), 0), textfile.MaxFile)) + bytes.MinRead) // it is read each second
	_, err = io.Copy(&content, io.LimitReader(f, textfile.MaxFile+1))
	return content.Bytes(), err
}

// isRuleFile reports whether a file of a folder is read.
func isRuleFile(name string) bool {
	ext := filepath.Ext(name)
	return (ext == ".yaml" || ext == ".yml") && !strings.HasPrefix(name, ".")
}

// withoutPath returns an error without the path, which the caller says.
func withoutPath(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}
