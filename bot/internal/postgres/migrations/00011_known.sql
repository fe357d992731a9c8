-- The version before adds actions without the column, which go with the first of their conversation then, and does not read it.

-- +goose Up

-- Whether a message of the bot had arrived in the conversation of an action before what it was decided for: 0 it had not, 1 it had, 2 it is neither
-- a message nor a post, and goes with those. All actions of a conversation that are due have the same of 0 and 1: what is first in it leaves first.
ALTER TABLE action ADD COLUMN known integer NOT NULL DEFAULT 0;
CREATE INDEX action_known ON action (shard, account, priority, due_at, position, peer) WHERE state = 'due' AND known = 1;
CREATE INDEX action_first ON action (shard, account, priority, due_at, position, peer) WHERE state = 'due' AND known <> 1;
-- The first messages of each conversation: one of them was there when it became known, so that those behind it need no place.
CREATE INDEX action_met ON action (shard, account, peer) WHERE state = 'done' AND verb = 'message' AND known = 0;
CREATE INDEX action_kind ON action (shard, account, peer, known) WHERE state = 'due' AND known < 2;
