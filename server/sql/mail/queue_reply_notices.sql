-- A follower of messages: queues a notice for the mailbox behind a party without a handle, and for one of a business's verified
-- domain that wrote in the business's name without being a member. Agents have no mailbox, and members have the dashboard: for
-- these nothing is queued. A message that replies to nothing is not looked at.
CREATE OR REPLACE FUNCTION queue_reply_notices(messages committed_message[]) RETURNS void LANGUAGE plpgsql
-- Without this option, a plan made while tables were small read 118,089 rows in place of 1 (`npm run bench -- planner`).
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $$
DECLARE
  replied record;
BEGIN
  -- IS TRUE keeps the index of handles, which finds all parties that have none, from serving in place of the primary key.
  PERFORM queue_job('notify-of-reply', json_build_object('party_id', p.id::text, 'message_id', m.id), 'notify-of-reply ' || m.id)
     FROM unnest(messages) AS m JOIN parties p ON p.id = m.recipient_id AND (p.handle IS NULL) IS TRUE
    WHERE m.half IS DISTINCT FROM 'out';

  -- A loop, because Citus runs no function that writes inside of a query on a shard.
  FOR replied IN
    SELECT e.party_id, m.id FROM unnest(messages) AS m
      JOIN ledger_entries e ON e.party_id = m.recipient_id AND e.message_id = m.in_reply_to AND e.box = 'out' AND e.from_email IS NOT NULL
     WHERE m.in_reply_to IS NOT NULL AND (SELECT v.party_id FROM verified_domains v WHERE v.domain = e.from_domain) = e.party_id
       AND NOT EXISTS (SELECT 1 FROM people h JOIN members b ON b.person_id = h.id AND b.party_id = e.party_id WHERE h.email = e.from_email AND h.email_verified)
  LOOP
    PERFORM queue_job('notify-of-reply', json_build_object('party_id', replied.party_id::text, 'message_id', replied.id), 'notify-of-reply ' || replied.id);
  END LOOP;
END
$$;
