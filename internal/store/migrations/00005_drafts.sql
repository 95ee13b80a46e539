-- +goose Up
ALTER TABLE drafts ADD COLUMN base BIGINT NOT NULL DEFAULT -1; -- the version that held when it was made; -1: none
