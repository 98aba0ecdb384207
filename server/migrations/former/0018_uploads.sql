-- What 0018_uploads.sql of release 0.1 did to tables. Functions are created from server/sql.
ALTER TABLE uploads
  ADD COLUMN sha256        bytea,
  ADD COLUMN sealing_until timestamptz;
CREATE TABLE person_usage (
  person_id    uuid   NOT NULL,
  day          date   NOT NULL,
  upload_bytes bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (person_id, day)
) WITH (fillfactor = 50);
CREATE INDEX person_usage_by_day ON person_usage (day);
