-- +goose Up
CREATE TABLE lines ( -- of machines' logs
  org TEXT NOT NULL,
  machine TEXT NOT NULL,
  time BIGINT NOT NULL, -- as the machine says
  id TEXT NOT NULL,     -- the line's hash, so that none is there twice
  seq BIGINT NOT NULL,  -- its place in the machine's chain
  kind TEXT NOT NULL,
  verdict TEXT NOT NULL,
  layer TEXT NOT NULL,
  agent TEXT NOT NULL,
  session TEXT NOT NULL,
  root TEXT NOT NULL,
  tool TEXT NOT NULL,
  rule TEXT NOT NULL,
  line TEXT NOT NULL,
  PRIMARY KEY (org, machine, time, id)
){{if .Postgres}} PARTITION BY RANGE (time){{end}};
CREATE INDEX lines_by_time ON lines (org, time, machine, id);
{{if .Postgres}}CREATE TABLE lines_other PARTITION OF lines DEFAULT;{{end}}
CREATE TABLE chains ( -- the newest line of each machine
  org TEXT NOT NULL,
  machine TEXT NOT NULL,
  head TEXT NOT NULL DEFAULT '',
  loose BIGINT NOT NULL DEFAULT 0, -- the head was written without the log's lock
  lines BIGINT NOT NULL DEFAULT 0,
  gaps BIGINT NOT NULL DEFAULT 0,
  signed TEXT NOT NULL DEFAULT '', -- the head that was signed last
  PRIMARY KEY (org, machine)
);
CREATE TABLE questions ( -- calls on machines that wait for a person
  org TEXT NOT NULL,
  id TEXT NOT NULL,
  machine TEXT NOT NULL,
  team TEXT NOT NULL,
  name TEXT NOT NULL, -- the machine's own id of it
  key TEXT NOT NULL,  -- names the call and the files that it would run
  question TEXT NOT NULL, -- JSON
  scopes TEXT NOT NULL, -- how far a yes may hold
  asked BIGINT NOT NULL,
  ends BIGINT NOT NULL,
  answered BIGINT NOT NULL DEFAULT 0,
  yes BIGINT NOT NULL DEFAULT 0,
  scope TEXT NOT NULL DEFAULT '',
  who TEXT NOT NULL DEFAULT '',
  closed BIGINT NOT NULL DEFAULT 0, -- it waits no more
  PRIMARY KEY (org, id)
);
CREATE INDEX questions_open ON questions (org, closed, ends);
