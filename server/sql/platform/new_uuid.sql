-- A UUIDv7 by the database's clock.
CREATE OR REPLACE FUNCTION new_uuid(clock timestamptz) RETURNS uuid LANGUAGE sql VOLATILE
RETURN encode(set_bit(set_bit(
         overlay(uuid_send(gen_random_uuid()) PLACING substring(int8send(floor(extract(epoch FROM clock) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
         52, 1), 53, 1), 'hex')::uuid;
