//go:build unix

package demo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/pgserver"
	"github.com/nectar-bot/nectar/cmd/internal/bare"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
)

// trespass is what a database says that refuses what no worker may write; see pgserver.OwnersOnly.
const trespass = "which is not its own"

// demoDatabase is the server that the workers of a demo share. Another one can take its place.
type demoDatabase struct {
	logs string // the folder for what servers have said; "" for none

	mu         sync.Mutex // guards the fields below
	now        *pgserver.Server
	standby    *pgserver.Server // nil for none
	isolated   bool             // now cannot be reached
	servers    int              // that are over
	spent      time.Duration    // CPU, of servers that are over
	trespasses int              // that they have refused
}

// newDemoDatabase starts the server, with a standby if others are to take its place, and with a disk of its own if that is to be full.
func newDemoDatabase(d Demo) (_ *demoDatabase, err error) {
	o := pgserver.Options{}
	if d.Fills > 0 {
		o.Room = demoRoom
	}
	db := &demoDatabase{logs: d.Dir}
	db.now, err = pgserver.New(o)
	switch {
	case errors.Is(err, pgserver.ErrNone):
		return nil, &cli.ExitError{Code: cli.ExitUsage, Err: fmt.Errorf("--store postgres needs PostgreSQL: %w", err)}
	case errors.Is(err, pgserver.ErrNoDisk):
		return nil, &cli.ExitError{Code: cli.ExitUsage, Err: fmt.Errorf("--fills: %w", err)}
	case err != nil:
		return nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	return db, nil
}

// demoRoom is how large a disk is that is to be full, in bytes: the log of PostgreSQL before a checkpoint, and as much again.
const demoRoom = 1 << 30

// currentServer returns the one that is in use.
func (db *demoDatabase) currentServer() *pgserver.Server {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.now
}

// addStandby lets a standby have each commit before it is confirmed.
func (db *demoDatabase) addStandby(ctx context.Context) error {
	now := db.currentServer()
	standby, err := now.Standby()
	if err != nil {
		return fmt.Errorf("start a standby: %w", err)
	}
	db.mu.Lock()
	db.standby = standby
	db.mu.Unlock()
	if err := now.WaitForStandby(ctx); err != nil {
		return fmt.Errorf("wait for the standby: %w", err)
	}
	return nil
}

// cutOff lets nobody reach the server any more.
func (db *demoDatabase) cutOff() {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.isolated = true
}

// dial reaches the server.
func (db *demoDatabase) dial(ctx context.Context) (net.Conn, error) {
	db.mu.Lock()
	socket, isolated := db.now.Socket(), db.isolated
	db.mu.Unlock()
	if isolated {
		return nil, errors.New("it cannot be reached")
	}
	var dialer net.Dialer
	return dialer.DialContext(ctx, "unix", socket)
}

// killWithoutStandby takes the standby away, kills the server after a while, and then brings the standby back.
func (db *demoDatabase) killWithoutStandby(ctx context.Context, after time.Duration) error {
	db.mu.Lock()
	now, standby := db.now, db.standby
	db.mu.Unlock()
	if err := standby.End(syscall.SIGINT); err != nil {
		return err
	}
	bare.Wait(ctx, after)
	if err := now.Kill(); err != nil {
		return err
	}
	return standby.Start()
}

// failOver lets the standby take the server's place.
func (db *demoDatabase) failOver(ctx context.Context) error {
	db.mu.Lock()
	old, standby := db.now, db.standby
	db.mu.Unlock()
	if err := standby.Promote(ctx); err != nil {
		return fmt.Errorf("promote the standby: %w", err)
	}
	db.mu.Lock()
	db.now, db.standby, db.isolated = standby, nil, false
	db.mu.Unlock()
	db.retire(old)
	return nil
}

// retire ends a server, and notes what is to be known of it.
func (db *demoDatabase) retire(s *pgserver.Server) {
	said, _ := s.Log()         // what it has refused, others would have refused, too
	_ = s.End(syscall.SIGQUIT) // it may have ended
	db.mu.Lock()
	defer db.mu.Unlock()
	db.servers++
	if db.logs != "" {
		_ = os.WriteFile(filepath.Join(db.logs, fmt.Sprintf("postgres-%d.log", db.servers)), said, 0o600) // it is for the curious
	}
	db.trespasses += strings.Count(string(said), trespass)
	s.Stop()
	db.spent += s.CPU()
}

// close ends all servers.
func (db *demoDatabase) close() {
	for _, s := range db.all() {
		db.retire(s)
	}
}

// all takes the servers away.
func (db *demoDatabase) all() (all []*pgserver.Server) {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, s := range []*pgserver.Server{db.now, db.standby} {
		if s != nil {
			all = append(all, s)
		}
	}
	db.now, db.standby = nil, nil
	return all
}
