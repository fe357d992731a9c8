// Package postgres is the driver for stores in a database of PostgreSQL, as database/sql has drivers: a program imports it for its effect, in one line,
//
//	import _ "github.com/nectar-bot/nectar/bot/postgres"
//
// and then a URL, postgres://USER:PASSWORD@HOST:5432/DATABASE, can stand wherever bot takes the path of a file: in NECTAR_STORE, in
// bot.StoreOptions, in bot.WorkerConfig. Without it such a URL is an error that says so, and the program is smaller by all that speaks to a server.
// The command nectar has it.
package postgres

import (
	"context"

	"github.com/nectar-bot/nectar/bot/internal/board"
	"github.com/nectar-bot/nectar/bot/internal/postgres"
	"github.com/nectar-bot/nectar/bot/internal/remote"
)

func init() { //nolint:gochecknoinits // so do drivers of database/sql: whoever imports one wants it
	remote.Register(remote.Driver{
		Parse: postgres.Parse,
		OpenBoard: func(ctx context.Context, url string, connections int) (remote.Board, error) {
			b, err := board.Open(ctx, url, board.Options{Connections: connections})
			if err != nil {
				return nil, err
			}
			return b, nil
		},
		CheckServer: board.CheckServer, OnOtherServer: board.OnOtherServer,
		Explain: postgres.ExplainError, Passes: postgres.IsTransient, Stays: postgres.IsPermanent, IsDataFault: postgres.IsDataFault, IsTold: postgres.IsTold,
		ConstraintOf: postgres.ConstraintOf,
	})
}
