import { SUBJECT_MAX_CHARS } from '../../api/limits.ts';
import type { ActionInfo } from '../../documents/actions.ts';
import { documentActions, documentType } from '../../documents/prefills.ts';
import { today } from '../../ui/day.ts';
import type { Chosen } from './document-choices.ts';
import type { DraftContent } from './draft.ts';
import type { Message } from './thread-messages.ts';

/** The reply that an action begins with. */
export function replyOf(
  { id, type }: ActionInfo,
  json: string,
  { from, to, type: repliedTo }: Message,
  chosen: Chosen,
  business: string | undefined,
): Omit<DraftContent, 'to' | 'note'> {
  const ours = [to.party, from.party].find((party) => party.kind === 'handle' && party.handle === business) ?? to.party;
  const writer = { name: ours.display_name, ...(ours.kind === 'handle' && { handle: ours.handle }) };
  const reader = ours === to.party ? 'recipient' : 'sender';
  const prefill = documentActions(repliedTo, reader, true).find((one) => one.id === id)?.prefill;
  const document = prefill?.(json, { today: today(), writer, ...chosen }) ?? '';
  const title = documentType(type ?? '')?.title;
  // A dispute has no number of its own.
  const number: unknown = document === '' ? undefined : JSON.parse(document)[title === undefined ? 'invoice_number' : 'number'];
  return {
    type: type ?? '',
    subject: `${title ?? 'Dispute'}${typeof number === 'string' ? ` ${number}` : ''}`.slice(0, SUBJECT_MAX_CHARS),
    json: document,
  };
}
