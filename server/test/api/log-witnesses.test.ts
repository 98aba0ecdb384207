import http from 'node:http';
import { cosignatureVerifier, noteVerifier, openNote, parseCheckpoint, parseVkey } from '@waybill/proof';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LogReader } from '../support/log.ts';
import { until } from '../support/process.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { TestWitness } from '../support/test-witness.ts';

interface View {
  name: string;
  size: number | null;
  cosigned_at: string | null;
  failing: boolean;
}

/** Observes a service by its public endpoints. */
class Watcher {
  readonly service: TestService;
  readonly #witnesses: TestWitness[];

  constructor(service: TestService, witnesses: TestWitness[]) {
    this.service = service;
    this.#witnesses = witnesses;
  }

  async vkey(): Promise<string> {
    return (await new LogReader(this.service.url).wellKnown()).log.vkey;
  }

  async witnesses(): Promise<View[]> {
    const response = await fetch(`${this.service.url}/.well-known/waybill.json`);
    return ((await response.json()) as { witnesses: View[] }).witnesses;
  }

  /** The served checkpoint, with the names of its witnesses. */
  async served(): Promise<{ size: number; by: string[] } | undefined> {
    const response = await fetch(`${this.service.url}/log/checkpoint`);
    if (response.status === 404) return undefined;
    const note = await response.text();
    const keys = this.#witnesses.map(({ key }) => cosignatureVerifier(key.verifier));
    const { verified } = await openNote(note, [noteVerifier(parseVkey(await this.vkey())), ...keys]);
    const by = this.#witnesses.filter(({ key }) => verified.some((one) => one.key === key.verifier)).map(({ name }) => name);
    return { size: parseCheckpoint(note).size, by };
  }

  async newestSize(): Promise<number> {
    const [row] = await this.service.sql<{ size: string }>('SELECT max(size) AS size FROM log_checkpoints');
    return Number(row?.size ?? 0);
  }
}

const send = async (sender: TestBusiness, count: number) => {
  const sent = await Promise.all(Array.from({ length: count }, (_, n) => sender.api.send({ to: 'globex', json: { n } })));
  expect(sent.map(({ status }) => status)).toEqual(Array(count).fill(201));
};

describe('with two witnesses', () => {
  let [one, two] = [] as unknown as [TestWitness, TestWitness];
  let watcher: Watcher;
  let acme: TestBusiness;

  beforeAll(async () => {
    [one, two] = [await TestWitness.create('one'), await TestWitness.create('two')];
    const service = await startTestService({ WITNESSES: `${one.line}\n${two.line}\ngroup both all one two\nquorum both` });
    watcher = new Watcher(service, [one, two]);
    for (const witness of [one, two]) await witness.start(await watcher.vkey());
    acme = await service.business('acme');
    await service.business('globex');
  });
  afterAll(async () => {
    await watcher.service.stop();
    await Promise.all([one.stop(), two.stop()]);
  });

  const untilWitnessed = () =>
    until(async () => {
      const served = await watcher.served();
      return served?.size === (await watcher.newestSize()) && served.by.length === 2;
    });

  test('checkpoints are cosigned by both, and what is served has a quorum', async () => {
    await send(acme, 20);
    await until(async () => (await watcher.served())?.size === 20 && (await watcher.served())?.by.length === 2);
    expect(await watcher.witnesses()).toMatchObject([
      { name: 'one', size: 20, failing: false },
      { name: 'two', size: 20, failing: false },
    ]);
  });

  test('while messages come without end, checkpoints get a quorum again and again', async () => {
    const sizes = new Set<number>();
    let isDone = false;
    const sending = (async () => {
      while (!isDone) await send(acme, 5);
    })();
    await until(async () => {
      const served = await watcher.served();
      if (served?.by.length === 2) sizes.add(served.size);
      return sizes.size >= 5;
    });
    isDone = true;
    await sending;
  });

  test('without one of them the log goes on, says so, and catches up when it is back', async () => {
    await two.stop();
    await send(acme, 7);
    const size = await until(async () => (await watcher.witnesses()).some(({ name, failing }) => name === 'two' && failing)).then(() =>
      watcher.newestSize(),
    );
    await until(async () => (await watcher.witnesses())[0]?.size === (await watcher.newestSize()));
    expect((await watcher.witnesses())[1]?.size).toBeLessThan(size);
    const metrics = await (await fetch(`${watcher.service.url}/metrics`)).text();
    expect(metrics).toMatch(/waybill_log_witness_requests_total\{witness="two",outcome="failed"\} [1-9]/);

    await two.start(await watcher.vkey());
    await untilWitnessed();
    expect((await watcher.witnesses()).map(({ failing }) => failing)).toEqual([false, false]);
  });

  test('a second worker leaves it to the first, and a process that has ended is replaced', async () => {
    const sibling = await watcher.service.sibling();
    await send(acme, 3);
    await untilWitnessed();
    expect(await watcher.service.sql('SELECT count(*)::integer AS holders FROM log_duties')).toEqual([{ holders: 1 }]);
    // The duty belongs to another process that has not renewed it.
    await watcher.service.sql("UPDATE log_duties SET holder = gen_random_uuid(), held_until = clock_timestamp() + interval '8 seconds'");
    await sibling.stop();
    await send(acme, 3);
    await untilWitnessed();
  });
});

test('a witness that claims to be ahead without a proof does not stop the log', async () => {
  const witness = await TestWitness.create('bad');
  const server = http.createServer((request, response) => {
    const isAsked = request.method === 'POST';
    response.writeHead(isAsked ? 409 : 404, { 'content-type': 'text/x.tlog.size' }).end('9007199254740991\n');
  });
  await new Promise<void>((resolve) => server.listen(witness.port, '127.0.0.1', resolve));
  const service = await startTestService({ WITNESSES: `${witness.line}\nquorum bad` });
  const watcher = new Watcher(service, [witness]);
  const acme = await service.business('acme');
  await service.business('globex');
  await send(acme, 2);
  await until(async () => (await watcher.witnesses())[0]?.failing === true);
  await send(acme, 2);
  await until(async () => (await watcher.served())?.size === 4);
  expect(await service.sql('SELECT fault FROM logs')).toEqual([{ fault: null }]);
  expect(await service.sql('SELECT failure FROM log_attestors')).toEqual([
    { failure: expect.stringMatching(/the witness has cosigned 9007199254740991 leaves, and the log has \d \(409\)/) },
  ]);
  await service.stop();
  server.close();
});
