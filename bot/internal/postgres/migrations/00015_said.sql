-- The version before adds rows without the column, which are as old as before then, and does not read it.

-- +goose Up

-- When something was said at the earliest, as the platform tells it; 0 where it does not.
ALTER TABLE event ADD COLUMN said_at bigint NOT NULL DEFAULT 0;
