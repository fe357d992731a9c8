-- +goose Up

-- Messages and posts that may be on the platform although no action says so: each was held after it had left,
-- and then a person dropped or released it.
CREATE TABLE stray (
	shard       INTEGER NOT NULL,
	account     TEXT    NOT NULL,
	id          TEXT    NOT NULL, -- the key of the action, and when it left
	peer        INTEGER NOT NULL,
	verb        TEXT    NOT NULL,
	text        TEXT    NOT NULL, -- what it said when it left
	post        INTEGER NOT NULL,
	settle_from INTEGER NOT NULL,
	left_at     INTEGER NOT NULL,
	decided_at  INTEGER NOT NULL, -- when the person did
	PRIMARY KEY (shard, account, id)
) WITHOUT ROWID;
CREATE INDEX stray_left ON stray (shard, account, left_at);
