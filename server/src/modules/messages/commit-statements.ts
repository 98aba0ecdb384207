import type { Follower } from '../../contract/followers.ts';
import { prepared } from '../../platform/postgres/statement.ts';
import { type CommitStatements, commitSql, OUTCOME_ROW, RECEPTION_ROW, receiveSql } from './commit-store.ts';

/**
 * Each statement delivers a batch and calls followers, in one round trip and one transaction. There is one for each combination of followers, because many
 * batches concern only some of them.
 */
export function commitStatements(followers: readonly Follower[]): CommitStatements {
  const [announced, ...others] = followers.filter(({ channel }) => channel !== undefined);
  if (announced?.channel === undefined || announced.concerns !== undefined || others.length > 0) throw new Error('one follower announces');
  const concerns = followers.flatMap((follower) => follower.concerns ?? []);
  const made = Array.from({ length: 1 << concerns.length }, (_, bits) => {
    const called = followers.filter((follower) => follower.concerns === undefined || bits & (1 << concerns.indexOf(follower.concerns)));
    const name = called.flatMap((follower) => follower.concerns ?? []).join('+') || 'usual';
    return {
      takes: called.flatMap(({ takes }) => takes ?? []),
      commit: prepared(`commit ${name}`, commitSql(called, announced), OUTCOME_ROW),
      receive: prepared(`receive ${name}`, receiveSql(called, announced), RECEPTION_ROW),
    };
  });
  return { channel: announced.channel, concerns, made };
}
