import { setTimeout as sleep } from 'node:timers/promises';
import type { Message, UploadedFile, Waybill } from '@waybill/client';
import { downloadFile, uploadFile } from '@waybill/client/node';
import type { Call, Command, Option } from '../command.ts';
import { DATA, jsonTextOf } from '../input.ts';
import { localTime, partyName, visible, visibleLines } from '../output.ts';
import { UsageError } from '../problems.ts';
import { sendLines } from '../send-lines.ts';

const SIGN: Option = { type: 'boolean', help: 'Sign it with the signing key of the profile (waybill signing-key)' };

const CONTENTS: Record<string, Option> = {
  type: { type: 'string', short: 't', value: '<type>', help: 'The kind of message, such as order' },
  subject: { type: 'string', short: 's', value: '<text>', help: 'The subject' },
  note: { type: 'string', short: 'n', value: '<text>', help: 'A text for people' },
  data: DATA,
  file: { type: 'string', short: 'f', value: '<path>', multiple: true, help: 'A file of up to 5 GB; can be repeated' },
  sign: SIGN,
  'idempotency-key': { type: 'string', value: '<key>', help: 'The same key sends the message once, within 24 hours' },
};

const STATUSES = ['accepted', 'rejected', 'processed'] as const;

export const sending: Command[] = [
  {
    name: 'send',
    args: '[to]',
    help: 'Sends a message to a handle, such as globex or globex/orders, or many from a file. JSON arrives byte for byte.',
    options: {
      ...CONTENTS,
      batch: {
        type: 'string',
        short: 'b',
        value: '<file>',
        help: 'Many messages: an object of the API on each line of a file, or of stdin (-)',
      },
    },
    examples: [
      `waybill send globex/orders --type order --data '{"sku":"A-1","quantity":3}'`,
      'jq . order.json | waybill send globex --type order --data -',
      'waybill send globex --subject "The scan" --file scan.tiff',
      'waybill send --batch orders.ndjson --idempotency-key orders-2026-11',
    ],
    run: async (call) => {
      const [to] = call.args;
      const file = call.options.text('batch');
      if (file !== undefined) return sendLines(call, file, to);
      if (to === undefined) throw new UsageError('Name the recipient: waybill send <to>. See waybill send --help.');
      const contents = await contentsOf(call);
      await sent(call, await call.waybill().send({ to, ...contents }, optionsOf(call)));
    },
  },
  {
    name: 'reply',
    args: '<message-id>',
    help: 'Replies to a message, in its thread.',
    options: {
      ...CONTENTS,
      acknowledge: { type: 'string', value: '<status>', help: 'Also says what becomes of the message: accepted, rejected or processed' },
      reason: { type: 'string', short: 'r', value: '<text>', help: 'Why, for the sender; with --acknowledge' },
      to: {
        type: 'string',
        value: '<handle>',
        help: 'The other party, perhaps with another segment; to sign a reply if it has claimed a handle since',
      },
    },
    examples: [
      'waybill reply msg_… --note "It ships tomorrow."',
      'waybill reply msg_… --type order.confirmation --data @confirmation.json --acknowledge accepted',
    ],
    run: async (call) => {
      const [id = ''] = call.args;
      const contents = { ...(await contentsOf(call)), ...call.options.given('to') };
      const acknowledge = saidIn(call);
      await sent(call, await call.waybill().reply(id, { ...contents, ...(acknowledge && { acknowledge }) }, optionsOf(call)));
    },
  },
  {
    name: 'acknowledge',
    args: '<message-id> <accepted|rejected|processed>',
    help: 'Tells the sender of a received message what becomes of it. What is rejected or processed stays so.',
    options: { reason: { type: 'string', short: 'r', value: '<text>', help: 'Why, for the sender' }, sign: SIGN },
    examples: ['waybill acknowledge msg_… accepted', 'waybill acknowledge msg_… rejected --reason "Out of stock."'],
    run: async ({ args: [id = '', status = ''], options, waybill, output, signal }) => {
      const chosen = statusOf(status);
      const reason = options.text('reason') ?? null;
      const said = await waybill().acknowledge(id, { status: chosen, reason }, { signal });
      output.result(said, () => `${id} is ${said.status}${said.signing_key_id ? `, signed with ${said.signing_key_id}` : ''}.`);
    },
  },
  {
    name: 'read',
    args: '<id>',
    help: 'Shows a message (msg_…), or the messages of a thread (thr_…). With --json, JSON is byte for byte but for line breaks.',
    examples: ['waybill read msg_…', 'waybill read thr_…', 'waybill read msg_… --json | jq .json'],
    run: async ({ args: [id = ''], waybill, output, signal }) => {
      const show = (message: Message) => output.result(message.envelopeText, () => messageText(message));
      if (!id.startsWith('thr_')) return show(await waybill().message(id, { signal }));
      let count = 0;
      for await (const message of waybill().thread(id, {}, { signal })) {
        if (count++ > 0 && !output.isJson) output.line('');
        show(message);
      }
    },
  },
  {
    name: 'download',
    args: '<file-id> <path>',
    help: 'Downloads a file of a message to a path, and checks its size. Continues when the connection breaks.',
    examples: ['waybill download file_… scan.tiff'],
    run: async ({ args: [id = '', path = ''], waybill, output, signal }) => {
      const draw = output.progress(path);
      await downloadFile(waybill(), id, path, {
        signal,
        onProgress: ({ receivedBytes, totalBytes }) => draw(receivedBytes, totalBytes ?? receivedBytes),
      });
      output.result({ file: id, path }, () => `Downloaded ${id} to ${path}.`);
    },
  },
  {
    name: 'trigger',
    args: '[type]',
    help: 'Sends a sample message to your own inbox, to try a webhook, a consumer or waybill listen. With --webhook, posts the test event to that webhook only.',
    options: {
      data: DATA,
      to: { type: 'string', value: '<handle>', help: 'Another recipient' },
      webhook: { type: 'string', value: '<id>', help: 'Post message.test to this webhook, and show what it responds' },
    },
    examples: ['waybill trigger order', `waybill trigger invoice --data '{"total":12}'`, 'waybill trigger --webhook wh_…'],
    run: async (call) => {
      const {
        args: [type = 'sample'],
        options,
        waybill,
        signal,
      } = call;
      const webhook = options.text('webhook');
      if (webhook !== undefined) return testWebhook(call, webhook);
      const to = options.text('to') ?? (await waybill().me({ signal })).business.handle;
      const jsonText = (await jsonTextOf(call)) ?? JSON.stringify({ sample: true, type, at: new Date().toISOString() });
      await sent(call, await waybill().send({ to, type, subject: `Sample ${type}`, jsonText }, { signal }));
    },
  },
];

