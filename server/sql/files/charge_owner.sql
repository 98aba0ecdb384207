-- Counts bytes toward the day's limit of one owner of the business who has room for all of them. False when no owner has. The
-- count stays with that person when the business changes owners. Owners are tried in one order, so that two transactions
-- can't deadlock.
CREATE OR REPLACE FUNCTION charge_owner(party bigint, bytes bigint, day_limit bigint) RETURNS boolean LANGUAGE plpgsql AS $$
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
    CONTINUE WHEN bytes > day_limit;
    INSERT INTO person_usage AS u (person_id, day, upload_bytes) VALUES (owner, today, bytes)
    ON CONFLICT (person_id, day) DO UPDATE SET upload_bytes = u.upload_bytes + excluded.upload_bytes
     WHERE u.upload_bytes + excluded.upload_bytes <= day_limit;
    IF FOUND THEN
      RETURN true;
    END IF;
  END LOOP;
  -- A business of the operator has no owner, and its own limit only.
  RETURN NOT has_owner;
END $$;
