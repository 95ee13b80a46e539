-- +goose Up
DROP INDEX lines_by_time;
CREATE INDEX lines_by_time ON lines (org, time); -- what is of one microsecond is sorted when it is read
