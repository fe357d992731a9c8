package doctor

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/bot/admin"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/cmd/internal/print"
)

// checkModes tells which files with secrets, or with what people said, others than their owner can get at, and what to do
// about it. It has to come before the database is opened: to close a file takes away the locks of this process on it.
func (d *Doctor) checkModes(cfg config.Config, envFile string) {
	if runtime.GOOS == "windows" { // where a mode says nothing
		return
	}
	open, closed := 0, 0
	var seen []fs.FileInfo
	for _, path := range secretFiles(cfg, cmp.Or(envFile, defaultEnvFile)) {
		info, err := os.Stat(path)
		if err != nil || slices.ContainsFunc(seen, func(other fs.FileInfo) bool { return os.SameFile(info, other) }) {
			continue // the check that needs it says so; or it is a link to another one
		}
		seen = append(seen, info)
		const others = 0o077
		if mode := info.Mode().Perm(); mode&others != 0 {
			open++
			d.NoteFinding(Finding{Check: "file modes", Status: Odd, Said: fmt.Sprintf("others than its owner can get at %s (mode %04o): chmod 600 %s", path, mode, shellWord(path))})
		} else {
			closed++
		}
	}
	if open == 0 && closed > 0 {
		d.NoteFinding(Finding{Check: "file modes", Status: Good, Said: print.CountText(closed, "file with secrets or memory is", "files with secrets or memory are") + " for the owner alone"})
	}
}

const defaultEnvFile = ".env"

// secretFiles returns the files of settings and the database, what belongs to it, and copies of them in the same folders.
func secretFiles(cfg config.Config, envFile string) []string {
	files := lyingBeside(envFile, func(name, base, _ string) bool {
		return strings.HasPrefix(name, base) && !strings.HasSuffix(name, ".example")
	})
	if cfg.AccountsFile != "" {
		files = append(files, cfg.AccountsFile)
	}
	if cfg.Store.OnServer() {
		return files
	}
	database := string(cfg.Store)
	if behind, err := filepath.EvalSymlinks(database); err == nil {
		database = behind // the files that belong to the database lie there
	}
	return append(files, lyingBeside(database, func(name, base, path string) bool {
		return strings.HasPrefix(name, base) && name != base+".lock" && name != base+".recorder" || isCopy(path)
	})...)
}

// mostBeside is how many files of a folder are looked at.
const mostBeside = 10_000

// lyingBeside returns the files in the folder of path that are wanted, by name, by that of path, and by their own path.
func lyingBeside(path string, wanted func(name, base, path string) bool) []string {
	dir, base := filepath.Split(path)
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return []string{path}
	}
	defer func() { _ = folder.Close() }() // it was only read
	entries, _ := folder.ReadDir(mostBeside)
	// In the order of their names, that of path first: each file system has another one, and of two names of one file the first counts.
	order := func(e fs.DirEntry) string {
		if e.Name() == base {
			return ""
		}
		return e.Name()
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(order(a), order(b)) })
	var files []string
	for _, e := range entries {
		if e.Type()&^fs.ModeSymlink != 0 {
			continue // a folder, or something that waits when it is opened
		}
		if at := dir + e.Name(); wanted(e.Name(), base, at) {
			files = append(files, at)
		}
	}
	return files
}

// isCopy reports whether a file is a database of a bot.
func isCopy(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path) //nolint:gosec // it lies beside the database
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // it was only read
	head := make([]byte, admin.HeadSize)
	_, err = io.ReadFull(f, head)
	return err == nil && admin.IsHead(head)
}

var plainWord = regexp.MustCompile(`^[\w@%+=:,./-]+$`)

// shellWord writes a path as a word of a shell.
func shellWord(path string) string {
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	if plainWord.MatchString(path) {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
