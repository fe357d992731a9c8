-- +goose Up

-- What is known of the database itself: which accounts have gone from it to another one, and which are on their way into it.
CREATE TABLE meta (
	key   TEXT PRIMARY KEY,
	value TEXT NOT NULL
) WITHOUT ROWID;
