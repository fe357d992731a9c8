-- +goose Up

-- Who is left alone for ever: nothing that she does has a turn, and nothing is kept of it but that it was there.
CREATE TABLE ignored (
	shard   INTEGER NOT NULL,
	account TEXT    NOT NULL,
	peer    INTEGER NOT NULL,
	since   INTEGER NOT NULL,
	PRIMARY KEY (shard, account, peer)
) WITHOUT ROWID;
