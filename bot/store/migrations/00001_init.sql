-- +goose Up
CREATE TABLE event (
	shard      INTEGER NOT NULL,
	account    TEXT    NOT NULL,
	source     INTEGER NOT NULL,
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
	state      TEXT    NOT NULL,
	tries      INTEGER NOT NULL,
	handled_at INTEGER NOT NULL,
	route      TEXT    NOT NULL,
	outcome    TEXT    NOT NULL,
	note       TEXT    NOT NULL,
	PRIMARY KEY (shard, account, source, number)
) WITHOUT ROWID;
CREATE INDEX event_open ON event (shard, account, peer, seen_at, source, number) WHERE state <> 'handled';

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
	owner       TEXT    NOT NULL,
	owner_since INTEGER NOT NULL,
	unreachable INTEGER NOT NULL,
	flow        TEXT    NOT NULL,
	flow_state  TEXT    NOT NULL,
	labels      TEXT    NOT NULL,
	body        TEXT    NOT NULL,
	changed_at  INTEGER NOT NULL,
	PRIMARY KEY (shard, account, peer)
) WITHOUT ROWID;
CREATE INDEX conversation_flow ON conversation (flow, flow_state) WHERE flow <> '';

CREATE TABLE action (
	shard       INTEGER NOT NULL,
	account     TEXT    NOT NULL,
	key         TEXT    NOT NULL,
	peer        INTEGER NOT NULL,
	verb        TEXT    NOT NULL,
	text        TEXT    NOT NULL,
	post        INTEGER NOT NULL,
	target      INTEGER NOT NULL,
	want        INTEGER NOT NULL,
	priority    INTEGER NOT NULL,
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
CREATE INDEX action_open ON action (shard, account, state, priority, due_at, position)
	WHERE state IN ('due', 'sending', 'unsure', 'held');
CREATE INDEX action_result ON action (shard, account, result) WHERE result > 0;

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
CREATE INDEX timer_due ON timer (shard, due_at);

CREATE TABLE claim (
	shard      INTEGER NOT NULL,
	account    TEXT    NOT NULL,
	name       TEXT    NOT NULL,
	scope      TEXT    NOT NULL,
	action     TEXT    NOT NULL,
	claimed_at INTEGER NOT NULL,
	PRIMARY KEY (shard, account, name, scope, action)
) WITHOUT ROWID;

CREATE TABLE fact (
	shard   INTEGER NOT NULL,
	account TEXT    NOT NULL,
	trigger_id TEXT NOT NULL,
	name    TEXT    NOT NULL,
	value   TEXT    NOT NULL,
	read_at INTEGER NOT NULL,
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
	sealed   BLOB    NOT NULL,
	saved_at INTEGER NOT NULL,
	PRIMARY KEY (shard, account)
) WITHOUT ROWID;

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
