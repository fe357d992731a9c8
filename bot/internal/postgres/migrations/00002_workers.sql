-- What workers share, see bot/lease. Times are microseconds since 1970 by the server's clock: for people, nothing is decided by them.

-- +goose Up
ALTER TABLE fence ADD COLUMN server_start bigint NOT NULL DEFAULT 0; -- when the server was started that has the process

-- Who is there. The number of a single process without a lease is 1, and has no row.
CREATE TABLE worker (
	worker   bigint GENERATED ALWAYS AS IDENTITY (START WITH 2) PRIMARY KEY,
	name     text COLLATE "C" NOT NULL UNIQUE,
	epoch    bigint   NOT NULL, -- grows when somebody enters, and when another one takes over
	beat     bigint   NOT NULL, -- grows with each sign of life
	seen_at  bigint   NOT NULL, -- when that was
	ahead    bigint   NOT NULL, -- the worker's clock minus the server's then
	state    smallint NOT NULL, -- 0 entering, 1 up, 2 leaving, 3 gone
	drain    smallint NOT NULL, -- 1: it is asked to give its shards away
	version  text COLLATE "C" NOT NULL,
	speaks   text COLLATE "C" NOT NULL, -- the schemas that it works with: from-to
	has      text COLLATE "C" NOT NULL, -- what shards may need, as JSON
	role     text COLLATE "C" NOT NULL  -- the user of the database
) WITH (fillfactor = 20);

-- Whose each shard is. The rows are made by the first worker.
CREATE TABLE shard (
	shard  integer PRIMARY KEY,
	owner  bigint  NOT NULL, -- a worker; 0 for nobody
	wanted bigint  NOT NULL, -- the same, as planned
	epoch  bigint  NOT NULL, -- grows with each owner
	load   bigint  NOT NULL,
	needs  text COLLATE "C" NOT NULL, -- what a worker must have for it, as JSON
	note   bytea   NOT NULL  -- what the last owner has left for the next one
) WITH (fillfactor = 50);

-- How often was planned: whoever plans changes it from what it saw, so that of two that plan at once one does.
CREATE TABLE planning (
	one    integer PRIMARY KEY CHECK (one = 1),
	number bigint  NOT NULL
) WITH (fillfactor = 20);

-- What is known of the hosts of the platform, by all workers.
CREATE TABLE host (
	host          text COLLATE "C" PRIMARY KEY,
	per_second    double precision NOT NULL, -- how many requests it may get from all workers together; 0 for any number
	blocked_until bigint NOT NULL            -- it asked to be left alone until then
) WITH (fillfactor = 50);
