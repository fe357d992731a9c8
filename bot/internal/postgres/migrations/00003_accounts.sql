-- The accounts that bots serve, where they stand in the database and not in a file. One that was taken out keeps its row, without
-- what it signs in with: it says who did that, and when.

-- +goose Up
CREATE TABLE account (
	shard      integer NOT NULL,
	account    text COLLATE "C" NOT NULL,
	settings   text COLLATE "C" NOT NULL, -- what it says of itself, as JSON
	sealed     bytea   NOT NULL, -- what it signs in with
	person     bytea,            -- where, and as whom, by a hash with a key: no two may be the same
	state      text COLLATE "C" NOT NULL, -- on, paused, parked, removed
	why        bytea   NOT NULL,
	changed_at bigint  NOT NULL,
	changed_by text COLLATE "C" NOT NULL,
	change     bigint  NOT NULL, -- the number of the change
	PRIMARY KEY (shard, account)
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX account_person ON account (person);
CREATE INDEX account_change ON account (change);

-- How often accounts were changed. Changes are stored one after another, so that who has seen a number has seen all before it.
CREATE TABLE account_changes (
	one    integer PRIMARY KEY CHECK (one = 1),
	number bigint  NOT NULL
) WITH (fillfactor = 20);
