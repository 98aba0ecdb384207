-- Whether a party has blocked a sender: the party that the message is sent for, the actor by the id that envelopes show, the
-- actor's proven mailbox, or a domain. A person and a mailbox that the person has proven to hold are one. Each condition finds
-- its few candidates by index, however many blocks there are.
CREATE OR REPLACE FUNCTION is_blocked(recipient bigint, sender bigint, actor text, mailbox text, mail_domain text) RETURNS boolean LANGUAGE plpgsql STABLE
-- Without these options, a plan made while tables were small read 3 rows in place of 1 (`npm run bench -- planner`).
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $$
BEGIN
  RETURN EXISTS (SELECT FROM blocks b WHERE b.party_id = recipient AND b.business_id = sender)
      OR EXISTS (SELECT FROM blocks b WHERE b.party_id = recipient AND b.email_domain = ANY (domain_with_parents(mail_domain)))
      OR EXISTS (SELECT FROM verified_domains d JOIN blocks b ON b.party_id = recipient AND b.email_domain = ANY (domain_with_parents(d.domain))
                  WHERE d.party_id = sender)
      OR EXISTS (SELECT FROM blocks b WHERE b.party_id = recipient AND b.user_id = ANY (ARRAY[
           actor,
           (SELECT public_id('mbx', m.id) FROM mailboxes m WHERE m.email = mailbox),
           (SELECT public_id('usr', p.id) FROM people p WHERE p.email = mailbox AND p.email_verified)]));
END
$$;
