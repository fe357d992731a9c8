-- +goose Up

-- Who waits for a person of ours: whose last words nobody, and no answer, has dealt with. It holds what a turn, a failed answer, a person's words or a
-- request has come to, so that nobody has to search for it. What is held, and what is quarantined, stands where it is.
CREATE TABLE waiting (
	shard   INTEGER NOT NULL,
	account TEXT    NOT NULL,
	peer    INTEGER NOT NULL,
	since   INTEGER NOT NULL, -- when the first of the words was said
	source  INTEGER NOT NULL, -- the event of the last ones
	number  INTEGER NOT NULL,
	said_at INTEGER NOT NULL, -- when these were said
	why     TEXT    NOT NULL,
	lasts   INTEGER NOT NULL, -- 1: a person of ours is needed, whatever the bot says later
	later   INTEGER NOT NULL, -- put off until then; 0: not
	PRIMARY KEY (shard, account, peer)
) WITHOUT ROWID;
CREATE INDEX waiting_since ON waiting (shard, account, since);

-- Until now that was searched for among the conversations that people have.
INSERT INTO waiting SELECT c.shard, c.account, c.peer, e.seen_at, e.source, e.number, e.seen_at, 'conversation.owned', 1, 0
	FROM conversation AS c INDEXED BY conversation_owned JOIN event AS e ON e.shard = c.shard AND e.account = c.account AND e.peer = c.peer
	WHERE c.owner <> '' AND e.kind = 'message' AND (c.owner <> 'person' OR e.seen_at > c.owner_since) AND (e.source, e.number) =
		(SELECT n.source, n.number FROM event AS n INDEXED BY event_peer WHERE n.shard = c.shard AND n.account = c.account AND n.peer = c.peer
			AND n.kind = 'message' ORDER BY n.seen_at DESC, n.number DESC LIMIT 1);
-- The version before does not know the table, and leaves it as it is.
