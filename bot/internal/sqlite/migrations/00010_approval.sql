-- +goose Up

-- What an action that was held waits for, what waits with it, and what became of it. One without a row waits alone, and
-- for ever.
CREATE TABLE approval (
	shard      INTEGER NOT NULL,
	account    TEXT    NOT NULL,
	key        TEXT    NOT NULL, -- of the action
	leader     TEXT    NOT NULL, -- the key of the first of those that are decided about together
	within     INTEGER NOT NULL, -- how long it may be approved, in microseconds; 0 for ever
	expires_at INTEGER NOT NULL,
	effects    TEXT    NOT NULL, -- JSON: what happens beside, with the approval; '' for nothing, or with the leader's
	ruling     TEXT    NOT NULL, -- released, edited, dropped, expired; '' while it waits
	ruled_by   TEXT    NOT NULL,
	ruled_at   INTEGER NOT NULL,
	PRIMARY KEY (shard, account, key)
) WITHOUT ROWID;

-- Who decided.
ALTER TABLE request ADD COLUMN asked_by TEXT NOT NULL DEFAULT '';
ALTER TABLE turn ADD COLUMN decided_by TEXT NOT NULL DEFAULT '';
