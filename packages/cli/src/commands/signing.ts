import { setTimeout as sleep } from 'node:timers/promises';
import { newSigningKeyPair } from '@waybill/client';
import type { Call, Command } from '../command.ts';
import { visible } from '../output.ts';
import { UsageError } from '../problems.ts';

const POLL_MS = 2_000;
const WAIT_MS = 15 * 60_000;

export const signing: Command[] = [
  {
    name: 'signing-key',
    args: '',
    help: 'Creates a key pair for send --sign. The private half stays in the profile; an admin registers the public half on the page of the agents, which this command waits for.',
    examples: ['waybill signing-key', 'waybill signing-key --profile test'],
    run: async (call) => {
      const { options, output, profiles, waybill, account, signal } = call;
      const name = options.text('profile') ?? call.io.env['WAYBILL_PROFILE'] ?? profiles.read().current;
      const profile = profiles.get(name);
      if (!profile || profile.key !== account().key)
        throw new UsageError('A signing key is stored in a profile. Log in first: waybill login');
      const { agent } = await waybill().me({ signal });
      if (!agent) throw new UsageError('The key of the profile is not that of an agent.');
      const { privateKey, publicKey } = await newSigningKeyPair();
      output.note(
        `Ask an admin to open ${visible(profile.url)}/agents and to add this signing key to ${visible(agent.name)}:\n\n  ${publicKey}\n\nWaiting for it…`,
      );
      const id = await registered(call, agent.id, publicKey);
      const { current } = profiles.read();
      profiles.save(name, { ...profile, signingKey: { id, privateKey } });
      profiles.use(current);
      output.result(
        { profile: name, id, public_key: publicKey },
        () => `The profile ${name} signs with ${id}: waybill send --sign. Its private half is in ${profiles.file}.`,
      );
    },
  },
];

async function registered({ waybill, signal }: Call, agentId: string, publicKey: string): Promise<string> {
  const until = Date.now() + WAIT_MS;
  for (;;) {
    const input = { path: { id: agentId }, query: { limit: 200 } };
    const { data } = await waybill().request('GET /v1/agents/{id}/signing-keys', input, { signal });
    const key = data.find(({ public_key, revoked_at }) => public_key === publicKey && revoked_at === null);
    if (key) return key.id;
    if (Date.now() > until) throw new UsageError('Nobody has added the key in time. Run waybill signing-key again.');
    await sleep(POLL_MS, undefined, { signal });
  }
}
