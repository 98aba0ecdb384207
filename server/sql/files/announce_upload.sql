-- Counts the bytes of an upload toward the limits of the day and inserts the upload. When a limit is reached, it does neither.
-- One round trip, because all announcements of a business wait for the lock of its row of the day.
CREATE OR REPLACE FUNCTION announce_upload(
  party bigint, upload uuid, name text, type text, bytes bigint, bytes_a_part integer, ref text, usable_s integer,
  business_limit bigint, owner_limit bigint
) RETURNS TABLE (refused_by text, clock timestamptz) LANGUAGE plpgsql AS $$
DECLARE
  today      date := (now() AT TIME ZONE 'UTC')::date;
  most       bigint := CASE business_limit WHEN 0 THEN 9223372036854775807 ELSE business_limit END;
  is_charged boolean := false;
BEGIN
  clock := now();
  IF bytes <= most THEN
    INSERT INTO daily_usage AS u (party_id, day, upload_bytes) VALUES (party, today, bytes)
    ON CONFLICT (party_id, day) DO UPDATE SET upload_bytes = u.upload_bytes + excluded.upload_bytes
     WHERE u.upload_bytes + excluded.upload_bytes <= most;
    is_charged := FOUND;
  END IF;
  IF NOT is_charged THEN
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
