-- Who the accounts are on their platforms is looked up by all workers: what has changed of it lately is found by its time.

-- +goose Up
CREATE INDEX fact_self ON fact (read_at) WHERE trigger_id = 'account' AND name = 'self';
