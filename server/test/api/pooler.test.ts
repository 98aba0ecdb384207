import { connect, createServer, type Server, type Socket } from 'node:net';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { openDatabase } from '../../src/open-database.ts';
import { createDatabase } from '../support/service.ts';

const log = pino({ level: 'silent' });
const NOTIFICATION_RESPONSE = 0x41;

/** Passes everything on except notifications, like a pooler that has lent the connection to another client. */
async function startDeafProxy(database: URL): Promise<{ server: Server; port: number }> {
  const folder = database.searchParams.get('host');
  const target = folder === null ? { host: database.hostname, port: Number(database.port || 5432) } : { path: `${folder}/.s.PGSQL.5432` };
  const server = createServer((client: Socket) => {
    const upstream = connect(target);
    let pending = Buffer.alloc(0);
    client.pipe(upstream);
    upstream.on('data', (chunk) => {
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= 5 && pending.length > pending.readUInt32BE(1)) {
        const end = 1 + pending.readUInt32BE(1);
        if (pending[0] !== NOTIFICATION_RESPONSE) client.write(pending.subarray(0, end));
        pending = pending.subarray(end);
      }
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { server, port: address.port };
}

test('a database on which LISTEN does not last is refused at the start, with one sentence that names the setting', async () => {
  const direct = await createDatabase();
  const { server, port } = await startDeafProxy(new URL(direct));
  const behindProxy = new URL(direct);
  behindProxy.searchParams.delete('host');
  behindProxy.host = `127.0.0.1:${port}`;
  const pooled = behindProxy.href;
  const open = (settings: Record<string, string>) => openDatabase(readConfig(settings), 'service', log);
  await expect(open({ DATABASE_URL: pooled })).rejects.toThrow(
    'DATABASE_URL leads through a pooler on which LISTEN does not last: set DATABASE_DIRECT_URL to PostgreSQL itself, or the pooler to session mode.',
  );
  await expect(open({ DATABASE_URL: direct, DATABASE_DIRECT_URL: pooled })).rejects.toThrow('DATABASE_DIRECT_URL leads through a pooler');
  const opened = await open({ DATABASE_URL: pooled, DATABASE_DIRECT_URL: direct });
  expect([opened.connection, opened.direct]).toEqual([{ connectionString: pooled }, { connectionString: direct }]);
  await opened.close();
  server.close();
});
