-- A follower behind the commit: brings `threads` up to date with new entries. A received message opens a thread again that was done
-- before the message came (done_through). Webhooks are told of threads whose
-- documents have a new state.
CREATE OR REPLACE FUNCTION index_threads(entries indexed_entry[]) RETURNS void LANGUAGE plpgsql
-- Without these options, a plan made while tables were small read 112 rows in place of 90 (`npm run bench -- planner`).
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_hashagg = off
AS $$
#variable_conflict use_column
DECLARE
  news record;
BEGIN
  FOR news IN
    WITH read AS (
      SELECT a.*, CASE WHEN a.ids IS NOT NULL THEN (
               SELECT ROW (t.document_state, t.document_type, t.document_number, t.document_total, t.document_currency, t.document_due, t.document_rank,
                           t.document_through)::thread_document
                 FROM threads t WHERE t.party_id = a.party_id AND t.thread_id = a.thread_id) END AS before
        FROM entries_by_thread(entries) AS a
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
