-- A follower behind the commit: brings `threads` up to date with new entries. A received message opens a thread again that was done
-- before the message came (done_through). Most threads have one new entry at a time, which need not be added up. Webhooks are told of threads whose documents
-- have a new state.
CREATE OR REPLACE FUNCTION index_threads(entries indexed_entry[]) RETURNS void LANGUAGE plpgsql
-- Without these options, a plan made while tables were small read 112 rows in place of 90 (`npm run bench -- planner`).
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_hashagg = off
AS $$
#variable_conflict use_column
DECLARE
  news record;
BEGIN
  FOR news IN
    WITH new AS MATERIALIZED (
      SELECT e.*, count(*) OVER (PARTITION BY e.party_id, e.thread_id) AS entries FROM unnest(entries) AS e
    ), added AS (
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
    ), read AS (
      SELECT a.*, CASE WHEN a.ids IS NOT NULL THEN (
               SELECT ROW (t.document_state, t.document_type, t.document_number, t.document_total, t.document_currency, t.document_due, t.document_rank,
                           t.document_through)::thread_document
                 FROM threads t WHERE t.party_id = a.party_id AND t.thread_id = a.thread_id) END AS before
        FROM added a
    ), documented AS MATERIALIZED (
      SELECT r.*, CASE WHEN r.ids IS NOT NULL THEN thread_document_after(r.before, r.ids, r.types, r.documents) END AS document FROM read r
    ), changed AS (
      INSERT INTO threads AS t (party_id, thread_id, last_position, last_in_position, last_message_id, last_sender_id, counterparty_id,
                                message_count, in_count, out_count, has_files, failed_schema, subject, type, segment, from_email, class,
                                is_filtered, document_state, document_type, document_number, document_total, document_currency, document_due,
                                document_rank, document_through)
      SELECT n.party_id, n.thread_id, n.position, n.last_in_position, n.message_id, n.sender_id, n.counterparty_id, n.message_count, n.in_count, n.out_count,
             n.has_files, n.failed_schema, n.subject, n.type, n.segment, n.from_email, thread_class(n.in_count, n.out_count, false, false, n.failed_schema),
             EXISTS (SELECT FROM thread_index i WHERE i.party_id = n.party_id AND i.filtered_through IS NOT NULL), (n.document).*
        FROM documented n ORDER BY n.party_id, n.thread_id
      ON CONFLICT (party_id, thread_id) DO UPDATE
        SET last_position = excluded.last_position, last_in_position = greatest(t.last_in_position, excluded.last_in_position),
            last_message_id = excluded.last_message_id, last_sender_id = excluded.last_sender_id, counterparty_id = excluded.counterparty_id,
            message_count = t.message_count + excluded.message_count, in_count = t.in_count + excluded.in_count,
            out_count = t.out_count + excluded.out_count, has_files = t.has_files OR excluded.has_files,
            failed_schema = t.failed_schema OR excluded.failed_schema, subject = coalesce(t.subject, excluded.subject),
            type = coalesce(excluded.type, t.type), segment = coalesce(excluded.segment, t.segment),
            from_email = coalesce(excluded.from_email, t.from_email), is_filtered = excluded.is_filtered, is_done = t.is_done AND excluded.last_in_position <= t.done_through,
            class = thread_class(t.in_count + excluded.in_count, t.out_count + excluded.out_count,
                                 t.is_done AND excluded.last_in_position <= t.done_through, t.assignee_id IS NOT NULL,
                                 t.failed_schema OR excluded.failed_schema),
            (document_state, document_type, document_number, document_total, document_currency, document_due, document_rank, document_through) =
              (SELECT (CASE WHEN excluded.document_through IS NULL
                            THEN ROW (t.document_state, t.document_type, t.document_number, t.document_total, t.document_currency, t.document_due, t.document_rank,
                                      t.document_through)::thread_document
                            ELSE ROW (excluded.document_state, excluded.document_type, excluded.document_number, excluded.document_total,
                                      excluded.document_currency, excluded.document_due, excluded.document_rank, excluded.document_through)::thread_document END).*)
      RETURNING t.party_id, t.thread_id, t.last_position, t.labels
    ), labelled AS (
      UPDATE thread_labels l SET last_position = c.last_position
        FROM changed c WHERE c.labels <> '{}' AND l.party_id = c.party_id AND l.thread_id = c.thread_id
    )
    SELECT d.party_id, array_agg(d.thread_id) AS threads FROM documented d
     WHERE d.ids IS NOT NULL AND (d.document).state IS DISTINCT FROM coalesce((d.before).state, 'none') GROUP BY d.party_id
  LOOP
    PERFORM queue_webhook_events(news.party_id, 'thread.updated', news.threads);
  END LOOP;
END
$$;
