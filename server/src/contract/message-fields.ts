import { NOTE_MAX_CHARS, SUBJECT_MAX_CHARS, TYPE_MAX_CHARS } from './limits.ts';
import { keysOf } from './records.ts';

const ISO_TIME_CHARS = '2026-11-19T08:00:00.000Z'.length;

/** A text of a message that may be missing. Its column has the same name. */
interface MessageText {
  maxChars: number;
  /** For senders, who may add it to a message request. Without, the service makes it from other fields of the request. */
  written?: string;
  shown: string;
  format?: 'date-time';
  /**
   * Whether content_hash covers the field. The first fields are covered in every message. Later ones are covered only in messages that have
   * them, because the hashes of older messages must not change.
   */
  hashed: 'always' | 'if given' | 'never';
}

/**
 * The one description of these fields: message requests, forms, records, rows, envelopes, receipts, exports, hashes, the OpenAPI document and the
 * clients' types follow from it. Envelopes have this order. CONTRIBUTING.md says how to add one.
 */
const TEXTS = {
  type: {
    maxChars: TYPE_MAX_CHARS,
    written: 'Your label for this kind of message.',
    shown: 'The sender’s label for the kind of message.',
    hashed: 'always',
  },
  subject: { maxChars: SUBJECT_MAX_CHARS, written: 'A line for people.', shown: 'A line for people.', hashed: 'always' },
  note: { maxChars: NOTE_MAX_CHARS, written: 'A text for people.', shown: 'A text for people.', hashed: 'always' },
  expires_at: {
    maxChars: ISO_TIME_CHARS,
    shown:
      'By when a system or an agent of the recipient should have taken it, if the sender set `expires_in`. ISO 8601, UTC, milliseconds.',
    hashed: 'if given',
    format: 'date-time',
  },
} satisfies Record<string, MessageText>;

type TextName = keyof typeof TEXTS;
type WrittenName = { [Name in TextName]: (typeof TEXTS)[Name] extends { written: string } ? Name : never }[TextName];

export const MESSAGE_TEXTS: Readonly<Record<TextName, MessageText>> = TEXTS;

export type MessageTexts = Record<TextName, string | null>;

export const TEXT_NAMES = keysOf(MESSAGE_TEXTS);

export function mapTexts<T>(make: (name: TextName, field: MessageText) => T): Record<TextName, T> {
  return Object.fromEntries(TEXT_NAMES.map((name) => [name, make(name, MESSAGE_TEXTS[name])])) as Record<TextName, T>;
}

/** Makes something of each text that senders write. */
export function mapWritten<T>(make: (field: MessageText & { written: string }) => T): Record<WrittenName, T> {
  const made = TEXT_NAMES.flatMap((name) => {
    const { written, ...field } = MESSAGE_TEXTS[name];
    return written === undefined ? [] : [[name, make({ ...field, written })] as const];
  });
  return Object.fromEntries(made) as Record<WrittenName, T>;
}

export const NO_TEXTS: MessageTexts = mapTexts(() => null);

/** Called several times for each message, so nothing is built but the result. */
export function textsOf(fields: Partial<MessageTexts>): MessageTexts {
  const texts = { ...NO_TEXTS };
  for (const name of TEXT_NAMES) texts[name] = fields[name] ?? null;
  return texts;
}
