-- +goose Up

-- Why a row came to what it is, as a code with what belongs to it; '' where a sentence alone says it. See event.Reason.
ALTER TABLE event ADD COLUMN why TEXT NOT NULL DEFAULT '';
ALTER TABLE turn ADD COLUMN why TEXT NOT NULL DEFAULT '';
ALTER TABLE timer ADD COLUMN why TEXT NOT NULL DEFAULT '';
ALTER TABLE action ADD COLUMN why TEXT NOT NULL DEFAULT '';
