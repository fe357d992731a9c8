-- +goose Up

-- The keys that seal what people said. Each is sealed itself, with NECTAR_SECRET_KEY: with two of these while one
-- takes the place of the other.
CREATE TABLE seal_key (
	number  INTEGER NOT NULL, -- what is sealed names it; the highest one seals
	secret  BLOB    NOT NULL, -- the fingerprint of the NECTAR_SECRET_KEY that opens the box
	box     BLOB    NOT NULL,
	leaves  INTEGER NOT NULL, -- 1: this NECTAR_SECRET_KEY is to open nothing any more, once all is sealed anew
	made_at INTEGER NOT NULL,
	PRIMARY KEY (number, secret)
) WITHOUT ROWID;

-- How far what was stored before has been sealed with the newest key.
CREATE TABLE sealing (
	number  INTEGER PRIMARY KEY, -- of the key
	looked  INTEGER NOT NULL,    -- rows
	done_at INTEGER NOT NULL
);

-- The NECTAR_SECRET_KEY of the bot that runs, or ran last, by its fingerprint.
CREATE TABLE seal_user (
	one    INTEGER PRIMARY KEY, -- 1
	secret BLOB    NOT NULL
);
