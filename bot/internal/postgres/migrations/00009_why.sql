-- The version before adds rows without the column, which is empty then, and does not read it.

-- +goose Up

-- Why a row came to what it is, as a code with what belongs to it; '' where a sentence alone says it. See event.Reason.
ALTER TABLE event ADD COLUMN why text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE turn ADD COLUMN why text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE timer ADD COLUMN why text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE action ADD COLUMN why text COLLATE "C" NOT NULL DEFAULT '';
