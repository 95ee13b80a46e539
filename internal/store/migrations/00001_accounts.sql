-- +goose Up
CREATE TABLE orgs (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  settings TEXT NOT NULL, -- JSON, see OrgSettings
  made BIGINT NOT NULL
);
CREATE TABLE keys ( -- an organisation's ed25519 seeds, base64
  org TEXT PRIMARY KEY REFERENCES orgs,
  seed TEXT NOT NULL
);
CREATE TABLE teams (
  id TEXT PRIMARY KEY,
  org TEXT NOT NULL REFERENCES orgs,
  name TEXT NOT NULL,
  made BIGINT NOT NULL,
  UNIQUE (org, name)
);
CREATE TABLE people (
  id TEXT PRIMARY KEY,
  org TEXT NOT NULL REFERENCES orgs,
  issuer TEXT NOT NULL, -- of OpenID Connect; '' for whoever came by a set-up link
  subject TEXT NOT NULL,
  email TEXT NOT NULL,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  team TEXT NOT NULL DEFAULT '', -- the one team that the role is for; '' for all
  made BIGINT NOT NULL,
  gone BIGINT NOT NULL DEFAULT 0,
  UNIQUE (org, issuer, subject)
);
CREATE TABLE sessions (
  hash TEXT PRIMARY KEY,
  org TEXT NOT NULL REFERENCES orgs,
  person TEXT NOT NULL REFERENCES people,
  made BIGINT NOT NULL,
  expires BIGINT NOT NULL
);
CREATE TABLE machines (
  id TEXT PRIMARY KEY,
  org TEXT NOT NULL REFERENCES orgs,
  team TEXT NOT NULL REFERENCES teams,
  name TEXT NOT NULL,
  made BIGINT NOT NULL,
  gone BIGINT NOT NULL DEFAULT 0,
  seen BIGINT NOT NULL DEFAULT 0,
  report TEXT NOT NULL DEFAULT '{}' -- JSON, see Report
);
CREATE INDEX machines_by_org ON machines (org, id);
CREATE TABLE tokens (
  id TEXT PRIMARY KEY,
  org TEXT NOT NULL REFERENCES orgs,
  name TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE, -- SHA-256 of the token, which is kept nowhere
  scopes TEXT NOT NULL,      -- separated by commas
  machine TEXT NOT NULL DEFAULT '',
  made BIGINT NOT NULL,
  expires BIGINT NOT NULL DEFAULT 0,
  UNIQUE (org, name)
);
CREATE TABLE codes (
  hash TEXT PRIMARY KEY,
  org TEXT NOT NULL REFERENCES orgs,
  kind TEXT NOT NULL,
  team TEXT NOT NULL DEFAULT '',
  person TEXT NOT NULL DEFAULT '',
  made BIGINT NOT NULL,
  expires BIGINT NOT NULL,
  used BIGINT NOT NULL DEFAULT 0
);
CREATE TABLE events (
  id TEXT PRIMARY KEY,
  org TEXT NOT NULL REFERENCES orgs,
  at BIGINT NOT NULL,
  who TEXT NOT NULL,
  what TEXT NOT NULL,
  about TEXT NOT NULL,
  detail TEXT NOT NULL
);
CREATE INDEX events_by_org ON events (org, id);
