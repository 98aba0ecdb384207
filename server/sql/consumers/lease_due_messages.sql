-- Leases messages of a consumer again: those that were released, and those whose lease has lapsed. Those that have had all their tries are
-- parked. To be called under the lock of the consumer.
CREATE OR REPLACE FUNCTION lease_due_messages(
  party bigint, consumer uuid, worker text, until timestamptz, clock timestamptz, tries_max integer, wanted integer, bytes_max integer,
  OUT leased json, OUT count integer, OUT bytes integer
) LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
  due       record;
  taken     uuid[] := '{}';
  senders   bigint[] := '{}';
  positions bigint[] := '{}';
  sizes     integer[] := '{}';
  tried     integer[] := '{}';
  poison    uuid[] := '{}';
  threads   uuid[] := '{}';
BEGIN
  count := 0;
  bytes := 0;
  FOR due IN
    (SELECT m.message_id, m.sender_id, m.position, m.thread_id, m.tries, m.bytes FROM consumer_messages m
      WHERE m.party_id = party AND m.consumer_id = consumer AND m.state = 'waiting' AND m.due_at <= clock ORDER BY m.due_at)
    UNION ALL
    (SELECT m.message_id, m.sender_id, m.position, m.thread_id, m.tries, m.bytes FROM consumer_messages m
      WHERE m.party_id = party AND m.consumer_id = consumer AND m.state = 'leased' AND m.due_at <= clock ORDER BY m.due_at)
  LOOP
    EXIT WHEN count >= wanted OR (bytes + due.bytes > bytes_max AND bytes > 0);
    IF due.tries >= tries_max THEN
      poison := poison || due.message_id;
      threads := threads || due.thread_id;
    ELSE
      count := count + 1;
      bytes := bytes + due.bytes;
      taken := taken || due.message_id;
      senders := senders || due.sender_id;
      positions := positions || due.position;
      sizes := sizes || due.bytes;
      tried := tried || due.tries + 1;
    END IF;
  END LOOP;

  IF count > 0 THEN
    UPDATE consumer_messages SET state = 'leased', due_at = until, holder = worker, tries = tries + 1
     WHERE party_id = party AND consumer_id = consumer AND message_id = ANY (taken);
    leased := leased_json(taken, senders, positions, sizes, tried);
  END IF;
  IF cardinality(poison) > 0 THEN
    UPDATE consumer_messages SET state = 'parked', due_at = clock WHERE party_id = party AND consumer_id = consumer AND message_id = ANY (poison);
    PERFORM free_threads(party, consumer, threads, clock);
  END IF;
END
$$;
