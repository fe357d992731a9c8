-- Times are microseconds since 1970, 0 for none. Every key begins with (shard, account).

-- +goose Up
PRAGMA application_id = 1315267444; -- "Nect"

CREATE TABLE event (
	shard      INTEGER NOT NULL,
	account    TEXT    NOT NULL,
	source     INTEGER NOT NULL, -- 1 message, 2 notif, 3 mention, 4 chat
	number     INTEGER NOT NULL,
	peer       INTEGER NOT NULL,
	kind       TEXT    NOT NULL,
	name       TEXT    NOT NULL,
	username   TEXT    NOT NULL,
	text       TEXT    NOT NULL,
	image      TEXT    NOT NULL,
	post       INTEGER NOT NULL,
	subject    TEXT    NOT NULL,
	seen_at    INTEGER NOT NULL,
	not_before INTEGER NOT NULL,
	state      TEXT    NOT NULL, -- pending, handled, quarantined
	tries      INTEGER NOT NULL,
	handled_at INTEGER NOT NULL,
	route      TEXT    NOT NULL,
	outcome    TEXT    NOT NULL,
	note       TEXT    NOT NULL,
	PRIMARY KEY (shard, account, source, number)
) WITHOUT ROWID;
-- An index of a table without rowid ends with its key: here source and number, the order of events.
CREATE INDEX event_open ON event (shard, account, peer) WHERE state <> 'handled';

-- Turns that no event started: timers and decisions.
CREATE TABLE turn (
	shard      INTEGER NOT NULL,
	account    TEXT    NOT NULL,
	id         TEXT    NOT NULL,
	peer       INTEGER NOT NULL,
	handled_at INTEGER NOT NULL,
	route      TEXT    NOT NULL,
	outcome    TEXT    NOT NULL,
	note       TEXT    NOT NULL,
	PRIMARY KEY (shard, account, id)
) WITHOUT ROWID;

CREATE TABLE conversation (
	shard       INTEGER NOT NULL,
	account     TEXT    NOT NULL,
	peer        INTEGER NOT NULL,
	version     INTEGER NOT NULL,
	name        TEXT    NOT NULL,
	username    TEXT    NOT NULL,
	owner       TEXT    NOT NULL, -- '' is the bot
	owner_since INTEGER NOT NULL,
	unreachable INTEGER NOT NULL,
	flow        TEXT    NOT NULL,
	flow_state  TEXT    NOT NULL,
	labels      TEXT    NOT NULL, -- a JSON list
	body        TEXT    NOT NULL, -- JSON: the flow's data, and what plugins keep
	changed_at  INTEGER NOT NULL,
	PRIMARY KEY (shard, account, peer)
) WITHOUT ROWID;
CREATE INDEX conversation_flow ON conversation (flow, flow_state) WHERE flow <> '';

CREATE TABLE action (
	shard       INTEGER NOT NULL,
	account     TEXT    NOT NULL,
	key         TEXT    NOT NULL, -- trigger/route/n
	peer        INTEGER NOT NULL,
	verb        TEXT    NOT NULL,
	text        TEXT    NOT NULL,
	post        INTEGER NOT NULL,
	target      INTEGER NOT NULL,
	want        INTEGER NOT NULL,
	priority    INTEGER NOT NULL, -- 0 answer, 1 scheduled, 2 broadcast
	state       TEXT    NOT NULL,
	due_at      INTEGER NOT NULL,
	position    INTEGER NOT NULL,
	settle_from INTEGER NOT NULL,
	result      INTEGER NOT NULL,
	tries       INTEGER NOT NULL,
	reason      TEXT    NOT NULL,
	decided_at  INTEGER NOT NULL,
	left_at     INTEGER NOT NULL,
	ended_at    INTEGER NOT NULL,
	PRIMARY KEY (shard, account, key)
) WITHOUT ROWID;
-- Every turn's action passes through these. A condition with IN would build its list for every row.
CREATE INDEX action_due ON action (shard, account, priority, due_at, position, peer) WHERE state = 'due';
CREATE INDEX action_open ON action (shard, account, position) WHERE state = 'sending' OR state = 'unsure' OR state = 'held';
CREATE INDEX action_waiting ON action (shard, account, peer) WHERE state = 'due';
-- Ids of messages and posts are unique on a platform: what stands first finds the row at once.
CREATE INDEX action_result ON action (result) WHERE result > 0;

CREATE TABLE timer (
	shard      INTEGER NOT NULL,
	account    TEXT    NOT NULL,
	peer       INTEGER NOT NULL,
	name       TEXT    NOT NULL,
	occurrence INTEGER NOT NULL,
	due_at     INTEGER NOT NULL,
	data       TEXT    NOT NULL,
	PRIMARY KEY (shard, account, peer, name)
) WITHOUT ROWID;
CREATE INDEX timer_due ON timer (due_at);

CREATE TABLE claim (
	shard      INTEGER NOT NULL,
	account    TEXT    NOT NULL,
	name       TEXT    NOT NULL,
	scope      TEXT    NOT NULL,
	action     TEXT    NOT NULL, -- the key of the action that has it
	claimed_at INTEGER NOT NULL,
	ends_at    INTEGER NOT NULL, -- when it stops to count; the highest number for never
	PRIMARY KEY (shard, account, name, scope, action)
) WITHOUT ROWID;

CREATE TABLE fact (
	shard      INTEGER NOT NULL,
	account    TEXT    NOT NULL,
	trigger_id TEXT    NOT NULL,
	name       TEXT    NOT NULL,
	value      TEXT    NOT NULL, -- JSON
	read_at    INTEGER NOT NULL,
	PRIMARY KEY (shard, account, trigger_id, name)
) WITHOUT ROWID;

CREATE TABLE cursor (
	shard     INTEGER NOT NULL,
	account   TEXT    NOT NULL,
	source    INTEGER NOT NULL,
	peer      INTEGER NOT NULL,
	number    INTEGER NOT NULL,
	mark      INTEGER NOT NULL,
	polled_at INTEGER NOT NULL,
	PRIMARY KEY (shard, account, source, peer)
) WITHOUT ROWID;

CREATE TABLE session (
	shard    INTEGER NOT NULL,
	account  TEXT    NOT NULL,
	sealed   BLOB    NOT NULL, -- the first byte says how: 0 not at all, 1 with NECTAR_SECRET_KEY
	saved_at INTEGER NOT NULL,
	PRIMARY KEY (shard, account)
) WITHOUT ROWID;

-- Leases of shards, for several processes on one database.
CREATE TABLE shard (
	shard       INTEGER PRIMARY KEY,
	owner       TEXT    NOT NULL,
	epoch       INTEGER NOT NULL,
	lease_until INTEGER NOT NULL
);

CREATE TABLE rules_version (
	hash      TEXT    PRIMARY KEY,
	content   TEXT    NOT NULL,
	loaded_at INTEGER NOT NULL
) WITHOUT ROWID;
