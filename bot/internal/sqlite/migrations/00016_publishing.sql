-- +goose Up

-- What an action that publishes keeps from any other that does, in microseconds, beside what its account keeps.
ALTER TABLE action ADD COLUMN apart INTEGER NOT NULL DEFAULT 0; -- 0 for nothing of its own
-- What an account publishes, by when it left, or is to leave: own posts, reposts and renewals, whoever decided them.
CREATE INDEX action_published ON action (shard, account, max(due_at, left_at))
	WHERE verb = 'renew' OR verb = 'repost' AND want = 1 OR verb = 'post' AND post = 0;
