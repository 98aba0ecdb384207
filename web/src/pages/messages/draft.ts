import { activeBusiness } from '../../api/business.ts';
import { storedFields, storeFields, useStoredFields } from '../../ui/stored-fields.ts';

/** An unsent message, without its files, which can't be stored over a reload. */
export type Draft = {
  to: string;
  type: string;
  subject: string;
  note: string;
  json: string;
};

const EMPTY: Draft = { to: '', type: '', subject: '', note: '', json: '' };

export const isEmpty = ({ type, subject, note, json }: Draft): boolean => [type, subject, note, json].every((text) => text.trim() === '');

/** `place` is the id of the thread to reply in, or that of a new message. */
const keyOf = (place: string): string => `waybill.draft.${activeBusiness()}.${place}`;

/** Each chosen recipient has a separate draft: text for somebody else must not be addressed to this one. */
export const placeOfNew = (to: string | undefined): string => (to === undefined ? 'new' : `new to ${to}`);

export function replaceDraft(draft: Draft): void {
  storeFields(keyOf(placeOfNew(undefined)), draft);
}

export function useDraft(place: string, initial?: Partial<Draft>) {
  const key = keyOf(place);
  const { fields: draft, change, clear } = useStoredFields<Draft>(key, EMPTY, initial);
  return {
    ...{ draft, change, clear },
    /** Returns the text that was typed since the draft was sent, for the next one. */
    leftOf: (sent: Draft): Draft => {
      const now: Draft = { ...EMPTY, ...storedFields(key) };
      const left = (name: keyof Draft) => (now[name].startsWith(sent[name]) ? now[name].slice(sent[name].length) : now[name]);
      return { ...EMPTY, type: left('type'), subject: left('subject'), note: left('note'), json: now.json === sent.json ? '' : now.json };
    },
  };
}

const COMMENT = { text: '', mentioned: '[]' };

export function useCommentDraft(threadId: string) {
  const key = `${keyOf(threadId)}.comment`;
  return { ...useStoredFields(key, COMMENT), textNow: () => storedFields(key)['text'] ?? '' };
}

export function bodyOf({ json, ...draft }: Draft, inReplyTo: string | undefined, files: string[]): string {
  const address = inReplyTo === undefined ? { to: draft.to.trim() } : { in_reply_to: inReplyTo };
  const texts = Object.fromEntries(
    (['type', 'subject', 'note'] as const).flatMap((name) => (draft[name].trim() === '' ? [] : [[name, draft[name]]])),
  );
  const fields = JSON.stringify({ ...address, ...texts, ...(files.length > 0 && { files }) });
  return json.trim() === '' ? fields : `${fields.slice(0, -1)},"json":${json.trim()}}`;
}
