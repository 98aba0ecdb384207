-- Keeps a key from being revoked until the end of the transaction. Returns false if it is revoked: since its signature was checked. A revocation waits for
-- these locks, so that the log has it after all that the key signed. On Citus, keys are on another node than shards: there, what is under way may still be
-- committed behind it.
CREATE OR REPLACE FUNCTION hold_valid_key(party bigint, key_id uuid) RETURNS boolean LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
  IF to_regclass('signing_keys') IS NULL THEN
    RETURN true;
  END IF;
  PERFORM 1 FROM signing_keys k WHERE k.party_id = party AND k.id = key_id AND k.revoked_at IS NULL FOR SHARE;
  RETURN FOUND;
END
$$;
