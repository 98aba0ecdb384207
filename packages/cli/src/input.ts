import { readFileSync, statSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import type { Call, Option } from './command.ts';
import { messageOf, UsageError } from './problems.ts';

/** A message has less JSON than this, even with much whitespace. */
const DATA_MAX_BYTES = 16 * 1_048_576;

export const DATA: Option = {
  type: 'string',
  short: 'd',
  value: '<json>',
  help: 'JSON: as it is, from a file (@order.json) or from stdin (-)',
};

export async function jsonTextOf({ options, io }: Call, option = 'data'): Promise<string | undefined> {
  const given = options.text(option);
  if (given === undefined) return undefined;
  const text = await textOf(given, io.stdin);
  try {
    JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--${option} is not JSON: ${messageOf(error)}`);
  }
  return text.trim();
}

async function textOf(given: string, stdin: NodeJS.ReadableStream): Promise<string> {
  if (given === '-') return String(await buffer(stdin));
  if (!given.startsWith('@')) return given;
  const file = given.slice(1);
  try {
    if (statSync(file).size > DATA_MAX_BYTES) throw new UsageError(`${file} is too large for the JSON of a message; send it with --file.`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`Couldn’t read ${file}: ${messageOf(error)}`);
  }
}
