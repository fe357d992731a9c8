-- Which key each writer seals with, and which NECTAR_SECRET_KEY it has: a key takes no other one's place before all can do without that.

-- +goose Up
CREATE TABLE seal_writer (
	worker bigint  NOT NULL, -- see fence
	lane   bigint  NOT NULL,
	epoch  bigint  NOT NULL, -- of the writer that said so
	number integer NOT NULL, -- of the key
	secret bigint  NOT NULL, -- the fingerprint of the NECTAR_SECRET_KEY
	PRIMARY KEY (worker, lane)
) WITH (fillfactor = 50);
