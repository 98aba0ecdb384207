-- Who made an invitation: it ends with their right to make it. Of open ones from before nobody knows that, so they end now.
ALTER TABLE invitations ADD COLUMN invited_by uuid;
UPDATE invitations SET expires_at = '-infinity' WHERE expires_at > now();

-- Browsers and networks in which a mailbox was signed in with a code, by a hash of both: there a flood of others' requests
-- for codes keeps nobody out.
CREATE TABLE known_sign_ins (
  subject bytea       PRIMARY KEY,
  seen_at timestamptz NOT NULL
);
CREATE INDEX known_sign_ins_by_age ON known_sign_ins (seen_at);

-- When the person last opened a session. Sessions themselves go when people sign out.
ALTER TABLE people ADD COLUMN signed_in_at timestamptz;

-- The newest reply in a thread that a mailbox without access to it was told of.
CREATE TABLE thread_notices (
  party_id    bigint      NOT NULL,
  thread_id   uuid        NOT NULL,
  email       text        COLLATE "C" NOT NULL,
  -- Of the reply, in the ledger of the party.
  position    bigint      NOT NULL,
  notified_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (party_id, thread_id, email)
);

-- A notice is queued for the mailbox behind a party without a handle, and for one of a business's verified domain that
-- wrote in its name without being a member. Agents have no mailbox, and members have the dashboard: for these, nothing is
-- queued. What replies to nothing is not looked at.
DROP FUNCTION queue_answer_notices(bigint[], uuid[]);
CREATE FUNCTION queue_reply_notices(recipient_ids bigint[], message_ids uuid[], parent_ids uuid[]) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
BEGIN
  PERFORM graphile_worker.add_job('notify-of-answer', json_build_object('party_id', p.id::text, 'message_id', d.id), job_key => 'notify-of-answer ' || d.id)
     FROM unnest(recipient_ids, message_ids) AS d (recipient_id, id) JOIN parties p ON p.id = d.recipient_id AND p.handle IS NULL;

  IF num_nonnulls(VARIADIC parent_ids) > 0 THEN
    PERFORM graphile_worker.add_job('notify-of-answer', json_build_object('party_id', e.party_id::text, 'message_id', d.id), job_key => 'notify-of-answer ' || d.id)
       FROM unnest(recipient_ids, message_ids, parent_ids) AS d (recipient_id, id, parent_id)
       JOIN ledger_entries e ON e.party_id = d.recipient_id AND e.message_id = d.parent_id AND e.box = 'out' AND e.from_email IS NOT NULL
       JOIN verified_domains v ON v.domain = e.from_domain AND v.party_id = e.party_id
      WHERE NOT EXISTS (SELECT FROM people h JOIN members b ON b.person_id = h.id AND b.party_id = e.party_id WHERE h.email = e.from_email AND h.email_verified);
  END IF;
END
$$;

DROP FUNCTION follow_messages(timestamptz, bigint[], bigint[], uuid[], text[], text[], text[]);
CREATE FUNCTION follow_messages(
  delivered timestamptz, sender_ids bigint[], recipient_ids bigint[], message_ids uuid[], parent_ids uuid[], segments text[], types text[], senders text[]
) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
  PERFORM note_contacts(delivered, sender_ids, recipient_ids, types, senders);
  PERFORM queue_webhook_attempts(recipient_ids, message_ids, segments);
  PERFORM queue_reply_notices(recipient_ids, message_ids, parent_ids);
END
$$;

-- Of commit_messages, the call of it changes: it passes on what each message replies to.
DO $$
DECLARE
  called     text := 'array_agg(b.message_id),
            array_agg(b.segment), array_agg(b.type), array_agg(b.sender))
     FROM unnest(fresh, sender_slots, recipient_slots, message_ids, segments, types, senders)
       AS b (fresh, sender_slot, recipient_slot, message_id, segment, type, sender)';
  calls      text := 'array_agg(b.message_id), array_agg(b.parent_id),
            array_agg(b.segment), array_agg(b.type), array_agg(b.sender))
     FROM unnest(fresh, sender_slots, recipient_slots, message_ids, parent_ids, segments, types, senders)
       AS b (fresh, sender_slot, recipient_slot, message_id, parent_id, segment, type, sender)';
  definition text := pg_get_functiondef('commit_messages'::regproc);
BEGIN
  IF position(called IN definition) = 0 THEN
    RAISE EXCEPTION 'commit_messages is not what this migration expects';
  END IF;
  EXECUTE replace(definition, called, calls);
END
$$;

-- Queues a mail in the caller's transaction. The id stays the same however often the mail is tried. Lower priorities go
-- first: one-time codes (0), which somebody waits for at a screen, then what people have caused, then notifications.
DROP FUNCTION queue_mail(json);
CREATE FUNCTION queue_mail(mail json, priority integer DEFAULT 5) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM graphile_worker.add_job(
            'send-mail', json_build_object('id', new_uuid(clock_timestamp()), 'mail', mail), max_attempts => 25,
            priority => CASE WHEN mail -> 'headers' -> 'List-Unsubscribe' IS NULL THEN priority ELSE 10 END);
END
$$;

-- The display name with all left out that the eye passes over, to tell whose name another looks like (contract/look-alikes.ts).
-- Null until it is computed.
ALTER TABLE parties ADD COLUMN name_key text COLLATE "C";
CREATE INDEX parties_by_name_key ON parties (name_key) WHERE handle IS NOT NULL;
CREATE INDEX parties_without_name_key ON parties (id) WHERE handle IS NOT NULL AND name_key IS NULL;
