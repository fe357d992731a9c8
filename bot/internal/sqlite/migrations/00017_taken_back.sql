-- +goose Up

-- What an account has taken back of its own reposts, by post: it was no hand that did that.
CREATE INDEX action_taken_back ON action (shard, account, post, left_at) WHERE verb = 'repost' AND want = 0;
