package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/recorder"
	"github.com/nectar-bot/nectar/bot/internal/sqlite"
	"github.com/nectar-bot/nectar/bot/record"
)

const (
	// lowDisk is what a database needs to go on for a while.
	lowDisk = 32 << 20
	// silentAfter is how old a sign of life may be.
	silentAfter = 15 * time.Second
)

// Free returns how many bytes are free on the disk below a folder; false where that is not known.
func Free(dir string) (uint64, bool) { return sqlite.Free(dir) }

// DiskTrouble says that hardly anything is free on the disk below a folder; nothing for "", and where that is not known.
func DiskTrouble(dir string) []record.Trouble {
	if dir == "" {
		return nil
	}
	if free, known := sqlite.Free(dir); !known || free >= lowDisk {
		return nil
	}
	return []record.Trouble{{
		Why: event.Because(record.TroubleDisk), Says: "hardly anything is free on the disk of the database", Do: "make room on the disk",
	}}
}

// FolderPath is where the file of the database lies; "" for one on a server.
func (s *Database) FolderPath() string { return s.folder }

// Judgement returns how what runs on the database stands: as it says itself, and what it cannot say.
func (in *Inspector) Judgement(ctx context.Context) (j record.Judgement, err error) {
	running, err := in.running(nil)
	if err != nil {
		return j, err
	}
	if in.server {
		return in.judgeWorkers(ctx, running)
	}
	p, err := recorder.Read(recorderOf(in.path), recorder.ThisMachine())
	switch {
	case errors.Is(err, fs.ErrNotExist), p == nil:
		p = &recorder.Report{Clean: true}
	case err != nil:
		return j, fmt.Errorf("read how the bot stands: %w", err)
	}
	if running {
		j = judgementOf(p)
	}
	j.Version, j.Seen = p.Version, p.At
	if t, ok := runTrouble(p, running); ok {
		j.Process = append([]record.Trouble{t}, j.Process...)
	}
	// Looked at here, too: a process that has died, or writes nothing, does not say it.
	if disk := DiskTrouble(filepath.Dir(in.path)); len(disk) > 0 && !says(j.Process, record.TroubleDisk) {
		j.Process = append(j.Process, disk...)
	}
	return j, nil
}

func says(all []record.Trouble, code event.ReasonCode) bool {
	for i := range all {
		if all[i].Why.Code() == code {
			return true
		}
	}
	return false
}

// judgementOf returns what a process has said of itself.
func judgementOf(p *recorder.Report) (j record.Judgement) {
	if json.Unmarshal(p.Verdict, &j) != nil {
		return record.Judgement{} // of another version, or none yet
	}
	return j
}

// runTrouble says whether the process that a file is of lives.
func runTrouble(p *recorder.Report, running bool) (t record.Trouble, ok bool) {
	switch {
	case running && p.Here && p.Silent > silentAfter && !p.Clean:
		return record.Trouble{
			Why: event.Because(record.TroubleSilent), Since: p.At, Says: "a process runs, and has shown no sign of life since", Do: "look at its log and at the machine; a restart loses nothing",
		}, true
	case running:
		return t, false
	case p.Clean, p.Verdict == nil: // a process that only opened the database was no bot
		return record.Trouble{Why: event.Because(record.TroubleNone), Since: p.At, Says: "no bot runs", Do: "start it: nectar run"}, true
	default:
		return record.Trouble{
			Why: event.Because(record.TroubleDied), Since: p.At, Says: "the bot has died, and was not started again", Do: "look at the end of its log, and start it: nectar run",
		}, true
	}
}

// recorderOf returns the file beside a database that its process writes.
func recorderOf(path string) string {
	if behind, err := sqlite.FileBehind(path); err == nil {
		path = behind
	}
	return path + recorder.Suffix
}
