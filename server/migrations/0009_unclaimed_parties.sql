-- A mailbox that has sent mail, so that it can be named: by blocks above all.
CREATE TABLE mailboxes (
  id    uuid PRIMARY KEY,
  email text COLLATE "C" NOT NULL UNIQUE
);

-- Whoever has no handle is told by mail that there is an answer. What the mail says is up to the chore that sends it.
CREATE FUNCTION queue_answer_notices(recipient_ids bigint[], message_ids uuid[]) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
BEGIN
  PERFORM graphile_worker.add_job('notify-of-answer', json_build_object('party_id', p.id::text, 'message_id', m.id), job_key => 'notify-of-answer ' || m.id)
     FROM unnest(recipient_ids, message_ids) AS m (recipient_id, id) JOIN parties p ON p.id = m.recipient_id AND p.handle IS NULL;
END
$$;

CREATE OR REPLACE FUNCTION follow_messages(
  delivered timestamptz, sender_ids bigint[], recipient_ids bigint[], message_ids uuid[], segments text[], types text[], senders text[]
) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
  PERFORM note_contacts(delivered, sender_ids, recipient_ids, types, senders);
  PERFORM queue_webhook_attempts(recipient_ids, message_ids, segments);
  PERFORM queue_answer_notices(recipient_ids, message_ids);
END
$$;

-- Whoever has no handle counts as new for ever. Of commit_messages, one expression changes.
DO $$
DECLARE
  claimed_only  text := 'CASE WHEN p.claimed_at > clock - make_interval(days => new_account_days)';
  unclaimed_too text := 'CASE WHEN p.handle IS NULL THEN true WHEN p.claimed_at > clock - make_interval(days => new_account_days)';
  grouped       text := 'GROUP BY s.slot, p.claimed_at';
  definition    text := pg_get_functiondef('commit_messages'::regproc);
BEGIN
  IF position(claimed_only IN definition) = 0 OR position(grouped IN definition) = 0 THEN
    RAISE EXCEPTION 'commit_messages is not what this migration expects';
  END IF;
  EXECUTE replace(replace(definition, claimed_only, unclaimed_too), grouped, 'GROUP BY s.slot, p.claimed_at, p.handle');
END
$$;
