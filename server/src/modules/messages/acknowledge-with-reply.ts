import { refuseContradiction, type SaidWithReply } from '../../contract/acknowledgements.ts';
import { invalid } from '../../contract/errors.ts';
import { codeOf } from '../../contract/thrown.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { refuseRevokedKey } from '../signatures/check-signature.ts';
import type { PreparedMessage } from './envelope.ts';
import { judgeAcknowledgement } from './store.ts';

/** The error of the follower queue_acknowledgements. Its message is the verdict. */
const CONTRADICTS = 'KR002';

/**
 * Refuses a reply that contradicts what its sender has said of the message before. The commit judges again, under a lock; this refuses most of them
 * without failing the batch of others.
 */
export async function refuseContradictory(
  database: Database,
  partyId: bigint,
  parentId: string | null,
  said: SaidWithReply,
): Promise<void> {
  refuseBy(parentId === null ? 'not received' : await judgeAcknowledgement(database.of(partyId), partyId, parentId, said), said);
}

/** Turns the errors of followers into the refusals that they mean. */
export function refusalOfCommit({ acknowledge }: PreparedMessage): (error: unknown) => never {
  return (error) => {
    if (acknowledge && error instanceof Error && codeOf(error) === CONTRADICTS) refuseBy(error.message, acknowledge);
    refuseRevokedKey(error);
  };
}

function refuseBy(verdict: string, said: SaidWithReply): void {
  if (verdict === 'new' || verdict === 'same') return;
  if (verdict === 'not received')
    throw invalid([{ path: '/acknowledge', message: 'is allowed only in reply to a message that you received' }]);
  refuseContradiction(verdict, said.status);
}
