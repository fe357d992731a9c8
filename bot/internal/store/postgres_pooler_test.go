package store_test

import (
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/internal/board"
	"github.com/nectar-bot/nectar/bot/internal/postgres"
)

// pooler stands in for a server as PgBouncer does, and returns its URL. It answers what a connection begins with, and the first question.
func pooler(t *testing.T, answers func(b *pgproto3.Backend)) string {
	t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer func() { _ = conn.Close() }()
				b := pgproto3.NewBackend(conn, conn)
				if _, err := b.ReceiveStartupMessage(); err == nil {
					answers(b)
				}
			})
		}
	})
	t.Cleanup(func() { _ = l.Close(); all.Wait() })
	return fmt.Sprintf("postgres://bot:geheim@%s/nectar?sslmode=disable", l.Addr())
}

// What stands between a worker and the server, and gives a connection's statements to others, is named, whatever it does first.
func TestPoolers(t *testing.T) {
	t.Parallel()
	for name, answers := range map[string]func(b *pgproto3.Backend){
		"refuses settings of a connection": func(b *pgproto3.Backend) {
			b.Send(&pgproto3.ErrorResponse{Severity: "FATAL", Code: "08P01", Message: "unsupported startup parameter: statement_timeout"})
			_ = b.Flush() // whoever asks may have gone
		},
		"has other processes behind it": func(b *pgproto3.Backend) {
			b.Send(&pgproto3.AuthenticationOk{})
			b.Send(&pgproto3.BackendKeyData{ProcessID: 1, SecretKey: []byte{0, 0, 0, 1}})
			b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
			for err := b.Flush(); err == nil; {
				var asked pgproto3.FrontendMessage
				if asked, err = b.Receive(); err != nil {
					return
				}
				if _, ends := asked.(*pgproto3.Sync); !ends {
					continue
				}
				b.Send(&pgproto3.ParseComplete{})
				b.Send(&pgproto3.BindComplete{})
				b.Send(&pgproto3.RowDescription{Fields: []pgproto3.FieldDescription{{Name: []byte("pid"), DataTypeOID: 20, DataTypeSize: 8, Format: 1}}})
				b.Send(&pgproto3.DataRow{Values: [][]byte{{0, 0, 0, 0, 0, 0, 0, 2}}})
				b.Send(&pgproto3.CommandComplete{CommandTag: []byte("SELECT 1")})
				b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
				err = b.Flush()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			b, err := board.Open(t.Context(), pooler(t, answers), board.Options{})
			if err == nil {
				_ = b.Close()
			}
			if err == nil || !strings.Contains(err.Error(), "there is a pooler between") || strings.Contains(err.Error(), "geheim") {
				t.Errorf("it opens with %v", err)
			}
			if !postgres.IsPermanent(err) {
				t.Error("it is waited for")
			}
		})
	}
}
