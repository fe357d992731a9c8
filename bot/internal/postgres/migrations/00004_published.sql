-- Folders of rules and campaigns that people have published: what they have in them is in rules_version, by its hash.

-- +goose Up
-- Each edition of a set, from the first one on.
CREATE TABLE rules_edition (
	name    text COLLATE "C" NOT NULL, -- of the set
	number  bigint NOT NULL,           -- from 1 on
	hash    text COLLATE "C" NOT NULL,
	at      bigint NOT NULL,
	by_whom text COLLATE "C" NOT NULL,
	why     text COLLATE "C" NOT NULL,
	back_to bigint NOT NULL,           -- the edition whose content it has again; 0 for none
	PRIMARY KEY (name, number)
);

-- Which of them is in force. Who publishes changes it from what was seen, so that of two who do at once one is told.
CREATE TABLE rules_set (
	name   text COLLATE "C" PRIMARY KEY,
	number bigint NOT NULL,
	hash   text COLLATE "C" NOT NULL
) WITH (fillfactor = 50);
