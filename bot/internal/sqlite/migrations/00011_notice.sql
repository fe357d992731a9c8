-- +goose Up

-- What a notice is about, and what became of it at each address of a team.
ALTER TABLE notice ADD COLUMN kind TEXT NOT NULL DEFAULT '';    -- '' for what a rule or a program says
ALTER TABLE notice ADD COLUMN details TEXT NOT NULL DEFAULT ''; -- JSON: who it is about, what they said, what is asked
ALTER TABLE notice ADD COLUMN reached TEXT NOT NULL DEFAULT ''; -- JSON: by address, when it got it or why it did not
CREATE INDEX notice_at ON notice (at);

-- The addresses that people of ours are called at, by a name that says nothing of them.
CREATE TABLE address (
	id   TEXT PRIMARY KEY,
	pace TEXT NOT NULL -- JSON: when it rang last, how often since somebody has looked, since when it fails
) WITHOUT ROWID;

-- What lasts, and was told: it is told again when it is over.
CREATE TABLE alarm (
	shard   INTEGER NOT NULL,
	account TEXT    NOT NULL, -- '' for the whole bot
	kind    TEXT    NOT NULL,
	subject TEXT    NOT NULL,
	since   INTEGER NOT NULL,
	PRIMARY KEY (shard, account, kind, subject)
) WITHOUT ROWID;
