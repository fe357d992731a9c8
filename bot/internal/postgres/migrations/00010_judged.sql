-- The version before does not write the column, and reads nothing of it.

-- +goose Up

-- How a worker stands, and its accounts, as it says itself: record.Judgement as JSON; '' where it has not said it.
ALTER TABLE worker ADD COLUMN judged text COLLATE "C" NOT NULL DEFAULT '';
