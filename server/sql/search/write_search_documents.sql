-- Writes the documents of ledger entries that are still there. The words of a message are found once for both parties. A message to
-- oneself is in both boxes and has one document.
CREATE OR REPLACE FUNCTION write_search_documents(given indexed_entry[]) RETURNS void LANGUAGE plpgsql
-- Without these options, a plan made while tables were small read 68 rows in place of 51 (`npm run bench -- planner`).
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
  m        record;
  entries  indexed_entry[] := '{}';
  -- words_of has the words of each message, places the number of its message for each entry.
  words_of text[] := '{}';
  places   integer[] := '{}';
BEGIN
  -- One statement reads and one writes: on Citus, no function may read inside of a statement on a shard.
  FOR m IN
    SELECT o.*, k.entries,
           (SELECT string_agg(f.filename, E' \x1f ') FROM files f WHERE f.party_id = k.party_id AND f.message_id = o.id AND o.file_count > 0) AS file_names
      FROM (SELECT e.sender_id, e.message_id, min(e.party_id) AS party_id, array_agg(e) AS entries
              FROM unnest(given) AS e CROSS JOIN LATERAL (
                   SELECT 1 FROM ledger_entries l WHERE l.party_id = e.party_id AND l.box = e.box AND l.position = e.position AND l.message_id = e.message_id
                      AND (l.box = 'out' OR l.counterparty_id <> l.party_id) LIMIT 1) l
             GROUP BY e.sender_id, e.message_id) k
     CROSS JOIN LATERAL (SELECT * FROM messages n WHERE n.sender_id = k.sender_id AND n.id = k.message_id LIMIT 1) o
  LOOP
    words_of := array_append(words_of, message_words(m.id, m.thread_id, m.sender::json, m.recipient::json, m.segment, m.type, m.subject, m.note, m.json, m.file_names));
    entries := entries || m.entries;
    places := places || array_fill(cardinality(words_of), ARRAY[cardinality(m.entries)]);
  END LOOP;

  INSERT INTO search_documents AS d (party_id, position, id, box, thread_id, words)
  SELECT DISTINCT ON (e.party_id, e.position, e.message_id) e.party_id, e.position, e.message_id, e.box, e.thread_id, words_of[places[e.ordinality]]
    FROM unnest(entries) WITH ORDINALITY AS e
   ORDER BY e.party_id, e.position, e.message_id
  ON CONFLICT (party_id, position, id) DO UPDATE SET box = excluded.box, thread_id = excluded.thread_id, words = excluded.words
   WHERE d.words <> excluded.words OR d.box <> excluded.box OR d.thread_id <> excluded.thread_id;
END
$$;
