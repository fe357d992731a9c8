package board

import (
	"context"
	"errors"
	"fmt"

	"github.com/nectar-bot/nectar/bot/internal/postgres"
	"github.com/nectar-bot/nectar/bot/record"
)

// A standby waits for nobody where no synchronous ones are named. How many there are is told to everybody.
const selectDurability = `SELECT (current_setting('fsync') = 'on')::int, (current_setting('full_page_writes') = 'on')::int,
	(current_setting('synchronous_commit') <> 'off')::int,
	(SELECT count(*) FROM pg_stat_replication WHERE current_setting('synchronous_standby_names') = ''
		OR current_setting('synchronous_commit') IN ('off', 'local'))`

// ServerOf looks at the settings of the server of the database at a URL, as they are for the user that it names.
func ServerOf(ctx context.Context, url string) (s record.Server, err error) {
	config, err := postgres.ParseURL(url)
	if err != nil {
		return s, fmt.Errorf("look at the server: %w", err)
	}
	db := postgres.OpenDB(config, 1)
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := db.QueryRowContext(ctx, selectDurability).Scan(&s.Fsync, &s.FullPages, &s.Waits, &s.Behind); err != nil {
		return s, fmt.Errorf("look at the server of %s: %w", postgres.NameOfConfig(config), postgres.ExplainError(err))
	}
	s.Unproven, s.MD5 = postgres.IsUnproven(config), postgres.AsksMD5(ctx, config)
	tables := 0
	if err := db.QueryRowContext(ctx, selectHasMeta).Scan(&tables); err != nil || tables == 0 {
		return s, postgres.ExplainError(err)
	}
	if s.Lost, err = lostOf(ctx, db, lostKey); err == nil {
		_, s.Untold, err = OnOtherServer(ctx, db)
	}
	return s, postgres.ExplainError(err)
}

const selectHasMeta = `SELECT count(*) FROM pg_class WHERE relname = 'meta' AND relkind = 'r' AND relnamespace = current_schema()::regnamespace`
