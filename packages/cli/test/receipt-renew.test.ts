import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AuthorityServer } from '../../../server/test/support/authority-server.ts';
import { temporaryFolder, until } from '../../../server/test/support/process.ts';
import { startTestService, type TestBusiness, type TestService } from '../../../server/test/support/service.ts';
import { type Bundle, formatBundle, parseBundle } from '../../proof/src/index.ts';
import { CommandLine } from './support/command-line.ts';

const DAY_MS = 86_400_000;
const folder = temporaryFolder();
const at = (name: string) => path.join(folder, name);

function hasOpenssl(): boolean {
  try {
    return execFileSync('openssl', ['version'], { encoding: 'utf8' }).startsWith('OpenSSL 3');
  } catch {
    console.log('OpenSSL 3 is missing: renewals are not tested.');
    return false;
  }
}

/** OpenSSL plays the authority. */
describe.runIf(hasOpenssl())('receipt renew', () => {
  let tsa: AuthorityServer;
  let service: TestService;
  let acme: TestBusiness;
  let party: CommandLine;
  let anybody: CommandLine;
  let trust: string[];
  let id: string;
  let receipt: string;

  const bundleAt = (name: string): Bundle => parseBundle(readFileSync(at(name)));
  const renewalsIn = (name: string) => bundleAt(name).timestamps?.[0]?.renewals ?? [];
  const stated = async () =>
    Number((await service.sql<{ n: string }>('SELECT count(timestamp_statement) AS n FROM log_checkpoints'))[0]?.n);

  beforeAll(async () => {
    tsa = await AuthorityServer.start({ endsAt: new Date(Date.now() + 20 * DAY_MS) });
    service = await startTestService({ TSA_URL: tsa.url, WEBHOOK_PRIVATE_HOSTS: '127.0.0.1' });
    acme = await service.business('acme');
    await service.business('globex');
    party = new CommandLine({ HOME: folder, WAYBILL_URL: service.url, WAYBILL_KEY: acme.secret });
    anybody = new CommandLine({ HOME: temporaryFolder(), WAYBILL_URL: 'http://127.0.0.1:9' });
    writeFileSync(at('root.pem'), tsa.authority.root);
    const { log } = (await service.anonymous.request('GET', '/.well-known/waybill.json')).body;
    trust = ['--vkey', log.vkey, '--tsa-cert', at('root.pem')];
    ({ id, receipt_url: receipt } = (await acme.api.send({ to: 'globex', json: { order: 4711 } })).body);
    await until(async () => (await stated()) === 1);
    await party.succeed('receipt', 'proof', id, '-o', at('held.waybill-proof'));
    tsa.authority.issueSigner();
    await acme.api.send({ to: 'globex', json: 2 });
    await service.sql(
      "UPDATE log_checkpoints SET timestamped_at = timestamped_at - interval '2 hours', timestamp_stated_at = timestamp_stated_at - interval '2 hours'",
    );
    await until(async () => (await stated()) === 2);
  });
  afterAll(async () => {
    await service?.stop();
    tsa?.close();
  });

  test('adds what vouches for the timestamp, and keeps what the file has', async () => {
    copyFileSync(at('held.waybill-proof'), at('order.waybill-proof'));
    expect(renewalsIn('order.waybill-proof')).toEqual([]);
    const { stdout } = await party.succeed('receipt', 'renew', at('order.waybill-proof'), ...trust);
    expect(stdout).toMatch(/^ok {3}time .* Renewed at .*\n[\s\S]*Saved .*order\.waybill-proof/);
    const [held, renewed] = [bundleAt('held.waybill-proof'), bundleAt('order.waybill-proof')];
    expect(renewed).toMatchObject({ envelope: held.envelope, proof: held.proof, json: '{"order":4711}' });
    expect(renewalsIn('order.waybill-proof')).toHaveLength(1);
    expect((await anybody.succeed('receipt', 'verify', at('order.waybill-proof'), ...trust)).stdout).toMatch(
      /Renewed at[\s\S]*^Verified$/m,
    );
  });

  test('works with the public receipt, without a key', async () => {
    await anybody.succeed('receipt', 'renew', at('held.waybill-proof'), '--receipt', receipt, ...trust, '-o', at('public.waybill-proof'));
    expect(renewalsIn('public.waybill-proof')).toHaveLength(1);
    expect(bundleAt('public.waybill-proof').json).toBe('{"order":4711}');
  });

  test('refuses proofs of other messages, and those that lack what the file has', async () => {
    const other = (await acme.api.send({ to: 'globex', json: 3 })).body;
    const before = readFileSync(at('held.waybill-proof'));
    const renew = (...more: string[]) => anybody.run(['receipt', 'renew', at('held.waybill-proof'), ...trust, ...more]);
    expect(await renew('--receipt', other.receipt_url)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is of another message'),
    });
    const held = bundleAt('held.waybill-proof');
    const link = { statement: '{"number":1}', proof: held.proof };
    writeFileSync(at('longer.waybill-proof'), formatBundle({ ...held, hand_overs: [link] }));
    expect(await party.run(['receipt', 'renew', at('longer.waybill-proof'), ...trust])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('lacks a hand-over'),
    });
    expect(await party.run(['receipt', 'renew', at('held.waybill-proof')])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--vkey'),
    });
    expect(readFileSync(at('held.waybill-proof'))).toEqual(before);
  });

  test('has the file itself stamped, by an authority that the holder chooses, and OpenSSL verifies it', async () => {
    const own = await AuthorityServer.start({ name: 'Holder’s root' });
    writeFileSync(at('own.pem'), own.authority.root);
    const stamp = ['receipt', 'renew', at('held.waybill-proof'), '--tsa', own.url, '--tsa-cert', at('own.pem')];
    const { stdout } = await anybody.succeed(...stamp, ...trust, '-o', at('stamped.waybill-proof'));
    expect(stdout).toMatch(/^ok {3}time +This file was there before .* Its certificate was not revoked/);
    const [renewal] = bundleAt('stamped.waybill-proof').renewals ?? [];
    writeFileSync(at('token.der'), Buffer.from(renewal?.token ?? '', 'base64'));
    const openssl = ['ts', '-verify', '-in', 'token.der', '-token_in', '-data', 'held.waybill-proof', '-CAfile', 'own.pem'];
    expect(execFileSync('openssl', openssl, { cwd: folder, encoding: 'utf8', stdio: 'pipe' })).toContain('Verification: OK');
    // From then on, the service can't add to the file.
    expect(await party.run(['receipt', 'renew', at('stamped.waybill-proof'), ...trust])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('stamped again'),
    });
    await anybody.succeed('receipt', 'renew', at('stamped.waybill-proof'), '--tsa', own.url);
    expect(bundleAt('stamped.waybill-proof').renewals).toHaveLength(2);
    expect(await anybody.run(['receipt', 'renew', at('held.waybill-proof'), '--tsa', 'http://127.0.0.1:9/'])).toMatchObject({ code: 2 });
    own.close();
  });
});