function statusOf(text: string) {
  const chosen = STATUSES.find((one) => one === text);
  if (!chosen) throw new UsageError(`Say what becomes of the message: ${STATUSES.join(', ')}.`);
  return chosen;
}

/** What a reply acknowledges. */
function saidIn({ options }: Call) {
  const [status, reason] = [options.text('acknowledge'), options.text('reason')];
  if (status === undefined && reason !== undefined) throw new UsageError('--reason belongs to --acknowledge.');
  if (status !== undefined && options.is('sign'))
    throw new UsageError('A signed reply can’t acknowledge. Use waybill acknowledge --sign after it.');
  return status === undefined ? undefined : { status: statusOf(status), reason: reason ?? null };
}

async function contentsOf(call: Call) {
  const { options, waybill, output, signal } = call;
  const jsonText = await jsonTextOf(call);
  const paths = options.list('file');
  const contents = { ...options.given('type', 'subject', 'note'), ...(jsonText !== undefined && { jsonText }) };
  if (Object.keys(contents).length + paths.length === 0)
    throw new UsageError('Give at least one of --data, --note, --subject, --type and --file.');
  const files: UploadedFile[] = [];
  for (const path of paths) {
    const draw = output.progress(path);
    files.push(await upload(waybill(), path, draw, signal));
  }
  return { ...contents, files };
}

