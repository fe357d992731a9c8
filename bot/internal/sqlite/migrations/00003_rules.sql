-- +goose Up

-- Why a turn that rules decided did what it did: the rule, the content of the rules by hash, and what the
-- conversation was before.
ALTER TABLE event ADD COLUMN rule TEXT NOT NULL DEFAULT '';
ALTER TABLE event ADD COLUMN rules_version TEXT NOT NULL DEFAULT '';
ALTER TABLE event ADD COLUMN before TEXT NOT NULL DEFAULT '';
ALTER TABLE turn ADD COLUMN rule TEXT NOT NULL DEFAULT '';
ALTER TABLE turn ADD COLUMN rules_version TEXT NOT NULL DEFAULT '';
ALTER TABLE turn ADD COLUMN before TEXT NOT NULL DEFAULT '';
ALTER TABLE rules_version ADD COLUMN used_at INTEGER NOT NULL DEFAULT 0; -- the latest turn that names it, within the hour

ALTER TABLE action ADD COLUMN private INTEGER NOT NULL DEFAULT 0; -- 1: its text is not shown
ALTER TABLE action ADD COLUMN claims TEXT NOT NULL DEFAULT ''; -- a JSON list: to be taken at release, or given back at the end
ALTER TABLE request ADD COLUMN text TEXT NOT NULL DEFAULT ''; -- of an action that is edited

-- What handlers keep in lists: leads, people not to write to.
CREATE TABLE entry (
	shard      INTEGER NOT NULL,
	account    TEXT    NOT NULL,
	list       TEXT    NOT NULL,
	key        TEXT    NOT NULL,
	peer       INTEGER NOT NULL,
	trigger_id TEXT    NOT NULL, -- what led to it; '' for a person
	text       TEXT    NOT NULL,
	data       TEXT    NOT NULL, -- JSON, or ''
	at         INTEGER NOT NULL,
	PRIMARY KEY (shard, account, list, key)
) WITHOUT ROWID;
CREATE INDEX entry_peer ON entry (shard, account, list, peer);

-- What people of ours are told.
CREATE TABLE notice (
	shard   INTEGER NOT NULL,
	account TEXT    NOT NULL,
	id      TEXT    NOT NULL, -- trigger/route/n
	who     TEXT    NOT NULL,
	text    TEXT    NOT NULL,
	peer    INTEGER NOT NULL,
	at      INTEGER NOT NULL,
	sent_at INTEGER NOT NULL,
	private INTEGER NOT NULL, -- 1: its text is for them alone
	PRIMARY KEY (shard, account, id)
) WITHOUT ROWID;
CREATE INDEX notice_unsent ON notice (at) WHERE sent_at = 0;

-- How far retention has deleted: what the platform shows again up to there is old.
CREATE TABLE floor (
	shard   INTEGER NOT NULL,
	account TEXT    NOT NULL,
	source  INTEGER NOT NULL, -- as in event; 0 for the account's own messages
	number  INTEGER NOT NULL,
	PRIMARY KEY (shard, account, source)
) WITHOUT ROWID;
