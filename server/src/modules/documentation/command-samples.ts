import { isRecord } from '../../contract/records.ts';

interface Asked {
  path: Record<string, string>;
  query: Record<string, string | number | boolean>;
  body: Record<string, unknown>;
  headers: Record<string, string>;
}

type Options = Record<string, unknown>;

/** Key: row of the route table. Value: the command that makes the request, after a login. Undefined: this request has no command. */
const COMMANDS: Record<string, (asked: Asked) => string | undefined> = {
  'POST /v1/messages': ({ body: { to, json, in_reply_to: _, ...rest }, headers }) =>
    command(['send', to], { ...rest, data: json && JSON.stringify(json), 'idempotency-key': headers['Idempotency-Key'] }),
  'GET /v1/messages/{id}': ({ path }) => command(['read', path['id']]),
  'GET /v1/threads/{id}': ({ path }) => command(['read', path['id']]),
  'GET /v1/inbox': ({ query }) => command(['inbox'], query),
  'GET /v1/outbox': ({ query }) => command(['outbox'], query),
  'GET /v1/threads': ({ query }) => command(['threads'], query),
  'GET /v1/search': ({ query: { q, ...rest } }) => command(['search', q], rest),
  'GET /v1/me': () => command(['whoami']),
  'GET /v1/receipts/{token}': ({ path }) => command(['receipt verify', `$URL/r/${path['token']}`], { vkey: '$VKEY' }),
  'GET /v1/receipts/{token}/proof': ({ path }) => command(['receipt proof', `$URL/r/${path['token']}`, '-o', '-']),
  'GET /v1/messages/{id}/proof': ({ path }) => command(['receipt proof', path['id'], '-o', '-']),
  'GET /v1/webhooks': () => command(['webhooks list']),
  'POST /v1/webhooks': ({ body: { url, types, ...rest } }) => command(['webhooks create', url], { type: types, ...rest }),
  'PATCH /v1/webhooks/{id}': ({ path, body }) => {
    const { active, recover, ...others } = body;
    if (typeof active !== 'boolean' || Object.keys(others).length > 0) return undefined;
    return active ? command(['webhooks resume', path['id']], { recover }) : command(['webhooks pause', path['id']]);
  },
  'DELETE /v1/webhooks/{id}': ({ path }) => command(['webhooks delete', path['id']]),
  'POST /v1/webhooks/{id}/test': ({ path }) => command(['trigger'], { webhook: path['id'] }),
  'POST /v1/webhooks/{id}/recover': ({ path, body }) => command(['webhooks recover', path['id']], body),
  'POST /v1/webhooks/{id}/rotate-secret': ({ path, body }) => command(['webhooks rotate-secret', path['id']], { grace: body['grace_s'] }),
};

export function commandSample(row: string, asked: Asked): string | undefined {
  return Object.hasOwn(COMMANDS, row) ? COMMANDS[row]?.(asked) : undefined;
}

function command([name, ...args]: unknown[], options: Options = {}): string {
  const given = Object.entries(options).flatMap(([option, value]) => optionWords(option, value));
  const words = [`waybill ${name}`, ...args.map((arg) => word(String(arg))), ...given];
  const line = words.join(' ');
  return line.length <= 80 ? line : words.join(' \\\n  ');
}

function optionWords(name: string, value: unknown): string[] {
  if (value === undefined || value === null || value === false) return [];
  if (value === true) return [`--${name}`];
  if (Array.isArray(value)) return value.flatMap((one) => optionWords(name, one));
  return [`--${name} ${word(isRecord(value) ? JSON.stringify(value) : String(value))}`];
}

/** Quotes a word for a shell. */
function word(text: string): string {
  return /^[\w@%+=:,./$-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
