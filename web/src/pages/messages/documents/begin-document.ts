import { editJson, type JsonEdit, orderIn, schemaAt } from '../../../../../packages/documents/src/index.ts';
import type { FormType } from './form-model.ts';

export interface Sides {
  own: { handle: string; name: string | undefined } | undefined;
  other: { handle: string; name: string | undefined } | undefined;
  today: string;
}

const MINUTE_MS = 60_000;

/** The day where the person is. Not that of ui/day.ts, which would become a script of its own that every thread loads. */
export const localDay = (now: Date): string => new Date(now.getTime() - now.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 10);

/** A new document: today's date, the sender's party, and what is known of the recipient's. */
export function beginDocument(type: FormType, { own, other, today }: Sides): string {
  const [ownPath, otherPath] = type.layout?.parties ?? [];
  const edits: JsonEdit[] = [
    ...(schemaAt(type.schema, '/issue_date') ? [{ path: '/issue_date', value: JSON.stringify(today) }] : []),
    ...partyEdits(type, ownPath, own),
    ...partyEdits(type, otherPath, other),
  ];
  return edits.length === 0 ? '{}' : editJson('', edits, orderIn(type.schema));
}

export function partyEdits({ schema }: FormType, path: string | undefined, side: Sides['own']): JsonEdit[] {
  if (path === undefined || !side) return [];
  const values: [string, string | undefined][] = [
    [`${path}/name`, side.name],
    [`${path}/handle`, side.handle],
  ];
  return values.flatMap(([at, value]) => (value !== undefined && schemaAt(schema, at) ? [{ path: at, value: JSON.stringify(value) }] : []));
}
