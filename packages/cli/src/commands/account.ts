import { buffer } from 'node:stream/consumers';
import { Waybill } from '@waybill/client';
import type { Command } from '../command.ts';
import { keyByDevice } from '../device-login.ts';
import { visible } from '../output.ts';
import { UsageError } from '../problems.ts';
import { DEFAULT_PROFILE } from '../profiles.ts';

export const account: Command[] = [
  {
    name: 'login',
    args: '',
    help: 'Stores a key in a profile: the one of --key, or one that a person allows in the browser. With --key -, the key is read from stdin, so that it is in no history.',
    options: { 'no-browser': { type: 'boolean', help: 'Only print the address, do not open it' } },
    examples: [
      'waybill login --url https://waybill.example.com',
      'waybill login --url https://waybill.example.com --key wb_…',
      'waybill login --profile test --url http://127.0.0.1:3000 --key - < key.txt',
    ],
    run: async (call) => {
      const { options, output, profiles, io, signal } = call;
      const name = options.text('profile') ?? DEFAULT_PROFILE;
      const url = (options.text('url') ?? io.env['WAYBILL_URL'] ?? profiles.read().profiles[name]?.url)?.replace(/\/+$/, '');
      if (!url) throw new UsageError('Give the address of the service: waybill login --url https://…');
      const given = options.text('key') ?? io.env['WAYBILL_KEY'] ?? (await keyByDevice(call, url));
      const key = given === '-' ? String(await buffer(io.stdin)).trim() : given;
      const me = await new Waybill({ baseUrl: url, key }).me({ signal });
      profiles.save(name, { url, key, handle: me.business.handle });
      const text = `Logged in to ${visible(me.business.display_name)} (${me.business.handle}) as ${visible(me.agent?.name ?? '')}, scope ${me.key?.scope}.`;
      output.result({ profile: name, url, handle: me.business.handle, scope: me.key?.scope }, () => `${text} Stored in ${profiles.file}.`);
    },
  },
  {
    name: 'logout',
    args: '',
    help: 'Removes a profile with its key from this machine. The key itself stays valid: revoke it on the page of its agent.',
    examples: ['waybill logout', 'waybill logout --profile test'],
    run: async ({ options, output, profiles }) => {
      const name = profiles.remove(options.text('profile'));
      output.result({ profile: name, removed: true }, () => `Removed the profile ${name}.`);
    },
  },
  {
    name: 'profiles',
    args: '[name]',
    help: 'Lists profiles, or uses the named one from now on.',
    examples: ['waybill profiles', 'waybill profiles test'],
    run: async ({ args: [name], output, profiles }) => {
      if (name !== undefined) profiles.use(name);
      const { current, profiles: all } = profiles.read();
      const rows = Object.entries(all).map(([own, { url, handle, key }]) => ({
        name: own,
        in_use: own === current,
        handle,
        url,
        key: `${key.slice(0, 8)}…`,
      }));
      output.list(rows, ['', 'profile', 'handle', 'url', 'key'], () =>
        rows.map((row) => [row.in_use ? '*' : '', row.name, row.handle, row.url, row.key]),
      );
    },
  },
  {
    name: 'whoami',
    args: '',
    help: 'Shows the business and agent of the key, its addresses, and what it has used.',
    examples: ['waybill whoami', 'waybill whoami --json'],
    run: async ({ waybill, output, signal }) => {
      const me = await waybill().me({ signal });
      const { business, agent, key, addresses, usage } = me;
      output.result(me, () =>
        [
          `Business  ${visible(business.display_name)} (${business.handle})`,
          `Agent     ${visible(agent?.name ?? '')} ${agent?.id ?? ''}`,
          `Key       ${key?.prefix}… (${key?.scope})`,
          `Address   ${addresses.segment ?? addresses.handle}${addresses.email ? `, ${addresses.email}` : ''}`,
          `Messages  ${usage.messages.used.toLocaleString('en')} of ${usage.messages.limit.toLocaleString('en')} in ${usage.period}`,
        ].join('\n'),
      );
    },
  },
];
