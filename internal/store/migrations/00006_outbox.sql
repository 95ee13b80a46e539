-- +goose Up
CREATE TABLE outbox ( -- lines that a collector has not taken, see Store.SendOut
  id {{if .Postgres}}BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY{{else}}INTEGER PRIMARY KEY AUTOINCREMENT{{end}},
  org TEXT NOT NULL,
  machine TEXT NOT NULL,
  since BIGINT NOT NULL, -- the times of the lines, and their places in the chain
  till BIGINT NOT NULL,
  first BIGINT NOT NULL,
  last BIGINT NOT NULL,
  size BIGINT NOT NULL -- bytes
);
