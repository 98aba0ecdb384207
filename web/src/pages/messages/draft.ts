import { activeBusiness } from '../../api/business.ts';
import { storedFields, storeFields, useStoredFields } from '../../ui/stored-fields.ts';

/** An unsent message, without its files, which can't be stored over a reload. */
export type Draft = {
  to: string;
  type: string;
  subject: string;
  note: string;
  json: string;
  /** What began the draft: the id of the message with the document, a number that makes it unique, and the document in words. */
  begun: string;
  /** What the reply says of that message: a status of acknowledgements. */
  acknowledge: string;
};

/** What a template has, and the copy of a message. */
export type DraftContent = Omit<Draft, 'begun' | 'acknowledge'>;

const EMPTY: Draft = { to: '', type: '', subject: '', note: '', json: '', begun: '', acknowledge: '' };

export const isEmpty = ({ type, subject, note, json }: Draft): boolean => [type, subject, note, json].every((text) => text.trim() === '');

/** `place` is the id of the thread to reply in, or that of a new message. */
const keyOf = (place: string): string => `waybill.draft.${activeBusiness()}.${place}`;

/** Each chosen recipient has a separate draft: text for somebody else must not be addressed to this one. */
export const placeOfNew = (to: string | undefined): string => (to === undefined ? 'new' : `new to ${to}`);

export function replaceDraft(draft: DraftContent): void {
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

/** Whether the draft acknowledges the message that it replies to. Somebody may have turned to another one since. */
export const acknowledges = ({ begun, acknowledge }: Draft, inReplyTo: string | undefined): boolean =>
  acknowledge !== '' && inReplyTo !== undefined && begun.startsWith(inReplyTo);

export function bodyOf(draft: Draft, inReplyTo: string | undefined, files: string[]): string {
  const address = inReplyTo === undefined ? { to: draft.to.trim() } : { in_reply_to: inReplyTo };
  const texts = Object.fromEntries(
    (['type', 'subject', 'note'] as const).flatMap((name) => (draft[name].trim() === '' ? [] : [[name, draft[name]]])),
  );
  const said = acknowledges(draft, inReplyTo) && { acknowledge: { status: draft.acknowledge } };
  const json = draft.json.trim();
  const fields = JSON.stringify({ ...address, ...texts, ...said, ...(files.length > 0 && { files }) });
  return json === '' ? fields : `${fields.slice(0, -1)},"json":${json}}`;
}
