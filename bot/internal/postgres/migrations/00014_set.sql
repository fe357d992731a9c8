-- The version before adds rows without the columns, which stay where they are then, and does not read them.

-- +goose Up

-- What waits for a while waits no longer than that, also when the clock is set back: when a timer was set, and how long an action is to wait. 0 is
-- what waits for a time of day, which stays, and what a version before this one has stored.
ALTER TABLE timer ADD COLUMN set_at bigint NOT NULL DEFAULT 0;
ALTER TABLE action ADD COLUMN delay bigint NOT NULL DEFAULT 0; -- microseconds
