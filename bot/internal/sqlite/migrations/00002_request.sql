-- +goose Up

-- What people ask the bot to do about what it keeps. A row is there until its turn is stored.
CREATE TABLE request (
	shard    INTEGER NOT NULL,
	account  TEXT    NOT NULL,
	number   INTEGER NOT NULL, -- higher than that of every request before it
	peer     INTEGER NOT NULL,
	wish     TEXT    NOT NULL, -- retry, release, drop, take-over, give-back
	subject  TEXT    NOT NULL, -- ids of events, the key of an action, or who takes over
	until    INTEGER NOT NULL, -- how long somebody has the conversation
	asked_at INTEGER NOT NULL,
	PRIMARY KEY (shard, account, number)
) WITHOUT ROWID;

-- 1: it was quarantined, and somebody let it have its turn again.
ALTER TABLE event ADD COLUMN late INTEGER NOT NULL DEFAULT 0;

-- What people look for: who it was with, newest first; what waits or is quarantined; who has what.
CREATE INDEX event_peer ON event (shard, account, peer, seen_at);
CREATE INDEX event_waiting ON event (shard, account, state, seen_at) WHERE state <> 'handled';
CREATE INDEX event_snapshot ON event (shard, account, seen_at) WHERE source = 4; -- their numbers have no order
CREATE INDEX conversation_user ON conversation (shard, account, username COLLATE NOCASE) WHERE username <> '';
CREATE INDEX conversation_owned ON conversation (shard, account, owner_since) WHERE owner <> '';

-- What has stopped to count is deleted now and then.
CREATE INDEX claim_ends ON claim (ends_at) WHERE ends_at < 9223372036854775807;
