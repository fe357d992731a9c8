package store

import (
	"context"
	"errors"
	"fmt"
)

// Server is what of the settings of a server decides whether it keeps what it has confirmed.
type Server struct {
	Fsync     bool // off: a loss of power may damage the database
	FullPages bool // off: the same, in the middle of writing a page
	Waits     bool // commits wait for the server's disk; off: the last ones may be lost
	Behind    int  // standbys, if commits do not wait for any: one that takes over may lack the last ones

	Lost *LostCommits // what it has lost, if a worker has found that, and nobody has accepted it yet; nil for nothing
}

// A standby waits for nobody where no synchronous ones are named. How many there are is told to everybody.
const selectDurability = `SELECT (current_setting('fsync') = 'on')::int, (current_setting('full_page_writes') = 'on')::int,
	(current_setting('synchronous_commit') <> 'off')::int,
	(SELECT count(*) FROM pg_stat_replication WHERE current_setting('synchronous_standby_names') = ''
		OR current_setting('synchronous_commit') IN ('off', 'local'))`

// ServerOf looks at the settings of the server of the database at a URL, as they are for the user that it names.
func ServerOf(ctx context.Context, url string) (s Server, err error) {
	config, err := pgConfig(url)
	if err != nil {
		return s, fmt.Errorf("look at the server: %w", err)
	}
	db := openPostgresDB(config, 1)
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := db.QueryRowContext(ctx, selectDurability).Scan(&s.Fsync, &s.FullPages, &s.Waits, &s.Behind); err != nil {
		return s, fmt.Errorf("look at the server of %s: %w", nameOfPostgres(config), explainPostgres(err))
	}
	tables := 0
	if err := db.QueryRowContext(ctx, selectHasMeta).Scan(&tables); err != nil || tables == 0 {
		return s, explainPostgres(err)
	}
	s.Lost, err = lostOf(ctx, db, lostKey)
	return s, explainPostgres(err)
}

const selectHasMeta = `SELECT count(*) FROM pg_class WHERE relname = 'meta' AND relkind = 'r' AND relnamespace = current_schema()::regnamespace`
