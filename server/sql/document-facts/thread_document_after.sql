-- What a thread's document becomes by the documents of new messages, in the order of their ids, which is the same for both parties. A message that is older than one
-- that was read before changes nothing here: the worker adds up the whole thread. Each fact is of the newest document that has it, as threadDocument of
-- packages/documents says; a test compares the two.
CREATE OR REPLACE FUNCTION thread_document_after(before thread_document, ids uuid[], types text[], documents text[]) RETURNS thread_document LANGUAGE plpgsql STABLE
AS $$
DECLARE
  thread thread_document := before;
  new    message_document;
BEGIN
  FOR i IN 1 .. cardinality(ids) LOOP
    CONTINUE WHEN ids[i] <= thread.through;
    new := json_populate_record(NULL::message_document, documents[i]::json);
    IF thread.rank IS NULL OR new.rank < thread.rank THEN
      thread := ROW (coalesce(thread.state, 'none'), types[i], new.number, new.total, new.currency, new.due_date, new.rank, ids[i])::thread_document;
    ELSIF new.rank = thread.rank THEN
      IF new.number IS NOT NULL OR thread.number IS NULL THEN
        thread.type := types[i];
        thread.number := new.number;
      END IF;
      IF new.total IS NOT NULL THEN
        thread.total := new.total;
        thread.currency := new.currency;
      ELSIF thread.total IS NULL THEN
        thread.currency := coalesce(new.currency, thread.currency);
      END IF;
      thread.due_date := coalesce(new.due_date, thread.due_date);
    END IF;
    thread.through := ids[i];
    IF new.state IS NOT NULL AND (new.keep IS NULL OR thread.state <> ALL (new.keep)) THEN
      thread.state := new.state;
    END IF;
  END LOOP;
  RETURN thread;
END
$$;
