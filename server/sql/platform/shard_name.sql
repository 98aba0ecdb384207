-- The shard whose tables are at hand: shard_1 also for its functions beside their tables (platform/migrations/native-functions.ts).
CREATE OR REPLACE FUNCTION shard_name() RETURNS text LANGUAGE sql STABLE
RETURN regexp_replace(current_schema(), '_here$', '');
