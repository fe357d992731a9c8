-- +goose Up

-- How long ago the last request of an action in doubt was given up, as a duration by a steady clock. A row is there only while the
-- action is sending or in doubt, and goes before another request of it leaves.
CREATE TABLE doubt (
	shard    INTEGER NOT NULL,
	account  TEXT    NOT NULL,
	key      TEXT    NOT NULL, -- of the action
	given_up INTEGER NOT NULL, -- microseconds ago; below 0: so soon, at the latest
	boot     TEXT    NOT NULL, -- of the machine where that was so; empty when nobody knows
	steady   INTEGER NOT NULL, -- and when, in microseconds since that boot
	epoch    INTEGER NOT NULL, -- on a server that of the shard then; in a file 0
	PRIMARY KEY (shard, account, key)
) WITHOUT ROWID;
