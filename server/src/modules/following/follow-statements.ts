import type { EntryFollower } from '../../contract/followers.ts';
import { prepared, statement } from '../../platform/postgres/statement.ts';
import {
  type FollowStatements,
  PARTY_ROUND_ROW,
  partyRoundSql,
  REBUILT_ROW,
  RETRIED_ROW,
  ROUND_ROW,
  rebuildSql,
  rebuildThreadSql,
  retrySql,
  roundSql,
} from './follow-store.ts';

/** Each statement takes entries or threads and calls all followers with them, in one round trip and one transaction. */
export function followStatements(followers: readonly EntryFollower[]): FollowStatements {
  return {
    round: prepared('follow', roundSql(followers), ROUND_ROW),
    partyRound: prepared('follow party', partyRoundSql(followers), PARTY_ROUND_ROW),
    rebuild: prepared('rebuild-threads', rebuildSql(followers), REBUILT_ROW),
    retry: new Map(followers.map((follower) => [follower.index, prepared(`retry ${follower.index}`, retrySql(follower), RETRIED_ROW)])),
    rebuildThread: statement(rebuildThreadSql(followers), Object.fromEntries(followers.map(({ rebuild }) => [rebuild, 'void' as const]))),
  };
}
