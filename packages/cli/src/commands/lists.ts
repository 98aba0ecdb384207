import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Api, ExportQuery, Message } from '@waybill/client';
import type { Call, Command, Option } from '../command.ts';
import { localTime, oneLine, partyName, visible } from '../output.ts';
import { messageText } from './sending.ts';

const DEFAULT_ITEMS = 20;
const limit: Option = { type: 'string', value: '<n>', help: `How many; ${DEFAULT_ITEMS} by default` };
const times: Record<string, Option> = {
  since: { type: 'string', value: '<time>', help: 'At this time or later (ISO 8601)' },
  until: { type: 'string', value: '<time>', help: 'Before this time' },
};
const ofMessages: Record<string, Option> = {
  type: { type: 'string', short: 't', value: '<type>', help: 'Exactly this type' },
  from: { type: 'string', value: '<who>', help: 'From this handle, mailbox or domain' },
  validation: {
    type: 'string',
    value: '<result>',
    choices: ['passed', 'failed', 'not_applicable'],
    help: 'The result of the inbox schema',
  },
  thread: { type: 'string', value: '<thr_…>', help: 'Of this thread' },
  ...times,
};
const ofThreads: Record<string, Option> = {
  status: { type: 'string', value: '<status>', choices: ['open', 'done'], help: 'Only such threads' },
  box: { type: 'string', value: '<box>', choices: ['in', 'out'], help: 'With a received, or with a sent message' },
  assignee: { type: 'string', value: '<who>', help: 'me, none, or an id' },
  label: { type: 'string', value: '<label>', help: 'With this label' },
  type: { type: 'string', short: 't', value: '<type>', help: 'Whose latest type is this' },
  with: { type: 'string', value: '<who>', help: 'With this handle, domain or mailbox' },
  ...times,
};

type Summary = Api.EnvelopeSummary;

/** Programs get the items with JSON, people without it. */
async function listMessages(call: Call, box: 'inbox' | 'outbox'): Promise<void> {
  const { options, output, waybill, signal } = call;
  const count = options.count('limit') ?? DEFAULT_ITEMS;
  const query = { ...options.given('type', 'from', 'validation', 'thread', 'since', 'until', 'to'), limit: Math.min(count, 200) } as const;
  if (output.isJson) {
    const messages = await waybill()[box](query, { signal }).take(count);
    return output.list(
      messages.map(({ envelopeText }) => envelopeText),
      [],
      () => [],
    );
  }
  const summaries = await waybill()
    [box]({ ...query, include: 'summary' }, { signal })
    .take(count);
  const other = (message: Summary) => partyName(box === 'inbox' ? message.from.party : message.to.party);
  const columns = ['received', box === 'inbox' ? 'from' : 'to', 'type', 'subject', 'id'];
  output.list(summaries, columns, () =>
    summaries.map((one) => [localTime(one.received_at), other(one), one.type ?? '', one.subject ?? '', one.id]),
  );
}

