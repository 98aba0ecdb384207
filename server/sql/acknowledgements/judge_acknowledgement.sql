-- Whether a party can say this of a message. 'new': yes. 'same': it has said so before. 'not received': the message is not in its inbox. Otherwise the status that
-- it gave before, which this one contradicts. What came with a reply counts as said from the commit of the reply.
--
-- locks: keeps others from saying anything of the message until the end of the transaction.
CREATE OR REPLACE FUNCTION judge_acknowledgement(party bigint, message uuid, said acknowledgement_status, why text, locks boolean) RETURNS text LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  before     acknowledgement_status;
  before_why text;
BEGIN
  IF locks THEN
    PERFORM FROM ledger_entries e WHERE e.party_id = party AND e.message_id = message AND e.box = 'in' FOR UPDATE;
  ELSE
    PERFORM FROM ledger_entries e WHERE e.party_id = party AND e.message_id = message AND e.box = 'in';
  END IF;
  IF NOT FOUND THEN
    RETURN 'not received';
  END IF;

  -- Of one message, at most two are due, and the first of them is 'accepted', which is the first status of the type.
  SELECT d.status, d.reason INTO before, before_why
    FROM due_acknowledgements d WHERE d.party_id = party AND d.message_id = message ORDER BY d.status DESC LIMIT 1;
  IF before IS NULL THEN
    SELECT a.status, a.statement::json ->> 'reason' INTO before, before_why
      FROM acknowledgements a WHERE a.party_id = party AND a.message_id = message ORDER BY a.number DESC LIMIT 1;
  END IF;

  RETURN CASE WHEN before IS NULL OR before = 'accepted' AND said <> 'accepted' THEN 'new'
              WHEN before = said AND before_why IS NOT DISTINCT FROM why THEN 'same'
              ELSE before::text END;
END
$$;
