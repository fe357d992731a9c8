-- +goose Up

-- By which rules each account acts, since accounts may have folders of their own.
CREATE TABLE rules_in_force (
	account TEXT    PRIMARY KEY, -- '' for all of a bot that names none
	hash    TEXT    NOT NULL,
	folder  TEXT    NOT NULL, -- as the settings name it; '' when that was not noted
	since   INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO rules_in_force SELECT account, hash, '', loaded_at FROM
	(SELECT DISTINCT account FROM cursor), (SELECT hash, loaded_at FROM rules_version ORDER BY loaded_at DESC, hash LIMIT 1);
