-- +goose Up

-- Of which message a conversation was met by: who looks whether it was before an id looks at one row, however many there are.
DROP INDEX action_met;
CREATE INDEX action_met ON action (shard, account, peer, result) WHERE state = 'done' AND verb = 'message' AND known = 0;
