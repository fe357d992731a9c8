//go:build unix

package pgserver

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Standby makes a server that follows s, and can take its place. It is not waited for; see WaitForStandby.
func (s *Server) Standby() (*Server, error) {
	copies := []string{filepath.Join(s.bin, "pg_basebackup"), "--dbname", "host=" + s.Dir + " user=bot", "--write-recovery-conf", "--checkpoint=fast", "--no-sync", "-D"}
	return newServer(s.o, s.bin, func(n *Server) error {
		out, err := n.serverCommand(copies[0], append(copies[1:], n.Data())...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("pg_basebackup: %w\n%s", err, out)
		}
		return nil
	})
}

// WaitForStandby lets each commit wait from now on until a standby has it, too. It returns when one does.
func (s *Server) WaitForStandby(ctx context.Context) error {
	if err := s.Exec(ctx, `ALTER SYSTEM SET synchronous_standby_names = '*'`); err != nil {
		return err
	}
	if err := s.Exec(ctx, `SELECT pg_reload_conf()`); err != nil {
		return err
	}
	return s.until(ctx, `SELECT 1 FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')`)
}

// Promote makes a standby a server of its own, that follows nobody. It returns when it takes what is written.
func (s *Server) Promote(ctx context.Context) error {
	if err := s.Exec(ctx, `SELECT pg_promote()`); err != nil {
		return err
	}
	return s.until(ctx, `SELECT 1 WHERE NOT pg_is_in_recovery()`)
}

// until returns when a query has a row.
func (s *Server) until(ctx context.Context, query string) error {
	conn, err := pgconn.Connect(ctx, s.URL(""))
	if err != nil {
		return fmt.Errorf("reach the server: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	for {
		results, err := conn.Exec(ctx, query).ReadAll()
		if err != nil || len(results) > 0 && len(results[0].Rows) > 0 {
			return err
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("wait for %q: %w", query, ctx.Err())
		}
	}
}
