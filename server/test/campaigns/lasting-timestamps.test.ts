import { execFileSync } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { type Bundle, CRL_BYTES_MAX, CRLS_MAX, formatBundle, parseBundle, verifyBundle } from '@waybill/proof';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { REVOCATION_LIST_MAX_BYTES, REVOCATION_LISTS_MAX } from '../../src/contract/log-limits.ts';
import { AuthorityServer } from '../support/authority-server.ts';
import { startConnectProxy } from '../support/connect-proxy.ts';
import { startNameServer } from '../support/name-server.ts';
import { dataFolderOf, runProgram, until } from '../support/process.ts';
import { untilLogged } from '../support/proofs.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

const DAY_MS = 86_400_000;

test('verifiers read the lists of revoked certificates that the service keeps', () => {
  expect([CRL_BYTES_MAX, CRLS_MAX]).toEqual([REVOCATION_LIST_MAX_BYTES, REVOCATION_LISTS_MAX]);
});

function hasOpenssl(): boolean {
  try {
    return execFileSync('openssl', ['version'], { encoding: 'utf8' }).startsWith('OpenSSL 3');
  } catch {
    console.log('OpenSSL 3 is missing: timestamps are not tested.');
    return false;
  }
}

interface Row {
  size: string;
  crls: string[] | null;
  statement: string | null;
  is_stamped: boolean;
}

/** A service with an authority of its own. */
class World {
  readonly tsa: AuthorityServer;
  readonly service: TestService;
  readonly acme: TestBusiness;
  #sent = 0;

  private constructor(tsa: AuthorityServer, service: TestService, acme: TestBusiness) {
    [this.tsa, this.service, this.acme] = [tsa, service, acme];
  }

  static async start(tsa: AuthorityServer, settings: Record<string, string> = {}): Promise<World> {
    const service = await startTestService({ TSA_URL: tsa.url, WEBHOOK_PRIVATE_HOSTS: '127.0.0.1', ...settings });
    const acme = await service.business('acme');
    await service.business('globex');
    return new World(tsa, service, acme);
  }