export const lists: Command[] = [
  {
    name: 'inbox',
    args: '',
    help: 'Lists received messages, newest first.',
    options: { limit, ...ofMessages, to: { type: 'string', value: '<segment>', help: 'Addressed to this segment' } },
    examples: ['waybill inbox', 'waybill inbox --type order --since 2026-11-01 --json | jq .json'],
    run: (call) => listMessages(call, 'inbox'),
  },
  {
    name: 'outbox',
    args: '',
    help: 'Lists sent messages, newest first.',
    options: { limit, ...ofMessages },
    examples: ['waybill outbox --limit 5'],
    run: (call) => listMessages(call, 'outbox'),
  },
  {
    name: 'threads',
    args: '',
    help: 'Lists threads, latest activity first.',
    options: { limit, ...ofThreads, unread: { type: 'boolean', help: 'With messages that are new to you' } },
    examples: ['waybill threads --status open --assignee me'],
    run: async ({ options, output, waybill, signal }) => {
      const count = options.count('limit') ?? DEFAULT_ITEMS;
      const query = {
        ...options.given(...Object.keys(ofThreads)),
        ...(options.is('unread') && { unread: true }),
        limit: Math.min(count, 200),
      };
      const threads = await waybill().threads(query, { signal }).take(count);
      output.list(threads, ['updated', 'with', 'status', 'messages', 'subject', 'id'], () =>
        threads.map((one) => [
          localTime(one.updated_at),
          partyName(one.with),
          one.status,
          String(one.message_count),
          one.subject ?? '',
          one.id,
        ]),
      );
    },
  },
  {
    name: 'search',
    args: '<words…>',
    help: 'Finds messages and comments: words, "phrases" and operators such as from:acme, type:order, has:file, before:2026-11-01.',
    options: { limit },
    examples: ['waybill search PO-48 from:acme', `waybill search '"steel bolts" has:json' --limit 5`],
    run: async ({ args, options, output, waybill, signal }) => {
      const max = options.count('limit') ?? DEFAULT_ITEMS;
      const results: Api.SearchResult[] = [];
      let isComplete = true;
      for await (const page of waybill().search(args.join(' '), {}, { signal }).pages()) {
        results.push(...page.data);
        isComplete = page.complete;
        if (results.length >= max) break;
      }
      const found = results.slice(0, max);
      output.list(found, ['received', 'from', 'match', 'subject', 'id'], () =>
        found.map(({ message, matches: [match], thread_subject }) => [
          localTime(message.received_at),
          partyName(message.from.party),
          match ? `${match.field}: ${match.text}` : '',
          message.subject ?? thread_subject ?? '',
          message.id,
        ]),
      );
      if (!isComplete) output.note('Incomplete: older messages are still being indexed. Search again in a few seconds.');
    },
  },
  {
    name: 'tail',
    args: '',
    help: 'Shows messages as they arrive, until Ctrl-C. With --json one envelope a line.',
    options: {
      since: { type: 'string', value: '<time>', help: 'Begin with messages from this time on' },
      full: { type: 'boolean', help: 'Show whole messages' },
    },
    examples: ['waybill tail', 'waybill tail --since 2026-11-17T08:00:00Z --json | jq -r .subject'],
    run: async ({ options, output, waybill, signal }) => {
      const onReady = () => output.note('Waiting for messages. Ctrl-C ends it.');
      for await (const message of waybill().follow({ signal, onReady, since: options.text('since') }))
        output.result(oneLine(message.envelopeText), () =>
          options.is('full') ? `${messageText(message)}\n` : tailLine(message, output.paint('dim', localTime(message.received_at))),
        );
    },
  },
  {
    name: 'export',
    args: '[file]',
    help: 'Writes a list as NDJSON or CSV, to a file or to stdout.',
    options: {
      list: { type: 'string', value: '<list>', choices: ['inbox', 'outbox', 'threads'], help: 'What to export; inbox by default' },
      format: { type: 'string', value: '<format>', choices: ['ndjson', 'csv'], help: 'ndjson by default' },
      summary: { type: 'boolean', help: 'Without the JSON of messages' },
      ...ofThreads,
      ...ofMessages,
    },
    examples: ['waybill export inbox.ndjson --since 2026-11-01', 'waybill export --list threads --format csv --status open > threads.csv'],
    run: async ({ args: [file], options, output, waybill, io, signal }) => {
      const filters = options.given('list', 'format', ...Object.keys(ofThreads), ...Object.keys(ofMessages));
      const query: ExportQuery = { ...filters, ...(options.is('summary') && { include: 'summary' as const }) };
      const chunks = waybill().export(query, { signal });
      if (file !== undefined) {
        await pipeline(Readable.from(chunks), createWriteStream(file), { signal });
        return output.result({ file }, () => `Exported to ${visible(file)}.`);
      }
      for await (const chunk of chunks) if (!io.stdout.write(chunk)) await once(io.stdout, 'drain', { signal });
    },
  },
];

function tailLine(message: Message, time: string): string {
  const { from, type, subject, note, id } = message;
  return [time, visible(partyName(from.party)), visible(type ?? '–'), visible(subject ?? note?.slice(0, 60) ?? ''), id].join('  ');
}