async function upload(
  waybill: Waybill,
  path: string,
  draw: (done: number, total: number) => void,
  signal: AbortSignal,
): Promise<UploadedFile> {
  try {
    return await uploadFile(waybill, path, { signal, onProgress: ({ sentBytes, totalBytes }) => draw(sentBytes, totalBytes) });
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw new UsageError(`Couldn’t read ${path}: ${error.message}`);
    throw error;
  }
}

function optionsOf({ options, signal }: Call) {
  return { signal, idempotencyKey: options.text('idempotency-key') };
}

async function sent({ output, options, waybill, signal }: Call, message: Message): Promise<void> {
  const lines = [
    `${output.paint('green', 'Delivered')} ${message.id} to ${visible(partyName(message.to.party))}`,
    `Receipt   ${message.receipt_url}`,
  ];
  if (options.is('sign') && !output.isJson) {
    const token = message.receipt_url.split('/').at(-1) ?? '';
    const { key, covers } = await waybill().request('GET /v1/receipts/{token}/signature', { path: { token } }, { signal });
    lines.push(`Signed    with ${key.id}: ${covers.join(', ')}`);
  }
  output.result(message.envelopeText, () => lines.join('\n'));
}

const TEST_POLL_MS = 250;
const TEST_WAIT_MS = 20_000;

/** The log has the attempt under the id of the job. */
async function testWebhook({ waybill, output, signal }: Call, id: string): Promise<void> {
  const { job_id } = await waybill().request('POST /v1/webhooks/{id}/test', { path: { id } }, { signal });
  const attemptId = job_id.replace(/^job_/, 'dlv_');
  const until = Date.now() + TEST_WAIT_MS;
  for (;;) {
    const { data } = await waybill().request('GET /v1/webhooks/{id}/deliveries', { path: { id } }, { signal });
    const attempt = data.find((one) => one.id === attemptId);
    if (attempt && attempt.status !== 'pending') {
      const outcome = attempt.status === 'delivered' ? output.paint('green', 'delivered') : output.paint('red', attempt.status);
      return output.result(attempt, () =>
        `${outcome} ${attempt.status_code ?? ''} in ${attempt.response_ms} ms ${visible(attempt.error ?? '')}`.trim(),
      );
    }
    if (Date.now() > until) return output.result(attempt ?? { id: attemptId, status: 'pending' }, () => `Queued as ${attemptId}.`);
    await sleep(TEST_POLL_MS, undefined, { signal });
  }
}

/** A message for people. The sender's text can't control the terminal. */
export function messageText(message: Message): string {
  const { from, to } = message;
  const lines: [string, string][] = [
    ['Message', `${message.id} in ${message.thread_id}`],
    ['From', `${visible(partyName(from.party))} (${visible(from.actor.name)}${from.actor.verified ? '' : ', not verified'})`],
    ['To', visible(partyName(to.party)) + (to.segment ? `/${visible(to.segment)}` : '')],
    ['Received', localTime(message.received_at)],
    ['Type', visible(message.type ?? '')],
    ['Subject', visible(message.subject ?? '')],
    ['Schema', message.validation.status === 'not_applicable' ? '' : message.validation.status],
    ...message.files.map((file): [string, string] => [
      'File',
      `${file.id}  ${visible(file.filename)}  ${file.size_bytes.toLocaleString('en')} bytes`,
    ]),
  ];
  const head = lines.filter(([, value]) => value !== '').map(([name, value]) => `${name.padEnd(9)} ${value}`);
  const body = [message.note, message.jsonText].filter((text) => text !== null).map((text) => `\n${visibleLines(text)}`);
  return [...head, ...body].join('\n');
}
