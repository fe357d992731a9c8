-- +goose Up

-- Which rule decided an action, and when it is too late for what it is about: for when the rule, or the account, goes on
-- after a pause.
ALTER TABLE action ADD COLUMN rule TEXT NOT NULL DEFAULT '';
ALTER TABLE action ADD COLUMN stale_at INTEGER NOT NULL DEFAULT 0;
