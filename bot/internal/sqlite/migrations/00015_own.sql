-- +goose Up

-- What plugins keep for an account, one row a value, whatever conversation changes it.
CREATE TABLE account_value (
	shard   INTEGER NOT NULL,
	account TEXT    NOT NULL,
	plugin  TEXT    NOT NULL,
	name    TEXT    NOT NULL,
	version INTEGER NOT NULL, -- another one with each change, never one that was there before
	value   TEXT    NOT NULL, -- JSON
	PRIMARY KEY (shard, account, plugin, name)
) WITHOUT ROWID;
CREATE INDEX account_value_version ON account_value (version); -- for the highest one, at a start

-- What started the turns of actions whose keys are names, and say nothing of it.
CREATE TABLE named (
	shard      INTEGER NOT NULL,
	account    TEXT    NOT NULL,
	key        TEXT    NOT NULL, -- of the action
	trigger_id TEXT    NOT NULL,
	PRIMARY KEY (shard, account, key)
) WITHOUT ROWID;
CREATE INDEX named_trigger ON named (shard, account, trigger_id);
