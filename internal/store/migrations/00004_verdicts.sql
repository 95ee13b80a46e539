-- +goose Up
CREATE TABLE verdicts (
  org TEXT NOT NULL REFERENCES orgs,
  team TEXT NOT NULL,
  key TEXT NOT NULL,
  blocks BOOLEAN NOT NULL,
  reason TEXT NOT NULL,
  model TEXT NOT NULL,
  machine TEXT NOT NULL, -- whose model said so
  ends BIGINT NOT NULL,
  PRIMARY KEY (org, team, key)
);
