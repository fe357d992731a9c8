-- +goose Up

-- A timer stays until its turn is stored: while it is tried again, when it is quarantined, and as long as the
-- program has no route for it.
ALTER TABLE timer ADD COLUMN first_due_at INTEGER NOT NULL DEFAULT 0; -- before it was put off; 0: it was not
ALTER TABLE timer ADD COLUMN state TEXT NOT NULL DEFAULT 'waiting'; -- waiting, quarantined, orphaned
ALTER TABLE timer ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;
ALTER TABLE timer ADD COLUMN late INTEGER NOT NULL DEFAULT 0; -- as in event
ALTER TABLE timer ADD COLUMN tried_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE timer ADD COLUMN note TEXT NOT NULL DEFAULT ''; -- of the last try

-- Those that do not wait for their time are read by nobody who looks for what is due.
DROP INDEX timer_due;
CREATE INDEX timer_due ON timer (due_at) WHERE state = 'waiting';
CREATE INDEX timer_aside ON timer (shard, account, state, due_at) WHERE state <> 'waiting';
