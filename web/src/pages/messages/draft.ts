import { activeBusiness } from '../../api/business.ts';
import { storedFields, storeFields, useStoredFields } from '../../ui/stored-fields.ts';

/** An unsent message. Files are not part of it: they can't be stored over a reload. */
export type Draft = {
  to: string;
  type: string;
  subject: string;
  note: string;
  json: string;
};

const EMPTY: Draft = { to: '', type: '', subject: '', note: '', json: '' };

export const isEmpty = ({ type, subject, note, json }: Draft): boolean => [type, subject, note, json].every((text) => text.trim() === '');

const keyOf = (place: string): string => `waybill.draft.${activeBusiness()}.${place}`;

/** Puts a draft in the place of the one that the compose page would show. */
export function replaceDraft(draft: Draft): void {
  sessionStorage.setItem(keyOf('new'), JSON.stringify(draft));
}

/** The note of the draft in a thread. Undefined without a draft. */
export function storedNote(threadId: string): string | undefined {
  return storedFields<Draft>(keyOf(threadId)).note;
}

/** A note that was begun before the form was there. */
export function keepNote(threadId: string, note: string): void {
  storeFields(keyOf(threadId), { ...EMPTY, note });
}

/** place: the thread to reply in, or `new`. */
export function useDraft(place: string, initial: Partial<Draft>) {
  const { fields: draft, change, clear } = useStoredFields<Draft>(keyOf(place), EMPTY, initial);
  return { draft, change, clear };
}

/** The body of the request, with the JSON as typed. */
export function bodyOf({ json, ...draft }: Draft, inReplyTo: string | undefined, files: string[]): string {
  const address = inReplyTo === undefined ? { to: draft.to.trim() } : { in_reply_to: inReplyTo };
  const texts = Object.fromEntries(
    (['type', 'subject', 'note'] as const).flatMap((name) => (draft[name].trim() === '' ? [] : [[name, draft[name]]])),
  );
  const fields = JSON.stringify({ ...address, ...texts, ...(files.length > 0 && { files }) });
  return json.trim() === '' ? fields : `${fields.slice(0, -1)},"json":${json.trim()}}`;
}
