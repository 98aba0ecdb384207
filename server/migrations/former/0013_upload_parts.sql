-- What 0013_upload_parts.sql of release 0.1 did to tables. Functions are created from server/sql.
ALTER TABLE uploads
  ADD COLUMN part_bytes integer,
  ADD COLUMN parts_ref  text,
  ADD CONSTRAINT uploads_parts_check CHECK ((part_bytes IS NULL) = (parts_ref IS NULL));
