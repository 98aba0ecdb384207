import type { Follower } from '../../contract/followers.ts';
import { prepared } from '../../platform/postgres/statement.ts';
import { type CommitStatements, OUTCOME_ROW, RECEPTION_ROW } from './commit-store.ts';

/** Each delivers a batch and calls the followers, in one round trip and one transaction. The first row has what is to be announced. */
export function commitStatements(followers: readonly Follower[]): CommitStatements {
  const [announced, ...others] = followers.filter(({ channel }) => channel !== undefined);
  if (announced?.channel === undefined || others.length > 0) throw new Error('one follower announces');
  const calls = (given: Record<NonNullable<Follower['takes']>, string>) =>
    followers.map(({ sqlFunction, takes }) => `${sqlFunction}(b.messages${takes ? `, ${given[takes]}` : ''})`).join(', ');
  return {
    channel: announced.channel,
    commit: prepared(
      'commit-messages',
      `WITH batch AS MATERIALIZED (
         SELECT * FROM commit_messages($1::prepared_message[], $2::touched_ledger[], $3::bigint, $4::bigint, $5::integer, $6::bigint, $7::interval, $8::interval)
       ), followed AS MATERIALIZED (
         SELECT ${calls({ files: '$9::prepared_file[]', signatures: '$10::prepared_signature[]' })}
           FROM (SELECT array_agg(committed ORDER BY ordinal) AS messages FROM batch WHERE outcome = 'accepted' HAVING count(*) > 0) b
       )
       SELECT outcome, message_id, received_ms, content_hash, CASE WHEN ordinal = 1 THEN ${announced.sqlFunction} END AS announced
         FROM batch LEFT JOIN followed ON true ORDER BY ordinal`,
      OUTCOME_ROW,
    ),
    receive: prepared(
      'receive-messages',
      `WITH batch AS MATERIALIZED (
         SELECT * FROM receive_messages($1::prepared_message[], $2::bytea[], $3::timestamptz[], $4::touched_ledger[])
       ), followed AS MATERIALIZED (
         SELECT ${calls({ files: '$5::prepared_file[]', signatures: `'{}'` })}
           FROM (SELECT array_agg(committed ORDER BY ordinal) AS messages FROM batch HAVING count(*) > 0) b
       )
       SELECT ${announced.sqlFunction} AS announced FROM followed`,
      RECEPTION_ROW,
    ),
  };
}
