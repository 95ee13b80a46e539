-- +goose Up
CREATE TABLE drafts (
  id TEXT PRIMARY KEY,
  org TEXT NOT NULL REFERENCES orgs,
  document TEXT NOT NULL, -- JSON, see PolicyDocument
  removes BOOLEAN NOT NULL, -- the document of this name goes
  author TEXT NOT NULL,
  made BIGINT NOT NULL,
  reviewer TEXT NOT NULL DEFAULT '',
  version BIGINT NOT NULL DEFAULT 0 -- with which it was published
);
CREATE INDEX drafts_by_org ON drafts (org, id);
CREATE TABLE policies (
  org TEXT NOT NULL REFERENCES orgs,
  version BIGINT NOT NULL,
  made BIGINT NOT NULL,
  who TEXT NOT NULL,
  what TEXT NOT NULL,
  documents TEXT NOT NULL, -- JSON, a list of PolicyDocument: all that hold
  PRIMARY KEY (org, version)
);
CREATE TABLE bundles ( -- what a team's machines get, signed
  org TEXT NOT NULL,
  version BIGINT NOT NULL,
  team TEXT NOT NULL REFERENCES teams,
  body TEXT NOT NULL,
  PRIMARY KEY (org, version, team),
  FOREIGN KEY (org, version) REFERENCES policies (org, version)
);
