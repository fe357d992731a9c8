-- +goose Up

-- When something was said at the earliest, as the platform tells it; 0 where it does not.
ALTER TABLE event ADD COLUMN said_at INTEGER NOT NULL DEFAULT 0;
