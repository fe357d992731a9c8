-- +goose Up

-- The latest departure of an action: what has not left by then never does.
ALTER TABLE action ADD COLUMN until_at INTEGER NOT NULL DEFAULT 0; -- 0 for none
CREATE INDEX action_until ON action (shard, account, until_at) WHERE until_at > 0 AND (state = 'due' OR state = 'held');
