import { type Issue, invalid, Refusal } from '../../contract/errors.ts';
import { FIELD_MAX_BYTES, JSON_MAX_BYTES, JSON_MAX_LEVELS } from '../../contract/limits.ts';
import { type Check, pointerPart } from '../../contract/validation.ts';
import { invalidJson } from './json-fault.ts';
import { type Member, scanMembers, type WrittenValue } from './lossless-json.ts';

/** The scan ends after this many members, because a body with more is refused anyway. */
const MEMBERS_MAX = 1_001;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const QUOTE = 0x22;

interface WrittenFields<Fields> {
  /** The parsed fields. A verbatim field has a small value of the same type instead. */
  fields: Fields;
  written(name: string): WrittenValue | undefined;
}

/**
 * Reads a body of which some fields are kept verbatim, because parsing a large one may block this thread for longer than other requests can
 * wait.
 */
export function readFields<Fields>(body: Buffer, check: Check, verbatim: readonly string[]): WrittenFields<Fields> {
  const members = scanMembers(body, MEMBERS_MAX);
  if (!members) throw invalidJson(body, '', 'The body is not valid JSON in UTF-8.');
  if (members === 'no object') {
    check([]);
    throw new Error('a body that is no object was not refused');
  }
  const fields: Record<string, unknown> = {};
  for (const member of members) {
    const value = verbatim.includes(member.key) ? likeness(member) : valueIn(member);
    if (member.key === '__proto__') Object.defineProperty(fields, member.key, { value, enumerable: true });
    else fields[member.key] = value;
  }
  check(fields);
  if (Object.keys(fields).length < members.length) refuseRepeated(members);
  return { fields: fields as Fields, written: (name) => members.find(({ key }) => key === name) };
}

function likeness({ raw }: Member): unknown {
  if (raw[0] === OPEN_BRACE) return {};
  if (raw[0] === OPEN_BRACKET) return [];
  return raw[0] === QUOTE ? '' : JSON.parse(raw.toString('latin1'));
}

function valueIn({ key, raw }: Member): unknown {
  // Strings are parsed quickly, and the check reports a long one.
  if (raw.length > FIELD_MAX_BYTES && raw[0] !== QUOTE)
    throw invalid([{ path: `/${pointerPart(key)}`, message: `must have at most ${FIELD_MAX_BYTES} bytes` }]);
  return JSON.parse(raw.toString('utf8'));
}

/** Refuses repeated keys: JSON.parse would silently keep the last one, and lose a value. */
function refuseRepeated(members: readonly Member[]): never {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const { key } of members) (seen.has(key) ? repeated : seen).add(key);
  throw invalid([...repeated].map((key): Issue => ({ path: `/${pointerPart(key)}`, message: 'is given more than once' })));
}

export function payloadIn({ raw, levels, numbersFit }: WrittenValue): Buffer {
  if (raw.length > JSON_MAX_BYTES)
    throw new Refusal('json_too_large', `json has ${raw.length} bytes; at most ${JSON_MAX_BYTES} are allowed.`);
  if (levels > JSON_MAX_LEVELS) throw invalid([{ path: '/json', message: `must not be nested deeper than ${JSON_MAX_LEVELS} levels` }]);
  // RFC 8785 has no form for numbers that ECMAScript reads as Infinity.
  if (!numbersFit) throw invalid([{ path: '/json', message: 'a number is beyond the range of a double; send it as a string' }]);
  return raw;
}
