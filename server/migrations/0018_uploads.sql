-- What sealing an upload has found out stays with it, whether the message that wanted it was delivered or refused. Whoever
-- seals one holds a lease meanwhile rather than a connection, since a bucket may take minutes to copy.
ALTER TABLE uploads
  ADD COLUMN sha256        bytea,
  ADD COLUMN sealing_until timestamptz;

-- Bytes of files that count toward a person's limit of a day, over all the businesses that the person owns.
CREATE TABLE person_usage (
  person_id    uuid   NOT NULL,
  day          date   NOT NULL,
  upload_bytes bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (person_id, day)
) WITH (fillfactor = 50);
CREATE INDEX person_usage_by_day ON person_usage (day);

-- Counts bytes toward one owner of the business who has room for all of them, and tells whether there is one. It stays with
-- that person when the business is handed on. Owners are tried in one order, so that two transactions can't deadlock.
CREATE FUNCTION charge_owner(party bigint, bytes bigint, day_limit bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  today     date := (now() AT TIME ZONE 'UTC')::date;
  has_owner boolean := false;
  owner     uuid;
BEGIN
  IF day_limit = 0 THEN
    RETURN true;
  END IF;
  FOR owner IN SELECT m.person_id FROM members m WHERE m.party_id = party AND m.role = 'owner' ORDER BY m.person_id LOOP
    has_owner := true;
    INSERT INTO person_usage AS u (person_id, day, upload_bytes) SELECT owner, today, bytes WHERE bytes <= day_limit
    ON CONFLICT (person_id, day) DO UPDATE SET upload_bytes = u.upload_bytes + excluded.upload_bytes
     WHERE u.upload_bytes + excluded.upload_bytes <= day_limit;
    IF FOUND THEN
      RETURN true;
    END IF;
  END LOOP;
  -- A business of the operator has no owner, and its own limit only.
  RETURN NOT has_owner;
END $$;

-- Counts the bytes of an upload toward the limits of the day and remembers it, or does neither where a limit is reached. One
-- round trip, since all announcements of a business wait for each other at its row of the day.
CREATE FUNCTION announce_upload(
  party bigint, upload uuid, name text, type text, bytes bigint, bytes_a_part integer, ref text, usable_s integer,
  business_limit bigint, owner_limit bigint
) RETURNS TABLE (refused_by text, clock timestamptz) LANGUAGE plpgsql AS $$
DECLARE
  today date := (now() AT TIME ZONE 'UTC')::date;
BEGIN
  clock := now();
  INSERT INTO daily_usage AS u (party_id, day, upload_bytes)
  SELECT party, today, bytes WHERE business_limit = 0 OR bytes <= business_limit
  ON CONFLICT (party_id, day) DO UPDATE SET upload_bytes = u.upload_bytes + excluded.upload_bytes
   WHERE business_limit = 0 OR u.upload_bytes + excluded.upload_bytes <= business_limit;
  IF NOT FOUND THEN
    refused_by := 'business';
  ELSIF NOT charge_owner(party, bytes, owner_limit) THEN
    UPDATE daily_usage u SET upload_bytes = u.upload_bytes - bytes WHERE u.party_id = party AND u.day = today;
    refused_by := 'owner';
  ELSE
    INSERT INTO uploads (party_id, id, filename, content_type, size_bytes, part_bytes, parts_ref, expires_at)
    VALUES (party, upload, name, type, bytes, bytes_a_part, ref, now() + make_interval(secs => usable_s));
  END IF;
  RETURN NEXT;
END $$;
