-- Queues a job in the caller's transaction. A shard keeps it until a worker has passed it on (modules/messages/relay.ts).
CREATE OR REPLACE FUNCTION queue_job(job_name text, job_payload json, key text) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
  IF starts_with(current_schema(), 'shard_') THEN
    INSERT INTO queued_jobs (id, name, payload, job_key) VALUES (new_uuid(clock_timestamp()), job_name, job_payload, key);
  ELSE
    PERFORM graphile_worker.add_job(job_name, job_payload, job_key => key);
  END IF;
END
$$;
