-- How much of what each host of the platform may get is each worker's, see bot/lease. The version before does not look here.

-- +goose Up
ALTER TABLE host ADD COLUMN number bigint NOT NULL DEFAULT 0; -- how often a worker has said something of it: of two at once one does

CREATE TABLE share (
	host    text COLLATE "C" NOT NULL,
	worker  bigint NOT NULL,
	epoch   bigint NOT NULL, -- of the worker: what one said that has gone does not count
	rate    double precision NOT NULL, -- how many requests a second all may make there, as the worker is set; 0 for any number
	acts    double precision NOT NULL, -- and how many it would make that act
	polls   double precision NOT NULL, -- and that poll
	share   double precision NOT NULL, -- it makes no more than so many
	PRIMARY KEY (host, worker)
) WITH (fillfactor = 50);
