-- Uploads that come in parts: how many bytes each part has, and what the object store calls the upload. Null in one that
-- comes in one piece.
ALTER TABLE uploads
  ADD COLUMN part_bytes integer,
  ADD COLUMN parts_ref  text,
  ADD CONSTRAINT uploads_parts_check CHECK ((part_bytes IS NULL) = (parts_ref IS NULL));
