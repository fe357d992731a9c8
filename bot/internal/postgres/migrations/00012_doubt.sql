-- How long ago the last request of an action in doubt was given up. The version before does not look here, and leaves what it calls again: so a row
-- counts only for the next owner of a shard behind the one that stored it.

-- +goose Up
CREATE TABLE doubt (
	shard    integer NOT NULL,
	account  text COLLATE "C" NOT NULL,
	key      text COLLATE "C" NOT NULL, -- of the action
	given_up bigint NOT NULL, -- microseconds ago, by a steady clock; below 0: so soon, at the latest
	boot     text COLLATE "C" NOT NULL, -- of the machine where that was so; empty when nobody knows
	steady   bigint NOT NULL, -- and when, in microseconds since that boot
	epoch    bigint NOT NULL, -- that of the shard then; 0 where it has none, as in a file
	PRIMARY KEY (shard, account, key)
) WITH (fillfactor = 50);
