-- +goose Up

-- What a program delivers: its numbers have no order.
CREATE INDEX event_delivery ON event (shard, account, seen_at, number) WHERE source = 5;