  async send(): Promise<string> {
    return (await this.acme.api.send({ to: 'globex', json: ++this.#sent })).body.id;
  }

  /** The timestamps from the first to the last. */
  rows(): Promise<Row[]> {
    return this.service.sql<Row>(
      `SELECT size, timestamp_crls AS crls, timestamp_statement AS statement, timestamp_token IS NOT NULL AS is_stamped
         FROM log_checkpoints WHERE timestamp_token IS NOT NULL ORDER BY log, size`,
    );
  }

  async untilStated(count: number): Promise<Row[]> {
    const stated = async () => (await this.rows()).filter(({ statement }) => statement !== null);
    await until(async () => (await stated()).length === count);
    return stated();
  }

  later(hours: number): Promise<unknown> {
    return this.service.sql(
      'UPDATE log_checkpoints SET timestamped_at = timestamped_at - make_interval(hours => $1), timestamp_stated_at = timestamp_stated_at - make_interval(hours => $1), timestamp_lists_missing_since = timestamp_lists_missing_since - make_interval(hours => $1)',
      [hours],
    );
  }

  async failure(): Promise<string | null | undefined> {
    return (await this.service.sql<{ failure: string | null }>('SELECT failure FROM log_attestors'))[0]?.failure;
  }

  async proof(id: string): Promise<Bundle> {
    const { text } = await untilLogged(() => this.acme.api.request('GET', `/v1/messages/${id}/proof`));
    return parseBundle(text);
  }

  async timeLines(bundle: Bundle, now?: Date): Promise<string[]> {
    const { verdict, checks } = await verifyBundle(formatBundle(bundle), {
      vkeys: [bundle.log.vkey, ...(bundle.other_logs ?? []).map(({ vkey }) => vkey)],
      tsaCertificates: [this.tsa.authority.root],
      now,
    });
    return [verdict, ...checks.flatMap(({ part, state, text }) => (part === 'time' ? [`${state}: ${text}`] : []))];
  }

  async stop(): Promise<void> {
    await this.service.stop();
    this.tsa.close();
  }
}

/** OpenSSL plays the authority. */
describe.runIf(hasOpenssl())('timestamps that last', () => {
  const worlds: World[] = [];
  const worldOf = async (settings: Parameters<typeof AuthorityServer.start>[0] = {}, env: Record<string, string> = {}) => {
    const world = await World.start(await AuthorityServer.start(settings), env);
    worlds.push(world);
    return world;
  };
  afterAll(async () => {
    for (const world of worlds) await world.stop();
  });

  describe('of one authority', () => {
    let world: World;
    let first: string;
    beforeAll(async () => {
      world = await worldOf({ endsAt: new Date(Date.now() + 20 * DAY_MS) });
      first = await world.send();
      await world.untilStated(1);
    });

    test('have the list of revoked certificates, and verifiers say what it says', async () => {
      const bundle = await world.proof(first);
      expect(bundle.timestamps).toMatchObject([{ crls: [expect.any(String)] }]);
      expect(bundle.timestamps?.[0]?.renewals).toBeUndefined();
      const [verdict, line] = await world.timeLines(bundle);
      expect([verdict, line]).toEqual([
        'verified',
        expect.stringMatching(/whom you trust\. Its certificate was not revoked, says a list of/),
      ]);
      expect(await world.service.sql('SELECT count(*)::integer AS lists FROM log_crls')).toEqual([{ lists: 1 }]);
    });

    test('that end soon are told of by /readyz, the metrics and the command', async () => {
      const { body } = await world.service.anonymous.request('GET', '/readyz');
      expect(body).toMatchObject({ status: 'ok', timestamps: expect.stringMatching(/ends at \d{4}-/) });
      const metrics = await (await fetch(`${world.service.url}/metrics`)).text();
      const [, end = ''] = /^waybill_log_timestamp_end_seconds (\S+)$/m.exec(metrics) ?? [];
      expect(Math.abs(Number(end) * 1_000 - Date.now() - 20 * DAY_MS)).toBeLessThan(120_000);
    });

    test('are not made again for the leaves about them, but each day while they end soon', async () => {
      await world.later(2);
      // The index of a leaf counts, whatever the clocks of machines said.
      await world.service.sql("UPDATE log_checkpoints SET timestamp_stated_at = timestamped_at - interval '1 minute'");
      await setTimeout(7_000);
      expect(world.tsa.stamped).toBe(1);
      await world.later(23);
      await world.untilStated(2);
      expect(world.tsa.stamped).toBe(2);
      await world.later(2);
      await setTimeout(7_000);
      expect(world.tsa.stamped).toBe(2);
    });

    test('vouch for those before, once the authority has another certificate', async () => {
      world.tsa.authority.issueSigner(new Date(Date.now() + 1_000 * DAY_MS));
      await world.send();
      await world.later(2);
      await world.untilStated(3);
      const bundle = await world.proof(first);
      const renewals = bundle.timestamps?.[0]?.renewals ?? [];
      expect(renewals).toMatchObject([{ crls: [expect.any(String)], statement: expect.stringContaining('"token":"sha256:') }]);
      expect((await world.timeLines(bundle, new Date(Date.now() + 30 * DAY_MS)))[1]).toMatch(/^verified: .* Renewed at /);
      expect((await world.timeLines(bundle, new Date(Date.now() + 1_001 * DAY_MS)))[1]).toMatch(/^unchecked: .* ended at /);
      const { body } = await world.service.anonymous.request('GET', '/readyz');
      expect(body).toEqual({ status: 'ok' });
    });

    test('in the public proof of the receipt have the same', async () => {
      const { receipt_url } = (await world.acme.api.request('GET', `/v1/messages/${first}`)).body;
      const token = receipt_url.split('/').at(-1);
      const { text } = await untilLogged(() => world.service.anonymous.request('GET', `/v1/receipts/${token}/proof?format=bundle`));
      expect(parseBundle(text).timestamps).toEqual((await world.proof(first)).timestamps);
    });
  });

  test('whose certificate has ended, even by the clock, hold by a renewal', async () => {
    const world = await worldOf({ endsAt: new Date(Date.now() + 40_000) });
    const id = await world.send();
    await world.untilStated(1);
    world.tsa.authority.issueSigner();
    await world.send();
    await world.later(2);
    await world.untilStated(2);
    const ended = new Date((await world.service.sql<{ at: Date }>('SELECT min(timestamp_ends_at) AS at FROM log_checkpoints'))[0]?.at ?? 0);
    await setTimeout(Math.max(0, ended.getTime() - Date.now()) + 1_000);
    const bundle = await world.proof(id);
    expect((await world.timeLines(bundle))[1]).toMatch(/^verified: .* Renewed at /);
    delete bundle.timestamps?.[0]?.renewals;
    expect((await world.timeLines(bundle))[1]).toMatch(/^unchecked: .* ended at /);
  });

  test('of a log that has ended are vouched for by the next one', async () => {
    const world = await worldOf({ endsAt: new Date(Date.now() + 20 * DAY_MS) });
    const id = await world.send();
    await world.untilStated(1);
    const env = { DATABASE_URL: world.service.databaseUrl, DATA_DIR: dataFolderOf(world.service.databaseUrl), LOG_KEY_PLAINTEXT: 'allow' };
    expect((await runProgram('cli', { env, args: ['log', 'new', '--reason', 'moved'] })).stderr).toBe('');
    world.tsa.authority.issueSigner();
    await world.send();
    await world.untilStated(2);
    const bundle = await world.proof(id);
    expect(bundle.other_logs).toMatchObject([{ origin: `${bundle.log.origin}/2` }]);
    expect((await world.timeLines(bundle, new Date(Date.now() + 30 * DAY_MS)))[1]).toMatch(/^verified: .* Renewed at /);
  });

  test('wait a day for a list that can’t be got, and are kept without it then', async () => {
    const world = await worldOf();
    world.tsa.giveList = (response) => void response.writeHead(503).end();
    const id = await world.send();
    await until(async () => (await world.rows()).length === 1);
    await setTimeout(7_000);
    expect(await world.rows()).toMatchObject([{ statement: null, is_stamped: true }]);
    // The time counts from when the lists were first asked for: an upgrade finds old timestamps.
    await world.service.sql(
      "UPDATE log_checkpoints SET timestamped_at = timestamped_at - interval '3 days', timestamp_lists_missing_since = NULL",
    );
    const isMissing = async () =>
      (await world.service.sql('SELECT FROM log_checkpoints WHERE timestamp_lists_missing_since IS NOT NULL')).length;
    await until(async () => (await isMissing()) === 1);
    expect(await world.rows()).toMatchObject([{ statement: null, is_stamped: true }]);
    // The proof has the timestamp meanwhile.
    expect((await world.timeLines(await world.proof(id)))[1]).toMatch(
      /^verified: .*Whether its certificate was revoked, the file does not say\.$/,
    );
    await world.later(25);
    expect(await world.untilStated(1)).toMatchObject([{ crls: [] }]);
  });

  test.each([
    [
      'a list of another authority',
      (other: AuthorityServer) => (world: World) => (world.tsa.giveList = (response) => void response.end(other.authority.list())),
    ],
    ['a list that is too long', () => (world: World) => (world.tsa.giveList = (response) => void response.end(Buffer.alloc(300_000, 48)))],
    ['no list', () => (world: World) => (world.tsa.giveList = (response) => void response.end('no list'))],
    ['a redirect', () => (world: World) => (world.tsa.giveList = (response) => void response.writeHead(302, { location: '/other' }).end())],
  ])('are stamped all the same with %s', async (_, breaking) => {
    const other = await AuthorityServer.start({ name: 'Other root' });
    const world = await worldOf();
    breaking(other)(world);
    await world.send();
    await until(async () => (await world.rows()).length === 1);
    await setTimeout(6_000);
    expect(await world.rows()).toMatchObject([{ statement: null, is_stamped: true }]);
    other.close();
  });

  test('that can’t be read are dropped, and the others go on', async () => {
    const world = await worldOf();
    world.tsa.giveList = (response) => void response.writeHead(503).end();
    await world.send();
    await until(async () => (await world.rows()).length === 1);
    await world.service.sql(`UPDATE log_checkpoints SET timestamp_token = 'no token' WHERE timestamp_token IS NOT NULL`);
    await until(async () => world.tsa.stamped === 2);
    await until(async () => (await world.rows()).length === 1);
  });

  test('of a revoked certificate are not kept', async () => {
    const world = await worldOf();
    world.tsa.authority.revoke('keyCompromise');
    await world.send();
    await until(async () => (await world.failure())?.includes('was revoked at') === true);
    expect(await world.rows()).toEqual([]);
  });

  test('take lists from addresses that the operator gives, and none from addresses that are not public', async () => {
    const tsa = await AuthorityServer.start();
    const given = await World.start(tsa, { TSA_CRL_URLS: `${tsa.url}/root.crl`, WEBHOOK_PRIVATE_HOSTS: '' });
    worlds.push(given);
    await given.send();
    expect(await given.untilStated(1)).toMatchObject([{ crls: [expect.stringMatching(/^sha256:/)] }]);
    const named = await worldOf({}, { WEBHOOK_PRIVATE_HOSTS: '' });
    let asked = 0;
    named.tsa.giveList = (response) => {
      asked++;
      response.end();
    };
    await named.send();
    await until(async () => (await named.rows()).length === 1);
    await setTimeout(6_000);
    expect([asked, await named.rows()]).toEqual([0, [expect.objectContaining({ statement: null })]]);
  });

  test('get lists by plain HTTP, through the proxy and from public addresses alone', async () => {
    const [nameServer, proxy] = [await startNameServer(), await startConnectProxy()];
    const tsa = await AuthorityServer.start({ listUrl: 'http://crl.test/root.crl' });
    nameServer.set('crl.test', ['93.184.216.34']);
    proxy.ports.set('93.184.216.34:80', Number(new URL(tsa.url).port));
    const env = { DNS_SERVERS: nameServer.address, OUTBOUND_PROXY: proxy.url, WEBHOOK_PRIVATE_HOSTS: '' };
    const world = await World.start(tsa, env);
    worlds.push(world);
    await world.send();
    expect(await world.untilStated(1)).toMatchObject([{ crls: [expect.stringMatching(/^sha256:/)] }]);
    expect(proxy.targets).toEqual(['93.184.216.34:80']);
    await nameServer.stop();
    await proxy.stop();
  });
});
