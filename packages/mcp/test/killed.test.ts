import { expect, test } from 'vitest';
import { freePort } from '../../../server/test/support/free-port.ts';
import { startPrepared } from '../../../server/test/support/prepared-folder.ts';
import { startProcess } from '../../../server/test/support/process.ts';
import { overStdio, WAYS } from './connections.ts';

const env = async () => ({ PORT: String(await freePort()), RATE_LIMIT_PER_MINUTE: '0' });

test.each(WAYS)('a service that is killed costs an agent a call, %s', async (way, connect) => {
  const settings = await env();
  const service = await startPrepared({ env: settings });
  const agent = await connect(service.url, service.keys['acme/purchasing'] ?? '');
  const message = { to: 'globex/orders', note: 'Before and after', idempotency_key: 'once' };
  const sent = await agent.result('send_message', message);
  await service.stop('SIGKILL');
  if (way === 'over stdio') expect(await agent.failure('send_message', message)).toMatch(/^connection_failed: Couldn’t connect/);
  else await expect(agent.call('send_message', message)).rejects.toThrow();

  const again = await startProcess({ env: { ...settings, DATA_DIR: service.dataFolder } });
  expect(await agent.result('send_message', message)).toEqual(sent);
  await expect.poll(async () => (await agent.result('list_threads')).threads).toHaveLength(1);
  await agent.close();
  await again.stop();
});

test('over stdio, a key that is wrong is said at once', async () => {
  const settings = await env();
  const service = await startPrepared({ env: settings });
  await expect(overStdio(service.url, 'wb_wrong')).rejects.toThrow();
  await service.stop();
});
