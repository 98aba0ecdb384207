import { createReadStream, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { type ManyRequest, memberText, type SendOutcome } from '@waybill/client';
import type { Call } from './command.ts';
import { partyName, visible } from './output.ts';
import { CheckFailed, messageOf, UsageError } from './problems.ts';

const CONTENTS = ['data', 'type', 'subject', 'note', 'file', 'sign'];

/** `waybill send --batch`: each line of the file is a message as the API takes it. Says of each what became of it. */
export async function sendLines(call: Call, file: string, to: string | undefined): Promise<void> {
  const { options, output, waybill, signal } = call;
  const extra = CONTENTS.find((name) => options.text(name) !== undefined || options.is(name) || options.list(name).length > 0);
  if (extra !== undefined) throw new UsageError(`--${extra} is for one message. With --batch, each line says it for itself.`);
  const lines = new WeakMap<ManyRequest, number>();
  let sent = 0;
  let delivered = 0;
  for await (const outcome of waybill().sendMany(messagesIn(call, file, to, lines), { signal })) {
    sent++;
    if (outcome.message) delivered++;
    show(call, outcome, lines.get(outcome.request));
  }
  if (!output.isJson) output.line(`Delivered ${delivered} of ${sent} messages.`);
  if (delivered < sent) throw new CheckFailed();
}

function show({ output }: Call, { message, error, isReplayed }: SendOutcome, line: number | undefined): void {
  if (output.isJson) {
    const said = error && { code: error.code, message: error.message, details: error.details };
    output.line(JSON.stringify({ line, message: message ?? null, error: said ?? null, is_replayed: isReplayed }));
  } else if (error) output.line(`Line ${line}: ${output.paint('red', error.code)} ${visible(error.message)}`);
  else if (message)
    output.line(
      `Line ${line}: ${output.paint('green', isReplayed ? 'sent before' : 'delivered')} ${message.id} to ${visible(partyName(message.to.party))}`,
    );
}

/** A line that is no object ends the command before anything of its batch is sent. */
async function* messagesIn(
  { options, io, output }: Call,
  file: string,
  to: string | undefined,
  lines: WeakMap<ManyRequest, number>,
): AsyncGenerator<ManyRequest> {
  const key = options.text('idempotency-key');
  const [input, bytes] = file === '-' ? [io.stdin, 0] : open(file);
  const draw = output.progress(file);
  let line = 0;
  let read = 0;
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    line++;
    read += Buffer.byteLength(text) + 1;
    if (text.trim() === '') continue;
    const message = messageIn(text, { line, to, key });
    lines.set(message, line);
    yield message;
    if (bytes > 0) draw(Math.min(read, bytes), bytes);
  }
}

function open(file: string): [NodeJS.ReadableStream, number] {
  try {
    const { size } = statSync(file);
    return [createReadStream(file), size];
  } catch (error) {
    throw new UsageError(`Couldn’t read ${file}: ${messageOf(error)}`);
  }
}

function messageIn(text: string, { line, to, key }: { line: number; to: string | undefined; key: string | undefined }): ManyRequest {
  const fields = objectIn(text, line);
  const { json: _, idempotency_key: own, ...rest } = fields;
  const jsonText = memberText(text, 'json');
  const recipient = fields['to'] === undefined && fields['in_reply_to'] === undefined && to !== undefined ? { to } : {};
  const idempotencyKey = typeof own === 'string' ? own : key === undefined ? undefined : `${key}/${line}`;
  // The service checks the fields, and says what is wrong with them.
  return { ...rest, ...recipient, ...(jsonText !== undefined && { jsonText }), idempotencyKey } as ManyRequest;
}

function objectIn(text: string, line: number): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return { ...value };
  } catch (error) {
    throw new UsageError(`Line ${line} is not JSON: ${messageOf(error)}`);
  }
  throw new UsageError(`Line ${line} is no object with the fields of a message.`);
}
