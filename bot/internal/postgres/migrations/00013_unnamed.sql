-- The version before does not read by it.

-- +goose Up

-- Messages and posts that are done without anybody knowing what they made: the platform has not named it. What is shown as the account's own is looked
-- for among them. The key is the conversation of a message, and of a reply what it answers.
CREATE INDEX action_unnamed ON action (shard, account, verb, (CASE verb WHEN 'post' THEN post ELSE peer END), position)
	WHERE state = 'done' AND result = 0 AND (verb = 'message' OR verb = 'post');
