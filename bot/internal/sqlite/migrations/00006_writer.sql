-- +goose Up

-- The number of the last commit: by it the writer finds out what became of one whose end was not clear.
CREATE TABLE writer (
	writer INTEGER PRIMARY KEY, -- 1: a file has one
	number INTEGER NOT NULL
);
