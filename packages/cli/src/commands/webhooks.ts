import type { Api } from '@waybill/client';
import type { Command, Option } from '../command.ts';
import { localTime, visible } from '../output.ts';
import { UsageError } from '../problems.ts';

const target: Option = { type: 'string', value: '<segment>', help: 'Only messages to this segment' };
const types: Option = {
  type: 'string',
  short: 't',
  value: '<type>',
  multiple: true,
  help: 'Only this type, such as order.*; can be repeated',
};
const DEFAULT_GRACE_S = '86400';

function stateOf({ active, pause, failing_since }: Api.Webhook): string {
  if (!active) return `paused (${pause?.reason ?? 'requested'})`;
  return failing_since === null ? 'active' : 'failing';
}

function describe(webhook: Api.Webhook): string {
  const { id, url, description, types: only, target: segment } = webhook;
  const more = [segment && `to ${segment}`, only?.join(', '), description].filter(Boolean).map((text) => visible(String(text)));
  return `${id}  ${stateOf(webhook)}  ${visible(url)}${more.length > 0 ? `  (${more.join('; ')})` : ''}`;
}

export const webhooks: Command[] = [
  {
    name: 'webhooks list',
    args: '',
    help: 'Lists your webhooks.',
    examples: ['waybill webhooks list', 'waybill webhooks list --json'],
    run: async ({ output, waybill, signal }) => {
      const { data } = await waybill().request('GET /v1/webhooks', { query: { limit: 200 } }, { signal });
      output.list(data, ['id', 'state', 'url', 'types', 'created'], () =>
        data.map((one) => [one.id, stateOf(one), one.url, one.types?.join(', ') ?? 'all', localTime(one.created_at)]),
      );
    },
  },
  {
    name: 'webhooks create',
    args: '<url>',
    help: 'Creates a webhook and prints its secret, which is shown only once.',
    options: {
      target,
      type: types,
      event: {
        type: 'string',
        value: '<event>',
        multiple: true,
        help: 'message.received by default; others are in docs/webhooks.md; can be repeated',
      },
      ed25519: { type: 'boolean', help: 'Also sign with Ed25519, for receivers without a secret' },
      ordered: { type: 'boolean', help: 'Of each thread, one attempt at a time in order of delivery' },
      description: { type: 'string', value: '<text>', help: 'Your note' },
    },
    examples: [
      'waybill webhooks create https://hooks.example.com/waybill',
      'waybill webhooks create https://hooks.example.com/orders --type "order.*"',
    ],
    run: async ({ args: [url = ''], options, output, waybill, signal }) => {
      const only = options.list('type');
      // The service checks the names.
      const events = options.list('event') as Api.Webhook['events'];
      const body = {
        url,
        ...options.given('target', 'description'),
        ...(only.length > 0 && { types: only }),
        ...(events.length > 0 && { events }),
        ...(options.is('ordered') && { ordered: true }),
        ...(options.is('ed25519') && { signatures: ['hmac' as const, 'ed25519' as const] }),
      };
      const created = await waybill().request('POST /v1/webhooks', { body }, { signal });
      const key = created.public_key ? `\nPublic key  ${created.public_key}` : '';
      output.result(created, () => `${describe(created)}\nSecret      ${created.secret}${key}`);
    },
  },
  {
    name: 'webhooks pause',
    args: '<id>',
    help: 'Pauses a webhook: no attempt begins until you resume it.',
    examples: ['waybill webhooks pause wh_…'],
    run: async ({ args: [id = ''], output, waybill, signal }) => {
      const changed = await waybill().request('PATCH /v1/webhooks/{id}', { path: { id }, body: { active: false } }, { signal });
      output.result(changed, () => describe(changed));
    },
  },
  {
    name: 'webhooks resume',
    args: '<id>',
    help: 'Resumes a webhook. With --recover, what it missed during the pause is delivered, too.',
    options: { recover: { type: 'boolean', help: 'Deliver what was not delivered since the pause began' } },
    examples: ['waybill webhooks resume wh_… --recover'],
    run: async ({ args: [id = ''], options, output, waybill, signal }) => {
      const body = { active: true, ...(options.is('recover') && { recover: true }) };
      const changed = await waybill().request('PATCH /v1/webhooks/{id}', { path: { id }, body }, { signal });
      output.result(changed, () => describe(changed));
    },
  },
  {
    name: 'webhooks recover',
    args: '<id>',
    help: 'Delivers earlier messages again that the webhook did not get.',
    options: {
      since: { type: 'string', value: '<time>', help: 'Messages received at this time or later (ISO 8601); required' },
      until: { type: 'string', value: '<time>', help: 'Messages received before this time; now by default' },
      only: { type: 'string', value: '<which>', choices: ['undelivered', 'failed', 'missing', 'all'], help: 'undelivered by default' },
    },
    examples: ['waybill webhooks recover wh_… --since 2026-11-16T08:00:00Z', 'waybill webhooks recover wh_… --since 2026-11-16 --only all'],
    run: async ({ args: [id = ''], options, output, waybill, signal }) => {
      const since = options.text('since');
      if (since === undefined) throw new UsageError('Give the time from which to recover: --since 2026-11-16T08:00:00Z');
      const body = { ...options.given('until', 'only'), since };
      const recovery = await waybill().request('POST /v1/webhooks/{id}/recover', { path: { id }, body }, { signal });
      const total = recovery.total === null ? 'many' : recovery.total.toLocaleString('en');
      output.result(recovery, () => `${recovery.id} ${recovery.state}: looks at ${total} messages since ${localTime(recovery.since)}.`);
    },
  },
  {
    name: 'webhooks rotate-secret',
    args: '<id>',
    help: 'Replaces the secret. Until the grace is over, deliveries are signed with both.',
    options: {
      grace: { type: 'string', value: '<seconds>', help: 'How long the former secret stays valid, up to 604800; 86400 by default' },
    },
    examples: ['waybill webhooks rotate-secret wh_…', 'waybill webhooks rotate-secret wh_… --grace 0'],
    run: async ({ args: [id = ''], options, output, waybill, signal }) => {
      const grace = options.text('grace') ?? DEFAULT_GRACE_S;
      if (!/^\d{1,6}$/.test(grace)) throw new UsageError('--grace must be a number of seconds.');
      const input = { path: { id }, body: { grace_s: Number(grace) } };
      const rotated = await waybill().request('POST /v1/webhooks/{id}/rotate-secret', input, { signal });
      const until = rotated.previous_valid_until;
      output.result(
        rotated,
        () => `Secret  ${rotated.secret}${until === null ? '' : `\nThe former one is valid until ${localTime(until)}.`}`,
      );
    },
  },
  {
    name: 'webhooks delete',
    args: '<id>',
    help: 'Deletes a webhook: no attempt begins after this.',
    examples: ['waybill webhooks delete wh_…'],
    run: async ({ args: [id = ''], output, waybill, signal }) => {
      await waybill().request('DELETE /v1/webhooks/{id}', { path: { id } }, { signal });
      output.result({ id, deleted: true }, () => `Deleted ${id}.`);
    },
  },
];
