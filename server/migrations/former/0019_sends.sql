-- What 0019_sends.sql of release 0.1 did to tables. Functions are created from server/sql.
ALTER TABLE parties ADD COLUMN minimal_receipts boolean NOT NULL DEFAULT false;
