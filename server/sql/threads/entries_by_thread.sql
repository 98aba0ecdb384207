-- What new entries add to the rows of their threads. Most threads have one new entry at a time, which need not be added up. ids, types and documents: of the messages
-- with a document, in the order of their ids; ids is null without one.
CREATE OR REPLACE FUNCTION entries_by_thread(entries indexed_entry[])
RETURNS TABLE (party_id bigint, thread_id uuid, "position" bigint, last_in_position bigint, message_id uuid, sender_id bigint, counterparty_id bigint,
               message_count integer, in_count integer, out_count integer, has_files boolean, failed_schema boolean, subject text, type text, segment text,
               from_email text, ids uuid[], types text[], documents text[]) LANGUAGE sql STABLE
AS $$
  WITH new AS MATERIALIZED (
    SELECT e.*, count(*) OVER (PARTITION BY e.party_id, e.thread_id) AS entries FROM unnest($1) AS e
  )
  SELECT e.party_id, e.thread_id, e.position, CASE e.box WHEN 'in' THEN e.position ELSE 0 END AS last_in_position, e.message_id, e.sender_id, e.counterparty_id,
         -- A message to oneself is in both boxes, but once in its thread.
         (e.box = 'out' OR e.counterparty_id <> e.party_id)::integer AS message_count, (e.box = 'in')::integer AS in_count, (e.box = 'out')::integer AS out_count,
         e.has_files, e.validation = 'failed' AS failed_schema, e.subject, e.type,
         CASE e.box WHEN 'in' THEN e.segment END AS segment, CASE e.box WHEN 'in' THEN e.from_email END AS from_email,
         CASE WHEN e.document IS NOT NULL THEN ARRAY[e.message_id] END AS ids, ARRAY[e.type] AS types, ARRAY[e.document] AS documents
    FROM new e WHERE e.entries = 1
  UNION ALL
  SELECT e.party_id, e.thread_id, max(e.position), coalesce(max(e.position) FILTER (WHERE e.box = 'in'), 0),
         (array_agg(e.message_id ORDER BY e.position DESC))[1], (array_agg(e.sender_id ORDER BY e.position DESC))[1],
         (array_agg(e.counterparty_id ORDER BY e.position DESC))[1],
         count(*) FILTER (WHERE e.box = 'out' OR e.counterparty_id <> e.party_id)::integer,
         count(*) FILTER (WHERE e.box = 'in')::integer, count(*) FILTER (WHERE e.box = 'out')::integer,
         bool_or(e.has_files), bool_or(e.validation = 'failed'),
         (array_agg(e.subject ORDER BY e.position) FILTER (WHERE e.subject IS NOT NULL))[1],
         (array_agg(e.type ORDER BY e.position DESC) FILTER (WHERE e.type IS NOT NULL))[1],
         (array_agg(e.segment ORDER BY e.position DESC) FILTER (WHERE e.box = 'in' AND e.segment IS NOT NULL))[1],
         (array_agg(e.from_email ORDER BY e.position DESC) FILTER (WHERE e.box = 'in' AND e.from_email IS NOT NULL))[1],
         array_agg(e.message_id ORDER BY e.message_id) FILTER (WHERE e.document IS NOT NULL),
         array_agg(e.type ORDER BY e.message_id) FILTER (WHERE e.document IS NOT NULL),
         array_agg(e.document ORDER BY e.message_id) FILTER (WHERE e.document IS NOT NULL)
    FROM new e WHERE e.entries > 1 GROUP BY e.party_id, e.thread_id
$$;
