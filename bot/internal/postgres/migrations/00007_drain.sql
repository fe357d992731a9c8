-- Who has asked a worker to give its shards away, or let it have some again.

-- +goose Up
ALTER TABLE worker ADD COLUMN drain_at bigint NOT NULL DEFAULT 0;
ALTER TABLE worker ADD COLUMN drain_by text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE worker ADD COLUMN drain_why text COLLATE "C" NOT NULL DEFAULT '';
