import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { formatVkey, KEY_TYPE, leafOfStatement, noteVerifier, openNote, parseNote, parseVkey, verifierKey } from '@waybill/proof';
import { describe, expect, test } from 'vitest';
import { LogReader } from '../support/log.ts';
import { runProgram, temporaryFolder, until } from '../support/process.ts';
import { untilLogged } from '../support/proofs.ts';
import { createDatabase, startTestService, type TestService } from '../support/service.ts';

const folder = temporaryFolder();

function newKey(name: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const [file, program] = [path.join(folder, `${name}.pem`), path.join(folder, `${name}.js`)];
  writeFileSync(file, privateKey.export({ format: 'pem', type: 'pkcs8' }));
  writeFileSync(
    program,
    `#!${process.execPath}
const { createPrivateKey, sign } = require('node:crypto');
const { readFileSync } = require('node:fs');
process.stdout.write(sign(null, readFileSync(0), createPrivateKey(readFileSync(${JSON.stringify(file)}))).toString('base64') + '\\n');
`,
  );
  chmodSync(program, 0o700);
  return { file, program, raw: Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url') };
}

describe('the key of the log', () => {
  test('is encrypted in the database, and encrypted again for another SECRETS_KEY', async () => {
    const [first, second] = [1, 2].map((fill) => Buffer.alloc(32, fill).toString('base64')) as [string, string];
    const DATABASE_URL = await createDatabase();
    const service = await startTestService({ DATABASE_URL, SECRETS_KEY: first });
    const { vkey } = (await new LogReader(service.url).wellKnown()).log;
    const secretIn = async ({ sql }: TestService) => (await sql<{ secret: string }>('SELECT secret FROM log_keys'))[0]?.secret ?? '';
    const sealed = await secretIn(service);
    await service.stop();
    expect(sealed).toMatch(/^§[0-9a-f]{8}\./);
    await expect(startTestService({ DATABASE_URL, SECRETS_KEY: second })).rejects.toThrow('SECRETS_OLD_KEYS');
    const renewing = await startTestService({ DATABASE_URL, SECRETS_KEY: second, SECRETS_OLD_KEYS: first });
    await renewing.sql(`SELECT graphile_worker.add_job('encrypt-log-keys')`);
    await until(async () => (await secretIn(renewing)) !== sealed);
    const alone = await startTestService({ DATABASE_URL, SECRETS_KEY: second });
    expect((await new LogReader(alone.url).wellKnown()).log.vkey).toBe(vkey);
    await Promise.all([renewing, alone].map((one) => one.stop()));
  });

  test.each(['file', 'program'] as const)('can be kept by the operator: in a %s', async (kept) => {
    const key = newKey(kept);
    const settings: Record<string, string> =
      kept === 'file' ? { LOG_KEY_FILE: key.file } : { LOG_KEY_COMMAND: key.program, LOG_PUBLIC_KEY: key.raw.toString('base64') };
    const service = await startTestService(settings);
    const reader = new LogReader(service.url);
    await until(async () => (await reader.checkpoint()) !== undefined);
    const { origin, vkey } = (await reader.wellKnown()).log;
    expect(vkey).toBe(formatVkey(verifierKey(origin, KEY_TYPE.ed25519, key.raw)));
    expect(await service.sql('SELECT secret FROM log_keys')).toEqual([{ secret: null }]);
    await service.stop();
  });

  test('is rotated by a note of the key before, which has a leaf; both sign for a while', async () => {
    const service = await startTestService();
    const reader = new LogReader(service.url);
    const { origin, vkey: oldKey } = (await reader.wellKnown()).log;
    const DATABASE_URL = service.databaseUrl;
    const rotated = await runProgram('cli', { env: { DATABASE_URL }, args: ['log', 'rotate-key', '--json'] });
    expect(rotated.stderr).toBe('');
    const { new_key: newKey } = JSON.parse(rotated.stdout);
    const known = await reader.wellKnown();
    expect(known.log.vkey).toBe(newKey);
    const [before] = known.log.previous_keys ?? [];
    expect(before?.vkey).toBe(oldKey);
    const { body } = await openNote(before?.succession ?? '', [noteVerifier(parseVkey(oldKey))]);
    expect(JSON.parse(body)).toMatchObject({ statement: 'key_succession', log: origin, old_key: oldKey, new_key: newKey });
    const leaf = Buffer.from(leafOfStatement(5, body.slice(0, -1))).toString('hex');
    await until(async () => {
      const checkpoint = await reader.checkpoint();
      return checkpoint !== undefined && (await reader.leaves(checkpoint)).some((one) => Buffer.from(one).toString('hex') === leaf);
    });
    const note = await (await fetch(`${service.url}/log/checkpoint`)).text();
    const opened = await openNote(note, [oldKey, newKey].map(parseVkey).map(noteVerifier));
    expect(opened.verified).toHaveLength(2);
    expect(parseNote(note).signatures[0]?.keyId).toBe(parseVkey(newKey).keyId);
    // Proofs have the note, for those who trust the key before.
    const acme = await service.business('acme');
    const { id } = (await acme.api.send({ to: 'acme' })).body;
    const { body: bundle } = await untilLogged(() => acme.api.get(`/messages/${id}/proof`));
    expect([bundle.log.vkey, bundle.successions]).toEqual([newKey, [before?.succession]]);
    await service.stop();
  });

  test('is not stored in clear text, unless the operator allows it', async () => {
    const refused = { LOG_KEY_PLAINTEXT: 'refuse' };
    await expect(startTestService(refused)).rejects.toThrow(
      'The key of the log would be in the database in clear text: set SECRETS_KEY (openssl rand -base64 32) in all processes, or keep',
    );
    const kept = newKey('instead');
    await (await startTestService({ ...refused, LOG_KEY_FILE: kept.file })).stop();

    const DATABASE_URL = await createDatabase();
    const plain = await startTestService({ DATABASE_URL });
    const { vkey } = (await new LogReader(plain.url).wellKnown()).log;
    const [stored] = await plain.sql<{ secret: string }>('SELECT secret FROM log_keys');
    expect(stored?.secret).toMatch(/^[A-Za-z0-9+/=]+$/);
    await plain.stop();
    const isThere = 'The key of the log is in the database in clear text: set SECRETS_KEY';
    await expect(startTestService({ DATABASE_URL, ...refused })).rejects.toThrow(isThere);
    // A former key in clear text could name another successor.
    await expect(startTestService({ DATABASE_URL, ...refused, LOG_KEY_FILE: kept.file })).rejects.toThrow(isThere);
    const rotated = await runProgram('cli', { env: { DATABASE_URL, ...refused }, args: ['log', 'rotate-key'] });
    expect([rotated.code, rotated.stderr]).toEqual([1, expect.stringContaining('would be in the database in clear text')]);

    const SECRETS_KEY = Buffer.alloc(32, 3).toString('base64');
    const starts = await Promise.all([1, 2, 3].map(() => startTestService({ DATABASE_URL, ...refused, SECRETS_KEY })));
    const [first] = starts as [TestService, ...TestService[]];
    expect(await first.sql('SELECT secret FROM log_keys')).toEqual([{ secret: expect.stringMatching(/^§/) }]);
    expect((await new LogReader(first.url).wellKnown()).log.vkey).toBe(vkey);
    const acme = await first.business('acme');
    await acme.api.send({ to: 'acme' });
    await until(async () => ((await new LogReader(first.url).checkpoint())?.size ?? 0) > 0);
    await Promise.all(starts.map((one) => one.stop()));
  });

  test('moves to the operator, whose settings name it', async () => {
    const service = await startTestService();
    const { origin, vkey: oldKey } = (await new LogReader(service.url).wellKnown()).log;
    const key = newKey('moved');
    const rotate = (env: Record<string, string>, ...args: string[]) =>
      runProgram('cli', { env: { DATABASE_URL: service.databaseUrl, ...env }, args: ['log', 'rotate-key', ...args, '--json'] });
    expect((await rotate({}, '--from-settings')).stderr).toContain('Set LOG_KEY_FILE');
    expect((await rotate({}, '--from-settings', '--key', key.file)).stderr).toContain('not both');
    const settings = { LOG_KEY_COMMAND: key.program, LOG_PUBLIC_KEY: key.raw.toString('base64') };
    const { stdout } = await rotate(settings, '--from-settings');
    expect(JSON.parse(stdout)).toEqual({ old_key: oldKey, new_key: formatVkey(verifierKey(origin, KEY_TYPE.ed25519, key.raw)) });
    expect(await service.sql('SELECT number FROM log_keys WHERE secret IS NULL')).toEqual([{ number: 2 }]);
    await service.stop();
  });

  test('is missed where the operator keeps it and does not set it: nothing is signed, and messages are delivered', async () => {
    const DATABASE_URL = await createDatabase();
    const first = await startTestService({ DATABASE_URL, LOG_KEY_FILE: newKey('kept').file });
    const acme = await first.business('acme');
    await until(async () => (await new LogReader(first.url).checkpoint()) !== undefined);
    await first.stop();
    const without = await startTestService({ DATABASE_URL });
    expect((await acme.api.at(without.url).send({ to: 'acme' })).status).toBe(201);
    await until(async () => (await without.sql('SELECT 1 FROM logs WHERE fault LIKE $1', ['%LOG_KEY_FILE%'])).length > 0);
    expect((await new LogReader(without.url).checkpoint())?.size).toBe(0);
    await without.stop();
  });
});
