import { useCallback, useState } from 'react';
import { activeBusiness } from '../../api/business.ts';

/** What somebody is writing. Files are not part of it: they can't be kept over a reload. */
export interface Draft {
  to: string;
  type: string;
  subject: string;
  note: string;
  json: string;
}

export const EMPTY: Draft = { to: '', type: '', subject: '', note: '', json: '' };

export const isEmpty = ({ type, subject, note, json }: Draft): boolean => [type, subject, note, json].every((text) => text.trim() === '');

/** A draft that is still there after a reload, and in this tab only. place: what it is an answer to, or `new`. */
export function useDraft(place: string, initial: Partial<Draft>) {
  const key = `waybill.draft.${activeBusiness()}.${place}`;
  const [draft, setDraft] = useState<Draft>(() => ({ ...EMPTY, ...stored(key), ...initial }));
  const change = useCallback(
    (changes: Partial<Draft>) =>
      setDraft((known) => {
        const next = { ...known, ...changes };
        try {
          sessionStorage.setItem(key, JSON.stringify(next));
        } catch {
          // There is no room for it: then it lives as long as the page.
        }
        return next;
      }),
    [key],
  );
  const clear = useCallback(() => {
    sessionStorage.removeItem(key);
    setDraft(EMPTY);
  }, [key]);
  return { draft, change, clear };
}

function stored(key: string): Partial<Draft> {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '{}') as Partial<Draft>;
  } catch {
    return {};
  }
}

/** The body of the request, with JSON exactly as it was typed. */
export function bodyOf({ json, ...draft }: Draft, inReplyTo: string | undefined, files: string[]): string {
  const address = inReplyTo === undefined ? { to: draft.to.trim() } : { in_reply_to: inReplyTo };
  const texts = Object.fromEntries(
    (['type', 'subject', 'note'] as const).flatMap((name) => (draft[name].trim() === '' ? [] : [[name, draft[name]]])),
  );
  const fields = JSON.stringify({ ...address, ...texts, ...(files.length > 0 && { files }) });
  return json.trim() === '' ? fields : `${fields.slice(0, -1)},"json":${json.trim()}}`;
}
