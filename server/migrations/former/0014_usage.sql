-- What 0014_usage.sql of release 0.1 did to tables. Functions are created from server/sql.
ALTER TABLE daily_usage ADD COLUMN received bigint;
