import type { Follower } from '../../contract/followers.ts';
import { prepared } from '../../platform/postgres/statement.ts';
import { type CommitStatements, commitSql, OUTCOME_ROW, RECEPTION_ROW, receiveSql } from './commit-store.ts';

/** Each statement delivers a batch and calls the followers, in one round trip and one transaction. The first row has the announcement. */
export function commitStatements(followers: readonly Follower[]): CommitStatements {
  const [announced, ...others] = followers.filter(({ channel }) => channel !== undefined);
  if (announced?.channel === undefined || others.length > 0) throw new Error('one follower announces');
  return {
    channel: announced.channel,
    commit: prepared('commit-messages', commitSql(followers, announced), OUTCOME_ROW),
    receive: prepared('receive-messages', receiveSql(followers, announced), RECEPTION_ROW),
  };
}
